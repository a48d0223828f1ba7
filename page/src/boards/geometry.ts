/** Where everything of a board is, in cells: pure functions of its description. */
import type { Board } from "../protocol";

export interface Place {
  x: number;
  y: number;
}

export interface Label extends Place {
  text: string;
  title?: boolean; // of a layer
}

export interface Layout {
  width: number;
  height: number;
  places: (Place | null)[]; // by cell; null where there is none
  lines: [Place, Place][]; // drawn under the stones
  frames: { x: number; y: number; width: number; height: number }[]; // of flat boards: one a layer
  labels: Label[];
  shape: "square" | "hexagon" | "point";
  radius: number; // of a stone
  text: number; // the size of coordinates
}

export type Direction = "up" | "down" | "left" | "right";

const ROW_HEIGHT = Math.sqrt(3) / 2; // of hexagons that stand on a corner, one cell wide

export function layoutOf(board: Board, layersAcross = 3): Layout {
  if (board.kind === "points") return networkLayout(board);
  if (board.kind === "hexagons") return hexagonLayout(board);
  return gridLayout(board, layersAcross);
}

/** How many layers stand beside each other: as many as fit a shape of that width to height. */
export function layersAcross(board: Board, ratio: number): number {
  const counts = Array.from({ length: board.layers }, (_, index) => index + 1);
  const size = (across: number): number => {
    const width = across * (board.columns + 1.5);
    const height = Math.ceil(board.layers / across) * (board.rows + 2);
    return Math.min(ratio / width, 1 / height);
  };
  return counts.reduce((best, each) => (size(each) > size(best) + 1e-9 ? each : best), 1);
}

/** Coordinates are about as large on a small board as on a large one. */
function textSize(rows: number, columns: number): number {
  return Math.min(0.42, 0.06 + 0.02 * Math.max(rows, columns));
}

function gridLayout(board: Board, across: number): Layout {
  const { rows, columns, layers } = board;
  const deep = layers > 1;
  const title = deep ? 0.9 : 0;
  const layout: Layout = emptyLayout("square", board.style === "crossings" ? 0.47 : 0.4);
  layout.text = deep ? 0.36 : textSize(rows, columns);
  const margin = 2 * layout.text;
  const around = board.style === "crossings" ? margin : 0.15; // coordinates on all sides
  const wide = columns + margin + (deep ? 0.6 : around);
  const high = rows + margin + (deep ? title + 0.35 : around);
  for (let layer = 0; layer < layers; layer++) {
    const left = margin + (layer % across) * wide;
    const top = (deep ? title : around) + Math.floor(layer / across) * high;
    layout.frames.push({ x: left, y: top, width: columns, height: rows });
    if (deep) layout.labels.push({ x: left + columns / 2, y: top - 0.45, text: String(layer + 1), title: true });
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++)
        layout.places.push({ x: left + column + 0.5, y: top + row + 0.5 });
    layout.lines.push(...gridLines(board, left, top));
    layout.labels.push(...gridLabels(board, left, top, layout.text));
  }
  dropMissing(layout, board);
  layout.width = Math.min(layers, across) * wide;
  layout.height = Math.ceil(layers / across) * high;
  return layout;
}

function gridLines(board: Board, left: number, top: number): [Place, Place][] {
  const inset = board.style === "crossings" ? 0.5 : 0;
  const extra = board.style === "crossings" ? 0 : 1;
  const right = left + board.columns - inset;
  const bottom = top + board.rows - inset;
  const found: [Place, Place][] = [];
  for (let row = 0; row < board.rows + extra; row++)
    found.push([{ x: left + inset, y: top + row + inset }, { x: right, y: top + row + inset }]);
  for (let column = 0; column < board.columns + extra; column++)
    found.push([{ x: left + column + inset, y: top + inset }, { x: left + column + inset, y: bottom }]);
  return found;
}

function gridLabels(board: Board, left: number, top: number, size: number): Label[] {
  const found: Label[] = [];
  const around = board.layers === 1 && board.style === "crossings";
  board.column_names.forEach((text, column) => {
    found.push({ x: left + column + 0.5, y: top + board.rows + size, text });
    if (around) found.push({ x: left + column + 0.5, y: top - size, text });
  });
  board.row_names.forEach((text, row) => {
    found.push({ x: left - size, y: top + row + 0.5, text });
    if (around) found.push({ x: left + board.columns + size, y: top + row + 0.5, text });
  });
  return found.filter((label) => label.text);
}

