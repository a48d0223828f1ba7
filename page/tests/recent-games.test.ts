import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Table } from "../src/protocol";
import { dropPlace, keepPlace, notePlace, places, playersOf, standOf } from "../src/state/recent-games";
import { chooseLanguage } from "../src/messages";

const kept = new Map<string, string>();
Object.assign(globalThis, {
  localStorage: {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  },
});

const table = (name: string, moves: number, result: number[] | null = null): Table =>
  ({
    table: name, game: "connect4", players: 2, player_names: ["X", "O"], board: null,
    seats: [{ kind: "person" }, { kind: "player", name: "level", level: 3 }],
    moves: Array(moves).fill({}), over: result && { result },
  }) as unknown as Table;

beforeEach(async () => {
  kept.clear();
  await chooseLanguage("en");
});

test("a kept game is known by who played, how far it went and how it ended, not by a number", async () => {
  keepPlace(table("one", 0), "secret");
  notePlace(table("one", 1));
  const [place] = places();
  assert.equal(playersOf(place!), "Person – Level 3");
  assert.match(standOf(place!), / · 1 move$/);
  notePlace(table("one", 12, [1, 0]));
  assert.match(standOf(places()[0]!), /\d{4}.* · 12 moves · X wins$/);
  notePlace(table("one", 12, [0.5, 0.5]));
  assert.match(standOf(places()[0]!), /A draw$/);
  await chooseLanguage("zh");
  assert.match(standOf(places()[0]!), /2\d{3}年.*12 手 · 和棋$/);
});

test("the newest game comes first, a table that one left is not changed, and what is gone is forgotten", () => {
  for (const name of ["one", "two"]) keepPlace(table(name, 0), `secret of ${name}`);
  notePlace(table("one", 5));
  notePlace(table("somebody else's", 5));
  assert.deepEqual(places().map((place) => [place.table, place.moves, place.secret]), [["two", 0, "secret of two"], ["one", 5, "secret of one"]]);
  dropPlace(places()[0]!);
  assert.deepEqual(places().map((place) => place.table), ["one"]);
});

test("places of an older page, which knew only the game, are still there", () => {
  kept.set("luozi.places", JSON.stringify([{ table: "old", secret: "s", game: "go" }]));
  assert.equal(playersOf(places()[0]!), "");
  assert.equal(standOf(places()[0]!), "");
});
