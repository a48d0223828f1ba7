/** What lies under the stones: the wood and its lines, holes, hexagons, points, coordinates. */
import type { Board, Piece } from "../protocol";
import { corners, type Layout, type Place, round } from "./geometry";
import type { Look } from "./stone-style";

export function FrameAndLines({ board, layout }: { board: Board; layout: Layout }) {
  const holes = board.style === "columns" && board.layers === 1;
  return (
    <g class="ground">
      {layout.frames.map((frame) => (
        <rect class="frame" x={frame.x - 0.04} y={frame.y - 0.04} width={frame.width + 0.08} height={frame.height + 0.08} rx={holes ? 0.35 : 0.08} />
      ))}
      {board.kind === "hexagons" && <Edges board={board} layout={layout} />}
      {!holes &&
        layout.lines.map(([from, to]) => (
          <line class="line" x1={round(from.x)} y1={round(from.y)} x2={round(to.x)} y2={round(to.y)} />
        ))}
      {board.stars.map((cell) => {
        const place = layout.places[cell];
        return place && <circle class="star" cx={place.x} cy={place.y} r=".11" />;
      })}
    </g>
  );
}

export function Labels({ layout }: { layout: Layout }) {
  return (
    <g class="labels">
      {layout.labels.map((label) => (
        <text class={label.title ? "title" : ""} x={round(label.x)} y={round(label.y + layout.text * 0.36)} font-size={round(label.title ? layout.text * 1.4 : layout.text)}>
          {label.text}
        </text>
      ))}
    </g>
  );
}

/** Where one may click, where that is not nearly everywhere. */
export function Openings({ board, layout, open, pieces }: { board: Board; layout: Layout; open: Set<number> | undefined; pieces: Piece[] }) {
  const cells = layout.places.filter(Boolean).length;
  const taken = new Set(pieces.map((piece) => piece[0]));
  if (!open || board.style === "columns" || open.size > (cells - taken.size) / 2) return null;
  return (
    <g class="openings">
      {[...open].map((cell) => {
        const place = layout.places[cell];
        return place && <circle class={taken.has(cell) ? "on-piece" : ""} cx={place.x} cy={place.y} r={taken.has(cell) ? layout.radius * 1.1 : 0.12} />;
      })}
    </g>
  );
}

interface GroundsProps {
  board: Board;
  layout: Layout;
  open: Set<number> | undefined;
  chosen: number[] | undefined;
  look: Look;
}

export function Grounds({ board, layout, open, chosen, look }: GroundsProps) {
  const forbidden = new Set(board.forbidden);
  const steps = (chosen?.length ?? 0) > 0;
  return (
    <g class="cells">
      {layout.places.map((place, cell) => {
        if (!place) return null;
        const names = [
          forbidden.has(cell) ? "forbidden" : "",
          chosen?.includes(cell) ? "chosen" : "",
          steps && open?.has(cell) ? "target" : "",
        ];
        return <Ground board={board} layout={layout} place={place} cell={cell} names={names.filter(Boolean).join(" ")} look={look} />;
      })}
    </g>
  );
}

function Ground({ board, layout, place, cell, names }: { board: Board; layout: Layout; place: Place; cell: number; names: string; look: Look }) {
  if (layout.shape === "hexagon") return <polygon class={`cell ${names}`} points={corners(place)} />;
  if (layout.shape === "point") return <circle class={`cell point ${names}`} cx={place.x} cy={place.y} r=".2" />;
  if (board.style === "columns" && board.layers === 1)
    return <circle class={`cell hole ${names}`} cx={place.x} cy={place.y} r={layout.radius + 0.02} />;
  const dark = (Math.floor(cell / board.columns) + (cell % board.columns)) % 2 === 1 && board.style === "cells";
  if (board.style === "crossings" && !names) return null;
  return <rect class={`cell square ${dark ? "dark" : ""} ${names}`} x={place.x - 0.5} y={place.y - 0.5} width="1" height="1" />;
}

/** Whose each side is: a band of that player's colour behind the outer hexagons. */
function Edges({ board, layout }: { board: Board; layout: Layout }) {
  const at = (row: number, column: number): Place | null => layout.places[row * board.columns + column] ?? null;
  const rows = Array.from({ length: board.rows }, (_, row) => row);
  const columns = Array.from({ length: board.columns }, (_, column) => column);
  const sides = [
    columns.map((column) => at(0, column)),
    rows.map((row) => at(row, board.columns - 1)),
    columns.map((column) => at(board.rows - 1, column)),
    rows.map((row) => at(row, 0)),
  ];
  const shifts = [
    { x: -0.1, y: -0.2 },
    { x: 0.2, y: -0.06 },
    { x: 0.1, y: 0.2 },
    { x: -0.2, y: 0.06 },
  ];
  return (
    <g class="edges">
      {board.edges.flatMap((player, side) =>
        player < 0
          ? []
          : (sides[side] ?? []).map((place) => {
              const shift = shifts[side]!;
              return place && <polygon class={`edge player-${player}`} points={corners({ x: place.x + shift.x, y: place.y + shift.y })} />;
            }),
      )}
    </g>
  );
}
