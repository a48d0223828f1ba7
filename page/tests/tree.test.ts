import assert from "node:assert/strict";
import { test } from "node:test";
import { branchAt, lopsidedness, piecesAfter, placesOf, ROOT, wayTo, withBranch, type Branch, type Step } from "../src/views/tree-data";
import type { Piece } from "../src/protocol";
import { colourOf } from "../src/views/colours";
import { between, chosenPlaces, layOut, neighbour, USUAL } from "../src/views/tree-layout";
import { creditLabels, litPlaces, momentsOf, nextPhase, treeAt } from "../src/views/iteration-phases";
import { searchesAt } from "../src/views/search-choice";
import { gamesToLookAt } from "../src/views/viewed-game";
import { toldAt } from "../src/views/iteration-stage";
import { byVisits, nextChoice, partsOf, standing } from "../src/views/score-terms";
import lesson from "./fixtures/uct.json"; // nine iterations of the real engine on the 2x2 board

const steps = lesson.steps as unknown as Step[];
const trees = lesson.trees as unknown as Branch[];
const start = lesson.view.pieces as Piece[];
const lastTree = trees[8]!;

function node(action: number | null, visits: number, children: Branch[] = []): Branch {
  return { action, name: `m${action}`, player: 0, visits, means: [0.5, 0.5], value: null, state: "visited", proven: false, cut: false, children, hidden: 0 };
}

test("no two nodes of a level overlap, and parents stand over their children", () => {
  const layout = layOut(lastTree);
  assert.equal(layout.nodes.length, 1 + 4 + 5);
  for (const one of layout.nodes)
    for (const other of layout.nodes)
      if (one !== other && one.depth === other.depth)
        assert.ok(Math.abs(one.x - other.x) >= one.radius + other.radius, `${one.place} and ${other.place}`);
  for (const one of layout.nodes) {
    const below = layout.nodes.filter((each) => each.above === one.place).map((each) => each.x);
    if (below.length > 0) assert.ok(one.x >= Math.min(...below) && one.x <= Math.max(...below));
    assert.ok(one.x - one.radius >= 0 && one.x + one.radius <= layout.width);
    assert.ok(one.y - one.radius >= 0 && one.y + one.radius <= layout.height);
  }
});

test("the area of a node follows its visits", () => {
  const layout = layOut(node(null, 1000, [node(0, 640), node(1, 160)]));
  const [root, large, small] = layout.nodes.map((each) => each.radius);
  assert.ok(Math.abs((large! / root!) ** 2 - 0.64) < 1e-9);
  assert.ok(Math.abs((small! / root!) ** 2 - 0.16) < 1e-9);
});

test("where there is no room for all, the tree is drawn deep where the search has been most", () => {
  const deep = node(0, 900, [node(0, 890, [node(0, 880, [node(0, 870)])])]);
  const flat = Array.from({ length: 20 }, (_, action) => node(action + 1, 5));
  const drawn = layOut(node(null, 1000, [deep, ...flat]), { most: 8 });
  assert.equal(Math.max(...drawn.nodes.map((each) => each.depth)), 4);
  assert.equal(drawn.nodes.filter((each) => each.depth === 1).length, 4);
});

test("when there are too many nodes the most visited stay, each with its parent, and the others are counted", () => {
  const children = Array.from({ length: 30 }, (_, action) => node(action, 100 - action, [node(50, 1)]));
  const options = { ...USUAL, most: 12 };
  const chosen = chosenPlaces(node(null, 3000, children), options);
  assert.equal(chosen.size, 12);
  const layout = layOut(node(null, 3000, children), options);
  assert.equal(layout.nodes.find((each) => each.place === ROOT)!.more, 19);
  for (const one of layout.nodes) assert.ok(one.above === null || chosen.has(one.above));
});

test("a folded node hides what is below it", () => {
  const layout = layOut(lastTree, { folded: new Set([ROOT]) });
  assert.equal(layout.nodes.length, 1);
  assert.ok(layout.nodes[0]!.folded);
});

test("a new node grows out of its parent", () => {
  const before = layOut(node(null, 4, [node(0, 3)]));
  const after = layOut(node(null, 9, [node(0, 8, [node(1, 4)])]));
  const fresh = between(before, after, 0).nodes.find((each) => each.place === "0 1")!;
  const parent = before.nodes.find((each) => each.place === "0")!;
  assert.deepEqual([fresh.x, fresh.y, fresh.radius], [parent.x, parent.y, 0]);
  assert.equal(between(before, after, 1), after);
});

test("arrow keys lead to the parent, the most visited child and the neighbours", () => {
  const layout = layOut(node(null, 10, [node(0, 2), node(1, 7), node(2, 1)]));
  assert.equal(neighbour(layout, ROOT, "ArrowDown"), "1");
  assert.equal(neighbour(layout, "1", "ArrowRight"), "2");
  assert.equal(neighbour(layout, "1", "ArrowLeft"), "0");
  assert.equal(neighbour(layout, "1", "ArrowUp"), ROOT);
  assert.equal(neighbour(layout, "2", "ArrowRight"), null);
});

test("a place is found from the root down, and a branch can be put there", () => {
  const places = placesOf(steps[8]!);
  assert.equal(wayTo(lastTree, places[2]!)!.length, 3);
  const changed = withBranch(lastTree, places[2]!, node(99, 7));
  assert.equal(branchAt(changed, places[1]!)!.children.filter((child) => child.action === 99).length, 1);
  assert.equal(branchAt(lastTree, "77"), null);
});

