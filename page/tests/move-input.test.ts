import assert from "node:assert/strict";
import { test } from "node:test";
import { click, nextCells } from "../src/boards/move-input";
import { describe } from "../src/boards/board";
import { kindTitle } from "../src/state/format";
import { grid, move } from "./boards";

test("one click plays a move of one cell", () => {
  const found = click(grid(3, 3), [move(0, 0), move(4, 4)], [], 4);
  assert.deepEqual(found, { clicks: [], moves: [move(4, 4)] });
});

test("a click where nothing may be played does nothing", () => {
  assert.deepEqual(click(grid(3, 3), [move(0, 0)], [], 5), { clicks: [], moves: [] });
});

test("a queen and its arrow take three clicks, and each narrows the next", () => {
  const moves = [move(1, 0, 3, 6), move(2, 0, 3, 4), move(3, 0, 1, 2), move(4, 8, 7, 6)];
  assert.deepEqual([...nextCells(moves, [])], [0, 8]);
  assert.deepEqual(click(grid(3, 3), moves, [], 0), { clicks: [0], moves: [] });
  assert.deepEqual([...nextCells(moves, [0])], [3, 1]);
  assert.deepEqual(click(grid(3, 3), moves, [0], 3), { clicks: [0, 3], moves: [] });
  assert.deepEqual(click(grid(3, 3), moves, [0, 3], 4), { clicks: [], moves: [moves[1]] });
});

test("while a piece is chosen, a click on another piece chooses that one, and one on itself lets it go", () => {
  const moves = [move(1, 0, 3), move(2, 8, 7)];
  assert.deepEqual(click(grid(3, 3), moves, [0], 8).clicks, [8]);
  assert.deepEqual(click(grid(3, 3), moves, [0], 0).clicks, []);
});

test("moves that are clicked alike are all offered", () => {
  const moves = [move(1, 0, 3), move(2, 0, 3)];
  assert.equal(click(grid(3, 3), moves, [0], 3).moves.length, 2);
});

test("where stones fall, any cell of a column plays it", () => {
  const board = grid(6, 7, { style: "columns" });
  assert.deepEqual(click(board, [move(3, 38), move(4, 39)], [], 3).moves, [move(3, 38)]);
  const cube = grid(4, 4, { kind: "layers", layers: 4, style: "columns" });
  assert.deepEqual(click(cube, [move(5, 21)], [], 5).moves, [move(5, 21)]);
});

test("who hears the board is told whose piece stands there by the player's name", () => {
  const board = grid(3, 3);
  const table = { board, players: 2, player_names: ["X", "O"] };
  const position = { pieces: [[0, 1, "queen"] as [number, number, string]], winning: [], threats: [] };
  const about = { board, position, players: 2, label: "", open: new Set([1]), pieceTitle: (player: number, kind: string) => kindTitle(table, player, kind) };
  assert.deepEqual([0, 1, 2].map((cell) => describe(about, cell)), ["a3, O queen", "b3, free", "c3, empty"]);
});
