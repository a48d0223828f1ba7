import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowsOf, drawnLine } from "../src/boards/line";
import type { Change, Thought } from "../src/protocol";
import { move } from "./boards";

const candidate = (action: number, visits: number) => ({ action, visits, proven: false, cut: false });
const thought = (...candidates: ReturnType<typeof candidate>[]) => ({ action: candidates[0]!.action, player: 1, candidates }) as unknown as Thought;
const placed = (cell: number, player: number): Change => ({ add: [[cell, player, ""]], remove: [], clicks: [cell], player });

test("a hint for a move with a source is an arrow to where it goes, and a move of one cell needs none", () => {
  const moves = [move(0, 5, 1), move(1, 5, 2), move(2, 6, 3), move(3, 7, 4)];
  const arrows = arrowsOf(thought(candidate(0, 80), candidate(1, 40), candidate(2, 4), candidate(3, 0)), moves, []);
  assert.deepEqual(arrows.map(({ from, to, share, best }) => [from, to, share, best]), [[5, 1, 1, true], [5, 2, 0.5, false]]);
  assert.deepEqual(arrowsOf(thought(candidate(0, 80)), moves, [5]), []);
  assert.deepEqual(arrowsOf(thought(candidate(0, 80)), [move(0, 5)], []), []);
});

test("the shot of a queen is a second arrow, which stays once she has moved", () => {
  const moves = [move(0, 5, 1, 3)];
  const two = arrowsOf(thought(candidate(0, 9)), moves, []).map(({ from, to, then }) => [from, to, then ?? false]);
  assert.deepEqual(two, [[5, 1, false], [1, 3, true]]);
  assert.deepEqual(arrowsOf(thought(candidate(0, 9)), moves, [5]).map(({ from, to }) => [from, to]), [[1, 3]]);
});

test("the stones of a line are of who moves there, in any order of turns", () => {
  const { ghosts, arrows } = drawnLine([placed(4, 0), placed(0, 0), placed(8, 1), { add: [], remove: [], clicks: [], player: 1 }, placed(2, 0)]);
  assert.deepEqual(ghosts.map(({ cell, player, text }) => [cell, player, text]), [[4, 0, "1"], [0, 0, "2"], [8, 1, "3"], [2, 0, "5"]]);
  assert.deepEqual(arrows, []);
});

test("a line of moves with a source is drawn as arrows, and a cell keeps its first number", () => {
  const moved = (from: number, to: number, player: number): Change => ({ add: [[to, player, "man"]], remove: [from], clicks: [from, to], player });
  const { ghosts, arrows } = drawnLine([moved(1, 2, 0), moved(9, 8, 1), moved(2, 3, 0), moved(8, 2, 1)]);
  assert.deepEqual(ghosts.map(({ cell, text }) => [cell, text]), [[2, "1"], [8, "2"], [3, "3"]]);
  assert.deepEqual(arrows.map(({ from, to, player }) => [from, to, player]), [[1, 2, 0], [9, 8, 1], [2, 3, 0], [8, 2, 1]]);
});

test("where choosing a piece is a move of its own, it and the next one are one arrow", () => {
  const choice: Change = { add: [], remove: [], clicks: [3], player: 0 };
  const going: Change = { add: [[23, 0, "queen"]], remove: [3], clicks: [23], player: 0 };
  const shot: Change = { add: [[26, -1, "arrow"]], remove: [], clicks: [26], player: 0 };
  const { ghosts, arrows } = drawnLine([choice, going, shot, { ...choice, player: 1 }]);
  assert.deepEqual(arrows.map(({ from, to, best }) => [from, to, best]), [[3, 23, true]]);
  assert.deepEqual(ghosts.map(({ cell, text }) => [cell, text]), [[23, "1"], [26, "2"], [3, "3"]]);
});
