import assert from "node:assert/strict";
import { test } from "node:test";
import { longestLine } from "../src/lessons/alliance";
import { anyArm, drawChances, greedy, newPuller, pull, regretBound, ucb1, upperBound, type Chooser } from "../src/lessons/bandit";
import { along, roundTicks } from "../src/lessons/chart";
import { estimateOf, expectedError, isWorthKeeping, throwDart } from "../src/lessons/monte-carlo";
import { randomFrom } from "../src/lessons/random";
import { grouped, kindOf, wholeTitle, winningSeats, type Listed } from "../src/views/stored-games";

test("random numbers repeat from a seed, lie in [0, 1) and have the mean of a half", () => {
  const [one, same, other] = [randomFrom(5), randomFrom(5), randomFrom(6)];
  const drawn = Array.from({ length: 20_000 }, () => one());
  assert.deepEqual(drawn.slice(0, 5), Array.from({ length: 5 }, () => same()));
  assert.notEqual(drawn[0], other());
  assert.ok(drawn.every((each) => each >= 0 && each < 1));
  assert.ok(Math.abs(drawn.reduce((sum, each) => sum + each, 0) / drawn.length - 0.5) < 0.01);
});

test("points give pi within a few of the errors that are to be expected, and a hundred times as many ten times as well", () => {
  const random = randomFrom(1);
  const count = { thrown: 0, inside: 0 };
  for (; count.thrown < 100_000; count.thrown++) if (throwDart(random).inside) count.inside++;
  assert.ok(Math.abs(estimateOf(count) - Math.PI) < 4 * expectedError(count.thrown));
  assert.ok(Math.abs(expectedError(100) / expectedError(10_000) - 10) < 1e-9);
  assert.ok(Math.abs(expectedError(1) - 1.6422) < 1e-4);
});

test("a history for a logarithmic axis stays short", () => {
  let [last, kept] = [0, 0];
  for (let thrown = 1; thrown <= 1_000_000; thrown++)
    if (isWorthKeeping(last, thrown)) [last, kept] = [thrown, kept + 1];
  assert.ok(kept > 100 && kept < 400);
});

test("UCB1 is the mean and sqrt(2 ln n / n_j), and an arm that was never pulled comes first", () => {
  assert.ok(Math.abs(upperBound({ pulls: 4, wins: 3 }, 20) - (0.75 + Math.sqrt((2 * Math.log(20)) / 4))) < 1e-12);
  const arms = [{ pulls: 5, wins: 5 }, { pulls: 0, wins: 0 }];
  assert.equal(ucb1(arms, Math.random), 1);
});

function regretOf(chooser: Chooser, seed: number, pulls: number): number {
  const chances = drawChances(5, randomFrom(seed));
  const random = randomFrom(seed + 1);
  let puller = newPuller(5);
  for (let index = 0; index < pulls; index++) puller = pull(puller, chooser(puller.arms, random), chances, random);
  assert.ok(chooser !== ucb1 || puller.regret.at(-1)! < regretBound(chances, pulls));
  return puller.regret.at(-1)!;
}

test("UCB1 loses less than any arm would, stays below its theorem, and grows as a logarithm", () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const total = (chooser: Chooser, pulls: number) => seeds.reduce((sum, seed) => sum + regretOf(chooser, seed, pulls), 0);
  assert.ok(total(ucb1, 2000) < 0.5 * total(anyArm, 2000));
  assert.ok(total(ucb1, 2000) / total(ucb1, 500) < 3); // four times the pulls
  assert.ok(total(greedy, 2000) > 0);
});

test("values lie along an axis, linear and logarithmic, and ticks are round", () => {
  assert.equal(along({ from: 0, to: 10, ticks: [], name: "" }, 2.5), 0.25);
  assert.ok(Math.abs(along({ from: 1, to: 10_000, ticks: [], logarithmic: true, name: "" }, 100) - 0.5) < 1e-12);
  assert.deepEqual(roundTicks(10), [0, 5, 10]);
  assert.deepEqual(roundTicks(37), [0, 10, 20, 30]);
});

test("the longest line through a cell of a cube is found in any direction", () => {
  const diagonal = [0, 43, 86, 129, 172]; // layer, row and column grow together
  assert.deepEqual(longestLine(new Set([...diagonal, 1, 2]), 86, 6), diagonal);
  assert.deepEqual(longestLine(new Set([4, 5, 6, 7]), 5, 6), [4, 5]); // a row ends at the edge
});

const LISTED: Listed = { id: "a", kind: "match", game: "go", players: ["x", "y"], finished: 3, wanted: 4, asked: "2026-01-01", running: false, part_of: "", scores: [0.5, 0.5] };

test("contests of one tuning or experiment are one line, and the newest comes first", () => {
  const groups = grouped([
    LISTED,
    { ...LISTED, id: "b", part_of: "tuning 12", asked: "2026-01-03", running: true },
    { ...LISTED, id: "c", part_of: "tuning 12", asked: "2026-01-02" },
    { ...LISTED, id: "d", kind: "round-robin", asked: "2026-01-04" },
  ]);
  assert.deepEqual(groups.map(kindOf), ["tournament", "tuning", "match"]);
  assert.deepEqual([groups[1]!.finished, groups[1]!.wanted, groups[1]!.running], [6, 8, true]);
});

test("who won is told, and a draw is nobody's", () => {
  assert.deepEqual(winningSeats([1, 0]), [0]);
  assert.deepEqual(winningSeats([0.5, 0.5]), []);
  assert.deepEqual(winningSeats([0, 0, 1]), [2]);
});

test("a tuning is called by its game and what is tuned, an experiment by its name", () => {
  const name = "tuning 81779f2f4a73: gomoku:size=9,exactly=true, mcts:iterations=50 with c=0.2:2.0 against random";
  assert.deepEqual(wholeTitle(name), { game: "gomoku:size=9,exactly=true", about: "mcts:iterations=50 with c=0.2:2.0 against random" });
  assert.deepEqual(wholeTitle("exploration"), { game: "", about: "exploration" });
});