test("unevenness is 0 where all moves are visited alike and grows to 1", () => {
  assert.equal(lopsidedness(node(null, 8, [node(0, 4), node(1, 4)])), 0);
  const uneven = Array.from({ length: 50 }, (_, action) => node(action, action === 7 ? 1000 : 0));
  assert.ok(lopsidedness(node(null, 1000, uneven)) > 0.95);
});

test("an iteration is told in four phases, in order", () => {
  const moments = momentsOf(steps[4]!); // one selected, one new, one simulated
  assert.deepEqual(
    moments.map((moment) => moment.phase),
    ["selection", "selection", "expansion", "simulation", ...Array(3).fill("back-propagation")],
  );
  assert.equal(moments[nextPhase(moments, 0)]!.phase, "expansion");
  assert.deepEqual([...litPlaces(steps[4]!, moments[0]!)], [ROOT]);
  assert.equal(litPlaces(steps[4]!, moments[3]!).size, 3);
});

test("at every moment the tree has the numbers of the engine before, and at the end those after", () => {
  for (let index = 1; index < steps.length; index++) {
    const [before, after, step] = [trees[index - 1]!, trees[index]!, steps[index]!];
    const moments = momentsOf(step);
    const visits = (tree: Branch) => placesOf(step).map((place) => branchAt(tree, place)?.visits ?? null);
    const old = placesOf(step).map((place) => branchAt(before, place)?.visits ?? null);
    assert.deepEqual(visits(treeAt(before, after, step, moments[0]!)), old);
    assert.deepEqual(treeAt(before, after, step, moments.at(-1)!), after);
    const grown = treeAt(before, after, step, moments.find((moment) => moment.phase === "expansion")!);
    assert.equal(branchAt(grown, placesOf(step).at(-1)!)!.visits, 0);
  }
});

test("what is credited is the result of who chose the node", () => {
  const moments = momentsOf(steps[4]!);
  const labels = creditLabels(steps[4]!, moments.at(-1)!, ["X", "O"]);
  assert.deepEqual([...labels.values()], ["n+1 O +0", "n+1 X +1", "n+1"]);
});

test("the moves of a step stand on the board one after the other", () => {
  const step = steps[4]!;
  const moves = step.path.length + step.simulation.length;
  for (let count = 0; count <= moves; count++) assert.equal(piecesAfter(start, step.changes!, count).length, count);
  const taken = [{ add: [[3, 1, ""]] as Piece[], remove: [0, 2] }];
  assert.deepEqual(piecesAfter([[0, 0, ""], [2, 0, ""]], taken, 1), [[3, 1, ""]]);
});

test("the terms of a score lie side by side and end at the score", () => {
  for (const step of steps)
    for (const selection of step.path)
      for (const choice of selection.choices) {
        assert.equal(standing(choice), "scored");
        assert.ok(Math.abs(partsOf(choice).at(-1)!.to - choice.terms["score"]!) < 1e-6);
      }
});

test("the engine goes where the score is best, and so says the page", () => {
  const chosen = steps[8]!.path[0]!;
  const best = Math.max(...chosen.choices.map((choice) => choice.terms["score"]!));
  assert.equal(nextChoice(chosen.choices)!.terms["score"], best);
  const untried = { action: 9, name: "z", visits: 0, terms: {} };
  assert.equal(nextChoice([...chosen.choices, untried]), untried);
  assert.equal(byVisits([untried, ...chosen.choices]).at(-1), untried);
});

test("good is blue, bad is orange, and even is neither", () => {
  assert.equal(colourOf(1, 0.5, false), "rgb(0 114 178)");
  assert.equal(colourOf(0, 0.5, true), "rgb(213 94 0)");
  assert.equal(colourOf(1 / 3, 1 / 3, false), "rgb(236 234 228)");
});

test("every game of the server can be looked at, each once", () => {
  const games = gamesToLookAt(["tictactoe", "gomoku", "go", "hex", "lines", "my_game"]);
  assert.deepEqual(games.slice(-2), ["hex", "my_game"]);
  assert.equal(new Set(games.map((each) => each.split(":")[0])).size, games.length);
});

test("a walk offers plain UCT, the searches at the table and the strongest one, each once", () => {
  const seats = [{ kind: "person" }, { kind: "player", name: "strong", seconds: 1 }, { kind: "player", name: "alphabeta" }, { kind: "player", name: "level", level: 3 }] as const;
  assert.deepEqual(searchesAt([...seats]).map((each) => each.seat?.name ?? "plain"), ["plain", "strong", "level"]);
  assert.deepEqual(searchesAt([]).map((each) => each.seat?.name ?? "plain"), ["plain", "strong"]);
});

test("where a network judges, no random game is told, and a guess may send selection to an untried move", () => {
  const choice = (action: number, visits: number) => ({ action, name: `m${action}`, visits, terms: { mean: 0, exploration: 0.5, score: 0.5 } });
  const path = [{ player: 0, visits: 1, choices: [choice(0, 1), choice(1, 0)], chosen: 1, name: "m1", new: true }];
  const step: Step = { path, simulation: [], credit: [0.75, 0.25], reasons: [], judged: true };
  const told = momentsOf(step).map((moment) => toldAt(step, moment, ["X", "O"]));
  assert.match(told[0]!, /m1 has the highest score/);
  assert.match(told[2]!, /network evaluates the position instead of a playout: X 0.75, O 0.25/);
});
