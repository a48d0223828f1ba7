import assert from "node:assert/strict";
import { test } from "node:test";
import { heatOf, owner } from "../src/boards/heat";
import type { Thought } from "../src/protocol";
import { bestMeans, workOf, workWord } from "../src/state/changes";
import { compact, lineTitle, presetTitle, wilson } from "../src/state/format";
import { move } from "./boards";

const candidate = (action: number, visits: number, mean: number) => ({
  action, name: String(action), visits, means: [mean, 1 - mean], interval: null, proven: false, cut: false, prior: null, line: [], line_names: [],
});

const thought = (candidates: ReturnType<typeof candidate>[]): Thought => ({
  action: candidates[0]!.action, player: 0, candidates, variation: [], iterations: 100, seconds: 1, nodes: 1, depth: 1, sampled: true,
  ownership: null, threads: [], notice: "",
});

test("the most visited cell is the warmest, and unvisited cells are cold", () => {
  const heat = heatOf(thought([candidate(1, 80, 0.6), candidate(0, 20, 0.5), candidate(2, 0, 0)]), [move(0, 0), move(1, 1), move(2, 2)], []);
  assert.deepEqual(heat.map((each) => [each.cell, each.share, each.best]), [[1, 1, true], [0, 0.25, false]]);
});

test("moves that begin with the same click share its heat until it is clicked", () => {
  const moves = [move(0, 5, 6), move(1, 5, 7), move(2, 9, 8)];
  const all = thought([candidate(0, 30, 0.5), candidate(1, 10, 0.9), candidate(2, 20, 0.4)]);
  const first = heatOf(all, moves, []);
  assert.deepEqual(first.map((each) => [each.cell, each.visits]), [[5, 40], [9, 20]]);
  assert.ok(Math.abs(first[0]!.rate! - 0.6) < 1e-9);
  assert.deepEqual(heatOf(all, moves, [5]).map((each) => each.cell), [6, 7]);
});

test("a point is owned by who has it more often, if that is clear", () => {
  assert.deepEqual(owner([[0.9, 0.5], [0.1, 0.5]], 0)?.player, 0);
  assert.equal(owner([[0.9, 0.5], [0.1, 0.5]], 1), null);
});

test("the interval is the one that statistics books give for 50 of 100", () => {
  const [low, high] = wilson(0.5, 100);
  assert.deepEqual([low.toFixed(3), high.toFixed(3)], ["0.404", "0.596"]);
});

test("large counts are short", () => {
  assert.deepEqual([950, 12_345, 4_500_000].map(compact), ["950", "12.3k", "4.5M"]);
});

test("one simulation that was won is not called 100 %", () => {
  const moves = [move(0, 0), move(1, 1)];
  assert.deepEqual(heatOf(thought([candidate(0, 1, 1), candidate(1, 5, 0.8)]), moves, []).map((each) => each.rate), [null, 0.8]);
  const certain = { ...thought([{ ...candidate(0, 1, 1), proven: true }]), sampled: false };
  assert.equal(heatOf(certain, moves, [])[0]!.rate, 1);
});

test("points are nobody's win rate, unless the result is certain", () => {
  const moves = [move(0, 0), move(1, 1)];
  const points = { ...thought([{ ...candidate(0, 50, 0.7), score: "+340" } as never]), sampled: false };
  assert.deepEqual([bestMeans(points), heatOf(points, moves, [])[0]!.rate], [null, null]);
  const won = { ...thought([{ ...candidate(0, 50, 1), score: "wins in 5", proven: true } as never]), sampled: false };
  assert.deepEqual([bestMeans(won), heatOf(won, moves, [])[0]!.rate], [[1, 0], 1]);
});

test("an evaluation that stands on no simulation is no win rate", () => {
  const evaluated = { ...thought([candidate(0, 50, 0.7)]), sampled: false };
  assert.equal(heatOf(evaluated, [move(0, 0)], [])[0]!.rate, null);
  assert.equal(bestMeans(evaluated), null);
  assert.deepEqual(bestMeans({ ...evaluated, sampled: true })?.[0], 0.7);
});

test("a few simulations, as before a search is compiled, are no win rate, unless the result is certain", () => {
  assert.equal(bestMeans(thought([candidate(0, 6, 1), candidate(1, 4, 0)])), null);
  assert.deepEqual(bestMeans(thought([candidate(0, 16, 0.5), candidate(1, 4, 0)])), [0.5, 0.5]);
  assert.deepEqual(bestMeans(thought([{ ...candidate(0, 2, 1), proven: true }])), [1, 0]);
});

test("what a network judged is not called a simulation, and its means are win rates", () => {
  const learned = { ...thought([candidate(0, 50, 0.7)]), sampled: false, learned: true };
  assert.equal(workWord(learned), "iterations_learned");
  assert.equal(bestMeans(learned)?.[0], 0.7);
  assert.deepEqual([workWord({ ...learned, learned: false }), workWord(thought([candidate(0, 1, 1)]))], ["positions_done", "iterations_done"]);
});

test("moves of several words are kept apart, and values with a name are called by it", () => {
  assert.equal(lineTitle(["h8", "i9"]), "h8 i9");
  assert.equal(lineTitle(["5 from 3", "2 from 1"]), "5 from 3, 2 from 1");
  assert.match(presetTitle("go:size=9,rules=japanese"), /Japanese$/);
});

test("the work behind a thought has the visits of the kept tree in it, as the candidates do", () => {
  assert.equal(workOf({ ...thought([candidate(0, 10_400, 0.5)]), iterations: 1, kept: 10_399 }), 10_400);
});
