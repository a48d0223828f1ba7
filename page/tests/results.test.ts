import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed, percent } from "../src/state/format";
import { eloText, ranked, type Standing } from "../src/views/stored-games";
import { whyEmpty } from "../src/views/score-terms";
import type { Branch } from "../src/views/tree-data";

test("per cents are rounded as in the terminal and the reports, so that both sides of a match are 100.0 together", () => {
  assert.deepEqual([percent(0.2625, 1), percent(0.7375, 1)], ["26.2 %", "73.8 %"]);
  assert.deepEqual([0.5, 1.5, 2.5, -1.5, 2.675, 1e-9, 37.5].map((each) => fixed(each, 0)), ["0", "2", "2", "-2", "3", "0", "38"]);
  assert.deepEqual([fixed(0.125, 2), fixed(0.375, 2), fixed(-26.25, 1), fixed(26.2500001, 1)], ["0.12", "0.38", "-26.2", "26.3"]);
  for (let games = 1; games <= 200; games++)
    for (let points = 0; points <= 2 * games; points++) {
      const [one, other] = [points / (2 * games), (2 * games - points) / (2 * games)];
      assert.equal(Math.round(10 * (parseFloat(percent(one, 1)) + parseFloat(percent(other, 1)))), 1000);
    }
});

const standing = (label: string, score: number, elo: number | null, error: number | null = null): Standing => ({ label, score, elo, error, games: 4, wins: 1, draws: 1, losses: 2, interval: null });

test("players of a tournament are ranked by Elo, or by their score, and Elo is told with its error", () => {
  const rows = [standing("b", 0.4, -20.4, 11.6), standing("c", 0.4, 51.5), standing("a", 0.4, -20.4)];
  assert.deepEqual(ranked(rows).map((row) => row.label), ["c", "a", "b"]);
  assert.deepEqual(rows.map(eloText), ["−20 ±12", "+52", "−20"]);
  assert.equal(eloText(standing("d", 1, null)), "–");
});

test("what is said instead of a comparison of moves is true of the tree", () => {
  const node = (visits: number, children: Branch[] = [], more: Partial<Branch> = {}): Branch => ({
    action: 0, name: "a", player: 0, visits, means: [0.5, 0.5], value: null, state: "visited", proven: false, cut: false, children, hidden: 0, ...more,
  });
  assert.equal(whyEmpty(node(853_701, [node(500_000), node(353_701)])), "waits");
  assert.equal(whyEmpty(node(1, [])), "nothing");
  assert.equal(whyEmpty(node(373_175, [node(373_160)], { hidden: 6 })), "waits");
  assert.equal(whyEmpty(node(900, [node(890)], { hidden: 6, proven: true })), "certain");
  assert.equal(whyEmpty(node(900, [node(900)], { state: "fully expanded" })), "one");
  assert.equal(whyEmpty(node(900, [node(900)], { proven: true })), "certain");
});
