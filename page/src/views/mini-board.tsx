/** A small board to look at: the same picture as the one that is played on, without a cursor. */
import { BoardPicture, type Ghost } from "../boards/board";
import type { Board, Piece } from "../protocol";

export interface SmallBoardProps {
  board: Board | null;
  players: number;
  pieces: Piece[];
  label: string; // for who can't see it
  last?: number[]; // cells of the last move
  earlier?: number[]; // the last stones of the other players
  winning?: number[];
  ghosts?: Ghost[]; // stones of a game that is only simulated
  text?: string | undefined; // shown where there is no description
}

const TINY = 16; // cells

export function SmallBoard({ board, players, pieces, label, last = [], earlier = [], winning = [], ghosts = [], text = "" }: SmallBoardProps) {
  if (!board) return <pre class="small-board-text">{text}</pre>;
  return (
    <div class={`small-board${board.layers > 1 ? " deep" : board.rows * board.columns <= TINY ? " tiny" : ""}`}>
      <BoardPicture board={board} position={{ pieces, winning, threats: [] }} players={players} last={last} earlier={earlier} ghosts={ghosts} label={label} />
    </div>
  );
}
