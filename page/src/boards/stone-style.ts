/** How plain stones look on a board. */
import type { Board, LastMove, Piece } from "../protocol";

export type Look = "stone" | "disc" | "sign" | "blank"; // a blank disc has room for a number

export function lookOf(board: Board | null, players: number): Look {
  if (!board) return "sign";
  if (board.style === "crossings" && players === 2) return "stone";
  const small = board.kind === "grid" && board.style === "cells" && board.rows * board.columns <= 25;
  return board.kind === "layers" || small ? "sign" : "disc";
}

/** With three players and more: where their last stones stand, but for the one of the newest move, which has its own mark. */
export function earlierCells(lastMoves: (LastMove | null)[], number: number, pieces: Piece[]): number[] {
  if (lastMoves.length < 3) return []; // the other one's last move is the newest
  const owners = new Map(pieces.map((piece) => [piece[0], piece[1]]));
  return lastMoves.flatMap((move, player) => {
    const cell = move && move.number !== number ? move.clicks.findLast((each) => owners.get(each) === player) : undefined;
    return cell === undefined ? [] : [cell];
  });
}
