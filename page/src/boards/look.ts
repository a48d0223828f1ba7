/** How plain stones look on a board. */
import type { Board } from "../protocol";

export type Look = "stone" | "disc" | "sign" | "blank"; // a blank disc has room for a number

export function lookOf(board: Board | null, players: number): Look {
  if (!board) return "sign";
  if (board.style === "crossings" && players === 2) return "stone";
  const small = board.kind === "grid" && board.style === "cells" && board.rows * board.columns <= 25;
  return board.kind === "layers" || small ? "sign" : "disc";
}