function hexagonLayout(board: Board): Layout {
  const layout = emptyLayout("hexagon", 0.39);
  layout.text = textSize(board.rows, board.columns);
  for (let row = 0; row < board.rows; row++)
    for (let column = 0; column < board.columns; column++)
      layout.places.push({ x: (board.offset[row] ?? 0) + column, y: row * ROW_HEIGHT });
  dropMissing(layout, board);
  layout.labels = hexagonLabels(board, layout);
  moveToCorner(layout);
  return layout;
}

const AROUND = 0.58; // from the middle of a hexagon to where a label may begin

/** The names of rows and columns where nothing else is: at the usual ends, else at others, else further out. */
function hexagonLabels(board: Board, layout: Layout): Label[] {
  const cells = layout.places.filter((place): place is Place => place !== null);
  const ways = [false, true].flatMap((bottom) => [false, true].map((right) => [...rowEnds(board, layout, right), ...columnEnds(board, layout, bottom)]));
  const clear = ways.find((ends) => ends.every((end, index) => isClear(end.label, layout, cells, ends.slice(0, index))));
  const found: End[] = [];
  for (const end of clear ?? ways[0]!) {
    while (!isClear(end.label, layout, cells, found)) end.label = { ...end.label, x: end.label.x + end.x / 4, y: end.label.y + end.y / 4 };
    found.push(end);
  }
  return found.map((end) => end.label);
}

interface End extends Place {
  label: Label; // beyond an end of a row or a column, in the direction of x and y
}

function rowEnds(board: Board, layout: Layout, right: boolean): End[] {
  return board.row_names.flatMap((text, row) => {
    const cells = layout.places.slice(row * board.columns, (row + 1) * board.columns).filter((place) => place !== null);
    return endAt(right ? cells.at(-1) : cells[0], { x: right ? 1 : -1, y: 0 }, text, layout);
  });
}

function columnEnds(board: Board, layout: Layout, bottom: boolean): End[] {
  const rows = Array.from({ length: board.rows }, (_, row) => row);
  const lean = (board.offset[1] ?? 0.5) - (board.offset[0] ?? 0);
  const towards = bottom ? { x: lean, y: ROW_HEIGHT } : { x: -lean, y: -ROW_HEIGHT };
  return board.column_names.flatMap((text, column) => {
    const cells = rows.map((row) => layout.places[row * board.columns + column]).filter(Boolean);
    return endAt(bottom ? cells.at(-1) : cells[0], towards, text, layout);
  });
}

function endAt(cell: Place | null | undefined, towards: Place, text: string, layout: Layout): End[] {
  const away = 0.72 + layout.text;
  return cell && text ? [{ ...towards, label: { x: cell.x + away * towards.x, y: cell.y + away * towards.y, text } }] : [];
}

/** Half the width and height of a label, about. */
function halfOf(label: Label, size: number): Place {
  return { x: 0.32 * size * label.text.length, y: 0.5 * size };
}

/** Whether a label lies on no cell and on none of the other labels. */
function isClear(label: Label, layout: Layout, cells: Place[], others: End[]): boolean {
  const half = halfOf(label, layout.text);
  const beside = (other: Place) => ({ x: Math.max(0, Math.abs(other.x - label.x) - half.x), y: Math.max(0, Math.abs(other.y - label.y) - half.y) });
  if (cells.some((cell) => Math.hypot(beside(cell).x, beside(cell).y) < AROUND)) return false;
  return others.every(({ label: other }) => {
    const [room, theirs] = [beside(other), halfOf(other, layout.text)];
    return room.x > theirs.x || room.y > theirs.y;
  });
}

