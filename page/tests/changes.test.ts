import assert from "node:assert/strict";
import { test } from "node:test";
import type { Moved, Position, Table, Thought } from "../src/protocol";
import { afterEnd, afterMove, lossOf, mistakes, toMistake, winners } from "../src/state/changes";
import { move } from "./boards";

const view: Position = { to_move: 0, terminal: false, result: null, pieces: [], moves: [], winning: [], threats: [], text: "" };

const played = (number: number) => ({ ...move(number, number), number, by: (number + 1) % 2, seconds: 1, means: null, remark: "" });

const table = (moves: number, win_rates: (number[] | null)[] = []): Table => ({
  type: "table", table: "t", game: "tictactoe", players: 2, player_names: ["X", "O"], board: null,
  seats: [{ kind: "person" }, { kind: "person" }], moves: Array.from({ length: moves }, (_, index) => played(index + 1)),
  win_rates, view, over: null, thinking: null, analysing: null, paused: false, compiling: null, formats: [], editable: true, notes: [],
});

const moved = (number: number): Moved => ({ type: "moved", ...played(number), view: { ...view, to_move: 1 }, thought: null, win_rates_at: [number - 1, [0.6, 0.4]] });

test("a move comes after the last one, with what was thought before it", () => {
  const next = afterMove(table(1), moved(2))!;
  assert.equal(next.moves.length, 2);
  assert.equal(next.view.to_move, 1);
  assert.deepEqual(next.win_rates[1], [0.6, 0.4]);
});

test("what an analysis knew of a position stays in the graph, unless the server knows better", () => {
  const candidate = { ...move(9, 9), visits: 5, means: [0.8, 0.2], interval: null, proven: false, cut: false, prior: null, line: [], line_names: [] };
  const thought = { action: 9, candidates: [candidate] } as unknown as Thought;
  assert.deepEqual(afterMove(table(1), { ...moved(2), win_rates_at: null }, thought)!.win_rates[1], [0.8, 0.2]);
  assert.deepEqual(afterMove(table(1), moved(2), thought)!.win_rates[1], [0.6, 0.4]);
});

test("a move that is heard twice changes nothing, and a gap asks for the whole table", () => {
  const now = table(2);
  assert.equal(afterMove(now, moved(2)), now);
  assert.equal(afterMove(now, moved(4)), null);
});

test("the result ends the win rates at once, as it does after a reload", () => {
  const end = afterEnd(table(2, [null, [0.6, 0.4]]), { result: [0, 1], names: "O wins", resigned: null, reason: "" });
  assert.deepEqual(end.win_rates, [null, [0.6, 0.4], [0, 1]]);
});

test("a mistake is a move after which its player's win rate is a tenth less", () => {
  const now = table(4, [[0.5, 0.5], [0.45, 0.55], [0.7, 0.3], [0.68, 0.32], null]);
  assert.ok(Math.abs(lossOf(now, 2)! - 0.25) < 1e-9);
  assert.deepEqual(mistakes(now), [2]);
  assert.equal(lossOf(now, 4), null);
});

test("review goes to the position before the next mistake or the previous one", () => {
  const now = table(4, [[0.5, 0.5], [0.3, 0.7], [0.5, 0.5], [0.5, 0.5], [0.7, 0.3]]);
  assert.deepEqual(mistakes(now), [1, 2, 4]);
  assert.equal(toMistake(now, 1, 1), 3);
  assert.equal(toMistake(now, 1, -1), 0);
  assert.equal(toMistake(now, 3, 1), null);
});

test("who has the most wins, and nobody where all have the same", () => {
  assert.deepEqual(winners([1, 0, 0]), [0]);
  assert.deepEqual(winners([0.5, 0.5]), []);
  assert.deepEqual(winners(null), []);
});
