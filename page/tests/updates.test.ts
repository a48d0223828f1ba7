import assert from "node:assert/strict";
import { test } from "node:test";
import type { Moved, Position, Table, Thought, Value } from "../src/protocol";
import { afterEnd, afterMove, lossOf, mistakes, mistakeText, toMistake, winners } from "../src/state/updates";
import { move } from "./boards";

const view: Position = { to_move: 0, terminal: false, result: null, pieces: [], moves: [], winning: [], threats: [], text: "" };

/** Chances of two players without draws. */
const value = (first: number, kind: Value["kind"] = "wins"): Value => ({ chances: [first, 1 - first], draw: 0, kind, few: false });
const few: Value = { chances: null, draw: null, kind: "wins", few: true };

const played = (number: number) => ({ ...move(number, number), number, by: (number + 1) % 2, seconds: 1, means: null, value: null, remark: "" });

const table = (moves: number, values: (Value | null)[] = []): Table => ({
  type: "table", table: "t", game: "tictactoe", players: 2, player_names: ["X", "O"], board: null,
  seats: [{ kind: "person" }, { kind: "person" }], moves: Array.from({ length: moves }, (_, index) => played(index + 1)),
  values, last_moves: [], view, over: null, thinking: null, analysing: null, paused: false, compiling: null, formats: [], editable: true, notes: [], notes_told: [], win_rates: [], fewest: 100, left_out: 0,
});

const moved = (number: number): Moved => ({ type: "moved", ...played(number), view: { ...view, to_move: 1 }, thought: null, win_rates_at: [number - 1, null], value_at: [number - 1, value(0.6)], last_moves: [{ number, clicks: [number] }, null] });

test("a move comes after the last one, with what was thought before it", () => {
  const next = afterMove(table(1), moved(2))!;
  assert.equal(next.moves.length, 2);
  assert.equal(next.view.to_move, 1);
  assert.deepEqual(next.values[1], value(0.6));
  assert.deepEqual(next.last_moves[0], { number: 2, clicks: [2] });
});

test("what an analysis knew of a position stays in the graph, unless the server knows better", () => {
  const thought = { action: 9, candidates: [], value: value(0.8) } as unknown as Thought;
  assert.deepEqual(afterMove(table(1), { ...moved(2), value_at: [1, null] }, thought)!.values[1], value(0.8));
  assert.deepEqual(afterMove(table(1), { ...moved(2), value_at: [1, few] }, thought)!.values[1], value(0.8));
  assert.deepEqual(afterMove(table(1), moved(2), thought)!.values[1], value(0.6));
  assert.equal(afterMove(table(1), { ...moved(2), value_at: [1, null] }, { ...thought, value: few })!.values[1], null);
});

test("a move that is heard twice changes nothing, and a gap asks for the whole table", () => {
  const now = table(2);
  assert.equal(afterMove(now, moved(2)), now);
  assert.equal(afterMove(now, moved(4)), null);
});

test("the result ends the chart at once, as it does after a reload", () => {
  const end = afterEnd(table(2, [null, value(0.6)]), { type: "over", result: [0, 1], value: value(0, "proven"), names: "O wins", resigned: null, reason: "" });
  assert.deepEqual(end.values, [null, value(0.6), value(0, "proven")]);
});

test("a mistake is a move after which its player may expect a tenth less", () => {
  const now = table(4, [value(0.5), value(0.45), value(0.7), value(0.68), null]);
  assert.ok(Math.abs(lossOf(now, 2)! - 0.25) < 1e-9);
  assert.deepEqual(mistakes(now), [2]);
  assert.equal(lossOf(now, 4), null);
});

test("few visits and giving up make no mistake, nor does an evaluation beside a win rate", () => {
  const bad = value(0.1);
  assert.deepEqual(mistakes(table(1, [value(0.9), bad])), [1]);
  assert.deepEqual(mistakes(table(1, [few, bad])), []);
  assert.deepEqual(mistakes(table(1, [value(0.9), few])), []);
  assert.deepEqual(mistakes(table(1, [value(0.9, "evaluation"), value(0.1)])), []);
  assert.equal(mistakeText(table(1, [value(0.9, "evaluation"), value(0.1, "evaluation")]), 1), "0.800");
  assert.equal(mistakeText(table(1, [value(0.9), value(0.1, "proven")]), 1), "80.0 %");
  assert.equal(mistakeText(table(1, [value(0.9), value(0.85)]), 1), "");
  const over = { type: "over" as const, result: [0, 1], value: value(0, "proven"), names: "O wins", resigned: 0, reason: "" };
  assert.deepEqual(mistakes({ ...table(1, [value(0.9), value(0, "proven")]), over }), []);
});

test("what a draw is worth is part of a loss: an equal share for everybody", () => {
  const three = (first: number, draw: number): Value => ({ chances: [first, 0, 1 - first - draw], draw, kind: "wins", few: false });
  const now = { ...table(1, [three(0.1, 0.9), three(0.1, 0)]), players: 3 };
  assert.ok(Math.abs(lossOf(now, 1)! - 0.3) < 1e-9);
});

test("review goes to the position before the next mistake or the previous one", () => {
  const now = table(4, [value(0.5), value(0.3), value(0.5), value(0.5), value(0.7)]);
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