/** Begin at the left and the top, whatever is missing there; the size follows. */
function moveToCorner(layout: Layout): void {
  const cells = layout.places.flatMap((place) => (place ? [{ ...place, half: { x: 0.8, y: 0.9 } }] : [])); // half a hexagon and the coloured edge
  const labels = layout.labels.map((label) => ({ ...label, half: halfOf(label, layout.text) }));
  const all = [...cells, ...labels];
  const left = Math.min(...all.map((each) => each.x - each.half.x)) - 0.05;
  const top = Math.min(...all.map((each) => each.y - each.half.y)) - 0.05;
  for (const place of [...layout.places, ...layout.labels]) if (place) [place.x, place.y] = [place.x - left, place.y - top];
  layout.width = Math.max(...all.map((each) => each.x + each.half.x)) - left + 0.05;
  layout.height = Math.max(...all.map((each) => each.y + each.half.y)) - top + 0.05;
}

function networkLayout(board: Board): Layout {
  const layout = emptyLayout("point", 0.36);
  const xs = board.points.map((point) => point[0]);
  const ys = board.points.map((point) => point[1]);
  const shortest = Math.min(
    ...board.lines.map(([from, to]) => distance(board.points[from]!, board.points[to]!)).filter((length) => length > 0),
    ...(board.lines.length ? [] : [1]),
  );
  const scale = 1 / shortest;
  layout.places = board.points.map(([x, y]) => ({
    x: (x - Math.min(...xs)) * scale + 1,
    y: (y - Math.min(...ys)) * scale + 1,
  }));
  layout.lines = board.lines.map(([from, to]) => [layout.places[from]!, layout.places[to]!]);
  dropMissing(layout, board);
  layout.width = (Math.max(...xs) - Math.min(...xs)) * scale + 2;
  layout.height = (Math.max(...ys) - Math.min(...ys)) * scale + 2;
  return layout;
}

function emptyLayout(shape: Layout["shape"], radius: number): Layout {
  return { width: 0, height: 0, places: [], lines: [], frames: [], labels: [], shape, radius, text: 0.3 };
}

function dropMissing(layout: Layout, board: Board): void {
  for (const cell of board.missing) layout.places[cell] = null;
}

function distance(one: readonly [number, number], other: readonly [number, number]): number {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

const TOWARDS: Record<Direction, Place> = {
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
};

/** The cell that an arrow key leads to from a cell: the nearest one in that direction, or the cell itself. */
export function neighbour(layout: Layout, cell: number, direction: Direction): number {
  const from = layout.places[cell];
  if (!from) return layout.places.findIndex((place) => place !== null);
  const towards = TOWARDS[direction];
  const most = layout.shape === "hexagon" ? 0.6 : 1.8; // rows of hexagons are gone along, and crossed 30 degrees aside
  let best = cell;
  let least = Infinity;
  layout.places.forEach((place, other) => {
    if (!place || other === cell) return;
    const along = (place.x - from.x) * towards.x + (place.y - from.y) * towards.y;
    const aside = Math.abs((place.x - from.x) * towards.y) + Math.abs((place.y - from.y) * towards.x);
    if (along <= 1e-6 || aside > along * most) return;
    const score = along + 0.9 * aside;
    if (score < least - 1e-9) [best, least] = [other, score];
  });
  return best;
}

/** The same place one layer further up or down, or the cell itself. */
export function otherLayer(board: Board, cell: number, step: number): number {
  const found = cell + step * board.rows * board.columns;
  return found >= 0 && found < board.layers * board.rows * board.columns ? found : cell;
}

/** A cell's coordinates as people say them. */
export function nameOf(board: Board, cell: number): string {
  if (board.kind === "points") return String(cell + 1);
  const size = board.rows * board.columns;
  const layer = board.layers > 1 ? String(Math.floor(cell / size) + 1) : "";
  const row = Math.floor((cell % size) / board.columns);
  return `${layer}${board.column_names[cell % board.columns] ?? ""}${board.row_names[row] ?? ""}`;
}

/** The corners of a hexagon around a place. */
export function corners(place: Place, radius = 1 / Math.sqrt(3)): string {
  const found = [];
  for (let corner = 0; corner < 6; corner++) {
    const angle = Math.PI / 6 + (corner * Math.PI) / 3;
    found.push(`${round(place.x + radius * Math.cos(angle))},${round(place.y + radius * Math.sin(angle))}`);
  }
  return found.join(" ");
}

export function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
