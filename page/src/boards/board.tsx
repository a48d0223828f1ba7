/** Any board as a picture one can play on, by pointer and by keyboard. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Board, Position } from "../protocol";
import { say } from "../messages";
import { corners, type Direction, type Layout, layersAcross, layoutOf, nameOf, neighbour, otherLayer, round } from "./geometry";
import { type Heat, owner } from "./heat";
import { type Look, lookOf } from "./stone-style";
import type { Arrow, Ghost } from "./line";
import { PieceShape } from "./piece";
import { FrameAndLines, Grounds, Labels, Openings } from "./background";

export type { Arrow, Ghost };

export interface BoardProps {
  board: Board;
  position: Pick<Position, "pieces" | "winning" | "threats">;
  players: number;
  last?: number[]; // the cells of the last move
  earlier?: number[]; // where the last stones of the other players stand
  chosen?: number[]; // the cells clicked so far
  open?: Set<number>; // the cells that may be clicked now
  heat?: Heat[];
  ghosts?: Ghost[]; // a line of moves that is only thought of
  arrows?: Arrow[]; // moves with a source that are only thought of
  ownership?: number[][] | null;
  cross?: number | null; // where the cross-hair is
  toMove?: number | null;
  fallen?: boolean; // the last stone falls into its place
  label: string;
  onCell?: (cell: number) => void;
  onHover?: (cell: number | null) => void;
  onSay?: (sentence: string) => void;
  pieceTitle?: (player: number, kind: string) => string; // a piece in words
}

const KEYS: Record<string, Direction> = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };

export function BoardPicture(props: BoardProps) {
  const { board, onCell, onHover, onSay } = props;
  const frame = useRef<HTMLDivElement>(null);
  const across = useAcross(board, frame);
  const layout = useMemo(() => layoutOf(board, across), [board, across]);
  const [cursor, setCursor] = useState<number | null>(null);
  const [byKeys, setByKeys] = useState(false);
  const look = lookOf(board, props.players);

  // What does not change is not drawn again: thoughts come ten times a second.
  const ground = useMemo(() => [<FrameAndLines board={board} layout={layout} />, <Labels layout={layout} />], [board, layout]);
  const hits = useMemo(() => <Hits layout={layout} />, [layout]);
  const chosen = props.chosen?.join();
  const cells = useMemo(
    () => <Grounds board={board} layout={layout} open={props.open} chosen={props.chosen} look={look} />,
    [board, layout, props.open, chosen, look],
  );

  const pointed = (event: Event): number | null => {
    const cell = (event.target as Element).closest?.("[data-cell]")?.getAttribute("data-cell");
    return cell === null || cell === undefined ? null : Number(cell);
  };
  const moveTo = (cell: number): void => {
    setCursor(cell);
    setByKeys(true);
    onHover?.(cell);
    onSay?.(describe(props, cell));
  };
  const onKey = (event: KeyboardEvent): void => {
    const here = cursor ?? middle(layout);
    const step = { PageUp: 1, PageDown: -1 }[event.key];
    const direction = KEYS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (direction) moveTo(cursor === null ? here : neighbour(layout, here, direction));
    else if (step && board.layers > 1) moveTo(otherLayer(board, here, step));
    else if (event.key === "Enter" || event.key === " ") onCell?.(here);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      class={`board board-${board.kind} style-${board.style} ${onCell ? "live" : ""}`}
      ref={frame}
      role="application"
      aria-roledescription={say("board")}
      aria-label={props.label}
      tabIndex={onCell ? 0 : -1}
      onKeyDown={onKey}
      onFocus={(event) => event.currentTarget.matches(":focus-visible") && setByKeys(true)}
      onBlur={() => setByKeys(false)}
      onPointerDown={() => setByKeys(false)}
      onClick={(event) => {
        const cell = pointed(event);
        if (cell === null) return;
        setCursor(cell);
        onCell?.(cell);
      }}
      onPointerMove={(event) => event.pointerType === "mouse" && onHover?.(pointed(event))}
      onPointerLeave={() => onHover?.(null)}
    >
      <svg viewBox={`0 0 ${round(layout.width)} ${round(layout.height)}`} style={{ "--thin": round(layout.text / 0.36) }} aria-hidden="true">
        <Gradients />
        {ground}
        {cells}
        <CrossHair board={board} layout={layout} cell={props.cross ?? null} />
        <Ownership {...props} layout={layout} />
        <Pieces {...props} layout={layout} />
        <Openings board={board} layout={layout} open={props.open} pieces={props.position.pieces} />
        <Arrows arrows={props.arrows ?? []} layout={layout} numbered={(props.ghosts?.length ?? 0) > 0} />
        <HeatMap {...props} layout={layout} />
        <Marks {...props} layout={layout} />
        {byKeys && cursor !== null && layout.places[cursor] && (
          <Cursor layout={layout} cell={cursor} />
        )}
        {hits}
      </svg>
    </div>
  );
}

/** How many layers stand beside each other, by the room that there is. */
function useAcross(board: Board, frame: { current: HTMLDivElement | null }): number {
  const [across, setAcross] = useState(() => layersAcross(board, 1));
  useEffect(() => {
    if (board.layers <= 1 || !frame.current || typeof ResizeObserver === "undefined") return;
    const narrow = matchMedia("(max-width: 900px)"); // there the height follows from the width
    const observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry!.contentRect;
      if (width > 0 && height > 0) setAcross(layersAcross(board, narrow.matches ? 0.7 : width / height));
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [board]);
  return across;
}

/** Where the keyboard begins: the cell nearest to the middle. */
function middle(layout: Layout): number {
  const x = layout.width / 2;
  const y = layout.height / 2;
  const distances = layout.places.map((place) => (place ? Math.hypot(place.x - x, place.y - y) : Infinity));
  return distances.indexOf(Math.min(...distances));
}

/** A cell in words: its name, what stands there and what the search thinks of it. */
export function describe({ board, position, heat, open, pieceTitle }: BoardProps, cell: number): string {
  const piece = position.pieces.find((each) => each[0] === cell);
  const stands = piece
    ? (pieceTitle?.(piece[1], piece[2]) ?? say("taken"))
    : open?.has(cell)
      ? say("free")
      : say("empty");
  const warm = heat?.find((each) => each.cell === cell);
  const rate = !warm?.told ? "" : warm.told === "=" ? ` ${say("A draw")}` : ` ${warm.told} %`;
  return `${nameOf(board, cell)}, ${stands}${rate}`;
}

function Gradients() {
  return (
    <defs>
      <radialGradient id="stone-black" cx=".35" cy=".3" r=".8">
        <stop offset="0" stop-color="#5a5f66" />
        <stop offset=".55" stop-color="#1d1f22" />
        <stop offset="1" stop-color="#08090a" />
      </radialGradient>
      <radialGradient id="stone-white" cx=".35" cy=".3" r=".85">
        <stop offset="0" stop-color="#ffffff" />
        <stop offset=".7" stop-color="#eeeae2" />
        <stop offset="1" stop-color="#c9c3b6" />
      </radialGradient>
    </defs>
  );
}

type Drawn = BoardProps & { layout: Layout };

function Pieces({ board, position, players, layout, last, fallen }: Drawn) {
  const look = lookOf(board, players);
  return (
    <g class="pieces">
      {position.pieces.map(([cell, player, kind]) => {
        const place = layout.places[cell];
        if (!place) return null;
        const newest = last?.at(-1) === cell;
        const falls = fallen && newest && board.style === "columns" && board.layers === 1;
        const fall = falls ? (Math.floor(cell / board.columns) + 1) / layout.radius : 0;
        const more = newest ? "newest" : "";
        const key = `${cell} ${player} ${kind}`;
        return (
          <PieceShape key={key} x={place.x} y={place.y} radius={layout.radius} player={player} kind={kind} look={look} class={more} fall={fall} />
        );
      })}
    </g>
  );
}

function HeatMap({ heat, ghosts, layout, board, players, position }: Drawn) {
  const look = lookOf(board, players);
  const owned = new Set(position.pieces.filter((piece) => piece[1] >= 0).map((piece) => piece[0]));
  if (ghosts?.length)
    return (
      <g class="ghosts">
        {ghosts.map((ghost) => {
          const place = layout.places[ghost.cell];
          return place && <GhostPiece place={place} ghost={ghost} radius={layout.radius} look={look} />;
        })}
      </g>
    );
  return (
    <g class="heat">
      {heat?.map((each) => {
        const place = layout.places[each.cell];
        const told = each.share > 0.04 || each.best ? each.told : "";
        const Spot = owned.has(each.cell) ? HeatAround : HeatSpot;
        return place && <Spot x={place.x} y={place.y} radius={layout.radius} heat={each} told={told} />;
      })}
    </g>
  );
}

/** A numbered stone; a piece of another kind, or a cell where nothing comes to stand, has its number in a corner. */
function GhostPiece({ place: { x, y }, ghost, radius, look }: { place: { x: number; y: number }; ghost: Ghost; radius: number; look: Look }) {
  const kind = ghost.piece?.[2] ?? "";
  const bare = ghost.piece === null;
  const player = kind ? ghost.piece![1] : ghost.player;
  const plain = look === "stone" ? look : "blank";
  const corner = Boolean(kind) || bare;
  return (
    <g>
      {!bare && <PieceShape x={x} y={y} radius={radius * 0.92} player={player} kind={kind} look={plain} class="ghost" />}
      {corner && ghost.text && <circle class={`ghost-badge player-${ghost.player}`} cx={x + 0.28} cy={y - 0.28} r=".21" />}
      <text class={`ghost-number ${corner ? "in-corner" : ""} on-${look === "stone" && !corner ? `stone-${ghost.player}` : "disc"}`} x={corner ? x + 0.28 : x} y={corner ? y - 0.19 : y + 0.13}>
        {ghost.text}
      </text>
    </g>
  );
}

/** From where a piece would go to where. */
function Arrows({ arrows, layout, numbered }: { arrows: Arrow[]; layout: Layout; numbered: boolean }) {
  return (
    <g class={numbered ? "arrows of-line" : "arrows"}>
      {arrows.map((arrow) => {
        const [from, to] = [layout.places[arrow.from], layout.places[arrow.to]];
        if (!from || !to) return null;
        const names = `player-${arrow.player} ${arrow.best ? "best" : ""} ${arrow.then ? "then" : ""}`;
        return (
          <g key={`${arrow.from} ${arrow.to}`} class={names} style={{ opacity: 0.35 + 0.65 * arrow.share }} data-from={arrow.from} data-to={arrow.to}>
            <path class="halo" d={arrowPath(from, to, numbered ? layout.radius : TIP)} />
            <path d={arrowPath(from, to, numbered ? layout.radius : TIP)} />
          </g>
        );
      })}
    </g>
  );
}

const [TIP, BARB] = [0.16, 0.2]; // how far a tip stays from the middle of an empty cell, and how long its sides are

function arrowPath(from: { x: number; y: number }, to: { x: number; y: number }, gap: number): string {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  const at = (centre: { x: number; y: number }, turn: number, length: number): string => `${round(centre.x + length * Math.cos(angle + turn))} ${round(centre.y + length * Math.sin(angle + turn))}`;
  const tip = { x: to.x - gap * Math.cos(angle), y: to.y - gap * Math.sin(angle) };
  return `M${at(from, 0, 0.12)}L${at(tip, 0, 0)}M${at(tip, 2.6, BARB)}L${at(tip, 0, 0)}L${at(tip, -2.6, BARB)}`;
}

interface SpotProps {
  x: number;
  y: number;
  radius: number;
  heat: Heat;
  told: string;
}

function HeatSpot({ x, y, radius, heat, told }: SpotProps) {
  const size = radius * (0.45 + 0.55 * Math.sqrt(heat.share));
  return (
    <g class={heat.best ? "best" : ""}>
      <circle cx={x} cy={y} r={round(size)} style={{ fillOpacity: 0.3 + 0.62 * heat.share }} />
      {told && (
        <text x={x} y={y + 0.11} class={heat.share > 0.3 ? "strong" : ""}>
          {told}
        </text>
      )}
    </g>
  );
}

/** Around a piece that would move, so that one still sees what it is and whose. */
function HeatAround({ x, y, radius, heat, told }: SpotProps) {
  return (
    <g class={heat.best ? "around best" : "around"}>
      <circle class="ring" cx={x} cy={y} r={round(radius * 1.08)} style={{ strokeOpacity: 0.35 + 0.65 * heat.share, strokeWidth: 0.05 + 0.09 * heat.share }} />
      {told && (
        <>
          <circle class="badge" cx={x + 0.29} cy={y - 0.29} r=".21" />
          <text class="strong" x={x + 0.29} y={y - 0.2}>
            {told}
          </text>
        </>
      )}
    </g>
  );
}

function LastMark({ x, y, radius, look, player, kind }: { x: number; y: number; radius: number; look: Look; player: number; kind: "" | "from" | "earlier" }) {
  const names = `last ${kind}`;
  if (look === "stone" && player >= 0) return <circle class={`${names} on-${player}`} cx={x} cy={y} r={radius * 0.45} />;
  if (look === "sign") return <rect class={names} x={x - 0.46} y={y - 0.46} width=".92" height=".92" rx=".1" />;
  return <circle class={names} cx={x} cy={y} r={round(radius * 1.12)} />;
}

function Marks({ board, players, position, layout, last, earlier }: Drawn) {
  const look = lookOf(board, players);
  const at = (cell: number) => layout.places[cell];
  const taken = new Map(position.pieces.map((piece) => [piece[0], piece[1]]));
  return (
    <g class="marks">
      {position.threats.map((cell) => {
        const place = at(cell);
        return place && <path class="threat" d={`M${round(place.x)} ${round(place.y - 0.2)}l.2.36h-.4Z`} />;
      })}
      {earlier?.map((cell) => {
        const place = at(cell);
        return place && <LastMark x={place.x} y={place.y} radius={layout.radius} look={look} player={taken.get(cell) ?? -1} kind="earlier" />;
      })}
      {last?.map((cell, index) => {
        const place = at(cell);
        if (!place) return null;
        const from = index < last.length - 1 && !taken.has(cell);
        return <LastMark x={place.x} y={place.y} radius={layout.radius} look={look} player={taken.get(cell) ?? -1} kind={from ? "from" : ""} />;
      })}
      {position.winning.map((cell) => {
        const place = at(cell);
        return place && <circle class="winning" cx={place.x} cy={place.y} r={round(layout.radius * 1.06)} />;
      })}
    </g>
  );
}

function Ownership({ ownership, layout, board, players, position, heat }: Drawn) {
  if (!ownership) return null;
  const look = lookOf(board, players);
  const stones = new Map(position.pieces.map((piece) => [piece[0], piece[1]]));
  const numbered = new Set(heat?.map((each) => each.cell)); // a square behind a number makes it hard to read
  return (
    <g class="ownership">
      {layout.places.map((place, cell) => {
        const found = place && owner(ownership, cell);
        if (!place || !found || stones.get(cell) === found.player || numbered.has(cell)) return null;
        const side = 0.16 + 0.3 * found.strength;
        return (
          <rect
            class={look === "stone" ? `owned stone-${found.player}` : `owned player-${found.player}`}
            x={round(place.x - side / 2)}
            y={round(place.y - side / 2)}
            width={round(side)}
            height={round(side)}
          />
        );
      })}
    </g>
  );
}

/** In every layer, the row and the column of the cell that is pointed at. */
function CrossHair({ board, layout, cell }: { board: Board; layout: Layout; cell: number | null }) {
  if (cell === null || board.layers <= 1) return null;
  const size = board.rows * board.columns;
  const row = Math.floor((cell % size) / board.columns);
  const column = cell % board.columns;
  return (
    <g class="cross-hair">
      {layout.frames.map((frame, layer) => (
        <g class={layer === Math.floor(cell / size) ? "here" : ""}>
          <rect x={frame.x} y={frame.y + row} width={frame.width} height={1} />
          <rect x={frame.x + column} y={frame.y} width={1} height={frame.height} />
        </g>
      ))}
    </g>
  );
}

function Cursor({ layout, cell }: { layout: Layout; cell: number }) {
  const place = layout.places[cell]!;
  if (layout.shape === "hexagon") return <polygon class="cursor" data-at={cell} points={corners(place, 0.54)} />;
  return <rect class="cursor" data-at={cell} x={place.x - 0.46} y={place.y - 0.46} width=".92" height=".92" rx=".14" />;
}

/** What the pointer meets: one shape a cell, above everything. */
function Hits({ layout }: { layout: Layout }) {
  return (
    <g class="hits">
      {layout.places.map((place, cell) =>
        !place ? null : layout.shape === "hexagon" ? (
          <polygon data-cell={cell} points={corners(place)} />
        ) : (
          <rect data-cell={cell} x={place.x - 0.5} y={place.y - 0.5} width="1" height="1" />
        ),
      )}
    </g>
  );
}
