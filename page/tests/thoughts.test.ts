import assert from "node:assert/strict";
import { test } from "node:test";
import { heatOf, owner, ownershipOf } from "../src/boards/heat";
import type { Candidate, Thought, Value } from "../src/protocol";
import { charted, chancesText, isGuess, isKnown, partTexts, perCents } from "../src/state/chances";
import { workOf, workWord } from "../src/state/updates";
import { compact, lineTitle, presetTitle, wilson } from "../src/state/format";
import { move } from "./boards";

const FEWEST = 100;

const value = (chances: number[], draw = 0, kind: Value["kind"] = "wins"): Value => ({ chances, draw, kind, few: false });
const few: Value = { chances: null, draw: null, kind: "wins", few: true };

/** A candidate of a search of two players, as the server tells it: without numbers where it has few visits. */
const candidate = (action: number, visits: number, mean: number): Candidate => ({
  action, name: String(action), visits, value: visits === 0 ? null : visits < FEWEST ? few : value([mean, 1 - mean]), proven: false, cut: false, prior: null, line: [], line_names: [],
});

const certain = (action: number, visits: number, results: number[], draw = 0): Candidate => ({ ...candidate(action, visits, 0), proven: true, value: value(results, draw, "proven") });

const thought = (candidates: Candidate[]): Thought => ({
  action: candidates[0]!.action, player: 0, candidates, variation: [], iterations: 100, seconds: 1, nodes: 1, depth: 1, sampled: true,
  ownership: null, threads: [], notice: "", fewest: FEWEST, value: candidates[0]!.value,
});

test("the most visited cell is the warmest, and unvisited cells are cold", () => {
  const heat = heatOf(thought([candidate(1, 800, 0.6), candidate(0, 200, 0.5), candidate(2, 0, 0)]), [move(0, 0), move(1, 1), move(2, 2)], []);
  assert.deepEqual(heat.map((each) => [each.cell, each.share, each.best]), [[1, 1, true], [0, 0.25, false]]);
});

