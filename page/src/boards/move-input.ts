/** From clicks to moves: a move may take one click, or two or three (from, to, arrow). Pure functions. */
import type { Board, Move } from "../protocol";

export interface Choice {
  clicks: number[]; // chosen so far
  moves: Move[]; // to play now: one, or several that are clicked alike
}

/** The moves that go on from these clicks. */
export function goingOn(moves: Move[], clicks: number[]): Move[] {
  return moves.filter((move) => move.clicks.length > 0 && clicks.every((cell, index) => move.clicks[index] === cell));
}

/** The cells that may be clicked next. */
export function nextCells(moves: Move[], clicks: number[]): Set<number> {
  const found = goingOn(moves, clicks).map((move) => move.clicks[clicks.length]);
  return new Set(found.filter((cell) => cell !== undefined));
}

/** The cell that a click on a cell means: where stones fall, any cell of a column is its free one. */
export function meant(board: Board, cell: number, allowed: Set<number>): number {
  if (board.style !== "columns" || allowed.has(cell)) return cell;
  const size = board.layers > 1 ? board.rows * board.columns : board.columns;
  for (const other of allowed) if (other % size === cell % size) return other;
  return cell;
}

/** What a click leads to. */
export function click(board: Board, moves: Move[], clicks: number[], cell: number): Choice {
  const allowed = nextCells(moves, clicks);
  const target = meant(board, cell, allowed);
  if (allowed.has(target)) {
    const chosen = [...clicks, target];
    const complete = goingOn(moves, chosen).filter((move) => move.clicks.length === chosen.length);
    const further = nextCells(moves, chosen).size > 0;
    return { clicks: complete.length && !further ? [] : chosen, moves: complete };
  }
  if (clicks.length > 0 && clicks.at(-1) !== cell) return click(board, moves, [], cell); // another piece
  return { clicks: [], moves: [] };
}
