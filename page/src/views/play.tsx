/** The table: the board, the players, what the search thinks, the moves. */
import { MOVES } from "../state/names";
import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { BoardPicture } from "../boards/board";
import { click, goingOn, meant, nextCells } from "../boards/move-input";
import { heatOf, ownershipOf } from "../boards/heat";
import { arrowsOf, drawnLine } from "../boards/line";
import { earlierCells, lookOf } from "../boards/stone-style";
import { SpaceView } from "../boards/board-3d-view";
import { Actions, Downloads, TypedMove } from "../parts/actions";
import { Analysis } from "../parts/analysis";
import { Graph } from "../parts/win-rate-graph";
import { hintLine, pointedLine } from "../parts/line";
import { Moves } from "../parts/moves";
import { Notes } from "../parts/notes";
import { ReviewBar } from "../parts/review";
import { Seats } from "../parts/seats";
import { Notices, Status } from "../parts/status";
import { pointedAction, visibleThought } from "../parts/hint-visibility";
import type { Board, Move, Position, Table } from "../protocol";
import { isGuess } from "../state/chances";
import { loadOffers } from "../state/catalog";
import { gameTitle, kindTitle } from "../state/format";
import { hint, lastMove, lastMoves, lookAt, looking, myTurn, number, ofTable, play, settled, speak, table, undo, view } from "../state/store";
import { say, called } from "../messages";

const clicks = ofTable<number[]>([]);
const alike = ofTable<Move[]>([]); // moves that are clicked alike: one chooses by name
const crossed = ofTable<number | null>(null);

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
  if (!now) return <p class="empty page-empty">{say("Connecting …")}</p>;
  return (
    <div class={`play ${now.board?.kind === "layers" ? "deep" : ""} ${now.players > 2 ? "many" : ""} look-${lookOf(now.board, now.players)}`}>
      <div class="board-side">
        <Status table={now} clicks={clicks.value.length} />
        {view.value && (now.board ? <Playing table={now} board={now.board} position={view.value} /> : <TextBoard position={view.value} />)}
        <OtherMoves position={view.value} />
        <ReviewBar table={now} />
        <Notices table={now} />
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
          <Notes notes={now.notes_told} />
          <p class="faint notes keys">{say("Keys: ← → through the game, B to the board, H hint, U undo, / to type a move.")}</p>
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
    earlier: earlierCells(lastMoves.value, number.value, position.pieces),
    cross: crossed.value,
    onHover: (cell: number | null) => point(board, cell, position),
  };
  const line = drawnLine(pointedLine.value);
  const isLine = pointedLine.value.length > 0;
  const hinted = thinking && thinking.move === number.value && !isLine ? [...arrowsOf(thinking.thought, position.moves, clicks.value), ...drawnLine(hintLine.value).arrows] : [];
  return (
    <div class={board.kind === "layers" ? "boards" : "boards flat"}>
      <BoardPicture
        {...props}
        chosen={clicks.value}
        open={open.value}
        heat={heat}
        ghosts={line.ghosts}
        arrows={isLine ? line.arrows : hinted}
        ownership={/^go(:|$)/.test(table.game) ? ownershipOf(thinking?.thought) : null} // territory, where there is any
        toMove={position.to_move}
        fallen={looking.value === null}
        label={say("{game}. Arrow keys move, Enter plays, Page Up and Page Down change the layer.", { game: gameTitle(table.game) })}
        onSay={speak}
        pieceTitle={(player, kind) => kindTitle(table, player, kind)}
        {...(looking.value === null ? { onCell: choose } : {})}
      />
      {board.kind === "layers" && <SpaceView {...props} heat={heat} />}
    </div>
  );
}

/** Pointing at a cell points at its candidate too, the first of those that begin with it, and its line is shown. */
function point(board: Board, cell: number | null, position: Position): void {
  crossed.value = cell;
  const thinking = visibleThought.value;
  if (cell === null || !thinking || thinking.move !== number.value) return void (pointedAction.value = null);
  const target = meant(board, cell, nextCells(position.moves, clicks.value));
  const actions = new Set(goingOn(position.moves, [...clicks.value, target]).map((move) => move.action));
  const { candidates, action } = thinking.thought;
  const found = isGuess(thinking.thought) ? [] : candidates.filter((each) => actions.has(each.action) && (each.visits > 0 || each.proven || each.action === action));
  pointedAction.value = (found.find((each) => each.action === action) ?? found[0])?.action ?? null;
}

/** Moves without cells to click, such as a pass, and moves that are clicked alike. */
function OtherMoves({ position }: { position: Position | null }) {
  const board = table.value?.board;
  const offered = !board ? [] : [...alike.value, ...(position?.moves.filter((move) => move.clicks.length === 0) ?? [])];
  if (offered.length === 0) return null; // in review they stay, disabled: the board below which they stand keeps its size
  return <MoveButtons moves={offered} label={say("Other moves")} />;
}

function MoveButtons({ moves, label }: { moves: Move[]; label: string }) {
  return (
    <div class="buttons other-moves" role="group" aria-label={label}>
      {moves.map((move) => (
        <button type="button" disabled={!myTurn.value} onClick={() => void play(move.action)}>
          {called(MOVES, move.name)}
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
      <MoveButtons moves={position.moves} label={say("Legal moves")} />
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