test("moves that begin with the same click share its heat until it is clicked", () => {
  const moves = [move(0, 5, 6), move(1, 5, 7), move(2, 9, 8)];
  const all = thought([candidate(0, 300, 0.6), candidate(1, 110, 0.9), candidate(2, 200, 0.4)]);
  const first = heatOf(all, moves, []);
  assert.deepEqual(first.map((each) => [each.cell, each.visits]), [[5, 410], [9, 200]]);
  assert.equal(first[0]!.told, "60"); // of the most visited move
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

test("below the fewest visits a move has no number and no dot, unless its result is certain", () => {
  const moves = [move(0, 0), move(1, 1), move(2, 2)];
  const told = (...candidates: Candidate[]) => heatOf(thought(candidates), moves, []).map((each) => [each.cell, each.told]);
  assert.deepEqual(told(candidate(0, 100, 0.8), candidate(1, 99, 1)), [[0, "80"]]);
  assert.deepEqual(told(candidate(0, 1, 1), candidate(1, 1, 1)), []);
  assert.deepEqual(told(certain(0, 1, [1, 0]), certain(1, 1, [0, 0], 1), certain(2, 1, [0, 1])), [[0, "100"], [1, "="], [2, "0"]]);
});

test("numbers that are all the same are left out", () => {
  const moves = [move(0, 0), move(1, 1)];
  const rare = (action: number): Candidate => ({ ...candidate(action, 500, 0), value: value([0.0004, 0.0004], 0.9992) });
  assert.deepEqual(heatOf(thought([rare(0), rare(1)]), moves, []).map((each) => [each.cell, each.told]), [[0, ""], [1, ""]]);
});

test("many moves with few visits of the same piece warm it, without a number", () => {
  const moves = [move(0, 5, 6), move(1, 5, 7), move(2, 9, 8)];
  const heat = heatOf(thought([candidate(0, 60, 1), candidate(1, 60, 1), candidate(2, 60, 1)]), moves, []);
  assert.deepEqual(heat.map((each) => [each.cell, each.told]), [[5, ""]]);
});

test("points and evaluations are no per cents on the board, unless the result is certain", () => {
  const moves = [move(0, 0)];
  const points = { ...thought([{ ...candidate(0, 5000, 0.7), value: null, score: "+340" }]), sampled: false };
  assert.deepEqual(heatOf(points, moves, []).map((each) => each.told), [""]);
  const evaluated = thought([{ ...candidate(0, 500, 0.7), value: value([0.7, 0.3], 0, "evaluation") }]);
  assert.deepEqual(heatOf(evaluated, moves, []).map((each) => each.told), [""]);
  assert.deepEqual(heatOf({ ...points, candidates: [certain(0, 50, [1, 0])] }, moves, []).map((each) => each.told), ["100"]);
});

test("a thought with few visits is a first guess and owns no points", () => {
  const guess = { ...thought([candidate(0, 66, 1)]), iterations: 70, ownership: [[1], [0]] };
  assert.equal(isGuess(guess), true);
  assert.equal(ownershipOf(guess), null);
  assert.equal(isGuess(thought([candidate(0, 166, 1)])), false);
  assert.equal(isGuess(thought([certain(0, 1, [1, 0])])), false);
  assert.deepEqual(ownershipOf({ ...guess, iterations: 170 }), [[1], [0]]);
});

test("wins and the draw are told so that they sum to 100 %, evaluations to 1", () => {
  assert.deepEqual(perCents([1 / 3, 1 / 3, 1 / 3]), [33.4, 33.3, 33.3]);
  const three = value([0.0125, 0.011, 0.0105], 0.966);
  assert.ok(isKnown(three));
  assert.equal(chancesText(three, ["X", "O", "L"], "draw"), "X 1.3 %, O 1.1 %, L 1.0 %, draw 96.6 %");
  const sum = partTexts(three).reduce((all, each) => all + Number.parseFloat(each), 0);
  assert.ok(Math.abs(sum - 100) < 1e-9);
  const rare = value([0.0004, 0.0002, 0], 0.9994);
  assert.ok(isKnown(rare));
  assert.deepEqual(partTexts(rare), ["0.04 %", "0.02 %", "0.00 %", "99.94 %"]);
  const judged = value([0.25, 0.75], 0, "evaluation");
  assert.ok(isKnown(judged));
  assert.deepEqual(partTexts(judged), ["0.250", "0.750"]);
});

test("a chart shows win rates or evaluations, and no position with few visits", () => {
  const [win, judged, end] = [value([0.6, 0.4]), value([0.7, 0.3], 0, "evaluation"), value([1, 0], 0, "proven")];
  assert.deepEqual(charted([few, win, judged, null, end]), { values: [null, win, null, null, end], evaluation: false });
  assert.deepEqual(charted([judged, end]), { values: [judged, end], evaluation: true });
  assert.deepEqual(charted([null, end]), { values: [null, end], evaluation: false });
});

test("what a network judged is not called a simulation", () => {
  const learned = { ...thought([candidate(0, 50, 0.7)]), sampled: false, learned: true };
  assert.equal(workWord(learned), "{count} iterations, evaluated by a network");
  assert.deepEqual([workWord({ ...learned, learned: false }), workWord(thought([candidate(0, 1, 1)]))], ["{count} positions", "{count} simulations"]);
});

test("moves of several words are kept apart, and values with a name are called by it", () => {
  assert.equal(lineTitle(["h8", "i9"]), "h8 i9");
  assert.equal(lineTitle(["5 from 3", "2 from 1"]), "5 from 3, 2 from 1");
  assert.match(presetTitle("go:size=9,rules=japanese"), /Japanese$/);
});

test("the work behind a thought has the visits of the kept tree in it, as the candidates do", () => {
  assert.equal(workOf({ ...thought([candidate(0, 10_400, 0.5)]), iterations: 1, kept: 10_399 }), 10_400);
});
