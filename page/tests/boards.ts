/** Boards for tests, as the server describes them. */
import type { Board, Move } from "../src/protocol";

const EMPTY: Board = {
  kind: "grid", rows: 0, columns: 0, layers: 1, style: "cells", column_names: [], row_names: [], offset: [],
  missing: [], forbidden: [], stars: [], edges: [], points: [], lines: [],
};

export function grid(rows: number, columns: number, more: Partial<Board> = {}): Board {
  const column_names = Array.from({ length: columns }, (_, column) => String.fromCharCode(97 + column));
  const row_names = Array.from({ length: rows }, (_, row) => String(rows - row));
  return { ...EMPTY, rows, columns, column_names, row_names, ...more };
}

export function move(action: number, ...clicks: number[]): Move {
  return { action, name: clicks.join("-") || "pass", clicks };
}
