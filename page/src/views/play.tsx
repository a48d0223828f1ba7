/** The table: the board, the players, what the search thinks, the moves. */
import { signal, useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { BoardPicture, type Ghost } from "../boards/board";
import { click, lineCells, nextCells } from "../boards/clicking";
import { heatOf } from "../boards/heat";
import { lookOf } from "../boards/look";
import { SpaceView } from "../boards/space-view";
import { Actions, Downloads, TypedMove } from "../parts/actions";
import { Analysis } from "../parts/analysis";
import { Graph } from "../parts/graph";
import { Moves } from "../parts/moves";
import { Notes } from "../parts/notes";
import { ReviewBar } from "../parts/review";
import { Seats } from "../parts/seats";
import { Status } from "../parts/status";
import { pointedAction, visibleThought } from "../parts/visible";
import type { Board, Move, Position, Table } from "../protocol";
import { loadOffers } from "../state/offers";
import { gameTitle, kindTitle } from "../state/format";
import { hint, lastMove, lookAt, looking, myTurn, number, play, settled, speak, table, undo, view } from "../state/store";
import { say, sayIfKnown } from "../words";

const LONGEST_LINE = 9; // moves on the board; the text has more

const clicks = signal<number[]>([]);
const alike = signal<Move[]>([]); // moves that are clicked alike: one chooses by name
const crossed = signal<number | null>(null);

export default function Play() {
  const now = table.value;
  useEffect(() => void loadOffers(), []);
  useSignalEffect(() => {
    if (settled.value && !table.value) location.hash = "#new";
  });
  useSignalEffect(() => {
    void view.value; // another position: begin anew
    [clicks.value, alike.value] = [[], []];
  });
  useKeys();
  const [failure] = useErrorBoundary();
  if (failure) return <p class="notice warn">{String(failure)}</p>;
  if (!now) return <p class="empty page-empty">{say("connecting")}</p>;
  return (
    <div class={`play ${now.board?.kind === "layers" ? "deep" : ""} ${now.players > 2 ? "many" : ""} look-${lookOf(now.board, now.players)}`}>
      <div class="board-side">
        <Status table={now} clicks={clicks.value.length} />
        {view.value && (now.board ? <Playing table={now} board={now.board} position={view.value} /> : <TextBoard position={view.value} />)}
        <OtherMoves position={view.value} />
        <ReviewBar table={now} />
      </div>
      <div class="panel">
        <div class="column">
          <Seats table={now} />
          <Actions table={now} />
          <TypedMove />
          <Analysis table={now} />
        </div>
        <div class="column">
          <Graph table={now} />
          <Moves table={now} />
          <Downloads table={now} />
          <Notes notes={now.notes} />
          <p class="faint notes keys">{say("keys_about")}</p>
        </div>
      </div>
    </div>
  );
}

function Playing({ table, board, position }: { table: Table; board: Board; position: Position }) {
  const open = useComputed(() => (myTurn.value && view.value ? nextCells(view.value.moves, clicks.value) : new Set<number>()));
  const choose = (cell: number): void => {
    if (!myTurn.value) return;
    const choice = click(board, position.moves, clicks.value, cell);
    clicks.value = choice.clicks;
    if (choice.moves.length === 1 && choice.clicks.length === 0) void play(choice.moves[0]!.action);
    else alike.value = choice.moves;
  };
  const thinking = visibleThought.value;
  const heat = thinking && thinking.move === number.value ? heatOf(thinking.thought, position.moves, clicks.value) : [];
  const props = {
    board,
    position,
    players: table.players,
    last: lastMove.value?.clicks ?? [],
    cross: crossed.value,
    onHover: (cell: number | null) => point(cell, position),
  };
  const ghosts = ghostsOf(board, position);
  return (
    <div class={board.kind === "layers" ? "boards" : "boards flat"}>
      <BoardPicture
        {...props}
        chosen={clicks.value}
        open={open.value}
        heat={heat}
        ghosts={ghosts}
        ownership={/^go(:|$)/.test(table.game) ? (thinking?.thought.ownership ?? null) : null} // territory, where there is any
        toMove={position.to_move}
        fallen={looking.value === null}
        label={say("board_of", { game: gameTitle(table.game) })}
        onSay={speak}
        pieceTitle={(player, kind) => kindTitle(table, player, kind)}
        {...(looking.value === null ? { onCell: choose } : {})}
      />
      {board.kind === "layers" && <SpaceView {...props} heat={heat} />}
    </div>
  );
}

/** Pointing at a cell points at its candidate too, and its line is shown. */
function point(cell: number | null, position: Position): void {
  crossed.value = cell;
  const move = cell === null ? undefined : position.moves.find((each) => each.clicks.length === 1 && each.clicks[0] === cell);
  const known = visibleThought.value?.thought.candidates.some((each) => each.action === move?.action && each.line.length > 0);
  pointedAction.value = known && move ? move.action : null;
}

function ghostsOf(board: Board, position: Position): Ghost[] {
  const thought = visibleThought.value?.thought;
  const pointed = thought?.candidates.find((each) => each.action === pointedAction.value);
  if (!thought || !pointed || visibleThought.value?.move !== number.value) return [];
  const cells = lineCells(board, position.moves, pointed.line.slice(0, LONGEST_LINE), new Set(position.pieces.map((piece) => piece[0])));
  const players = table.value?.players ?? 2;
  return cells.flatMap((cell, index) =>
    cell === null ? [] : [{ cell, player: (thought.player + index) % players, text: String(index + 1) }],
  );
}

/** Moves without cells to click, such as a pass, and moves that are clicked alike. */
function OtherMoves({ position }: { position: Position | null }) {
  const board = table.value?.board;
  const offered = !board ? [] : [...alike.value, ...(position?.moves.filter((move) => move.clicks.length === 0) ?? [])];
  if (offered.length === 0 || looking.value !== null) return null;
  return <MoveButtons moves={offered} label={say("other_moves")} />;
}

function MoveButtons({ moves, label }: { moves: Move[]; label: string }) {
  return (
    <div class="buttons other-moves" role="group" aria-label={label}>
      {moves.map((move) => (
        <button type="button" disabled={!myTurn.value} onClick={() => void play(move.action)}>
          {sayIfKnown(`move_${move.name}`, move.name)}
        </button>
      ))}
    </div>
  );
}

/** A game that says nothing of its board: its text, and all moves to choose from. */
function TextBoard({ position }: { position: Position }) {
  return (
    <div class="text-board">
      <pre tabIndex={0} aria-label={say("board")}>
        {position.text}
      </pre>
      <MoveButtons moves={position.moves} label={say("legal_moves")} />
    </div>
  );
}

/** Keys that work everywhere but in fields: arrows through the game, h, u, and / for the field of moves. */
function useKeys(): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      const at = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName)) return;
      const length = table.value?.moves.length ?? 0;
      const actions: Record<string, () => void> = {
        ArrowLeft: () => lookAt(number.value - 1),
        ArrowRight: () => lookAt(number.value + 1),
        Home: () => lookAt(0),
        End: () => lookAt(length),
        h: () => void hint(),
        u: () => void (looking.value === null && length > 0 && undo()),
        "/": () => document.getElementById("typed")?.focus(),
        b: () => document.querySelector<HTMLElement>(".board")?.focus(),
        Escape: () => {
          [clicks.value, alike.value] = [[], []];
        },
      };
      const action = actions[event.key];
      if (!action || (at.closest("[role=radiogroup], .moves ol") && event.key.startsWith("Arrow"))) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}
