import assert from "node:assert/strict";
import { test } from "node:test";
import type { Parameter } from "../src/protocol";

// The store opens a socket only when it is started, but it looks at the address.
Object.assign(globalThis, { location: { href: "http://127.0.0.1/", hash: "" } });
const { allowed, chosenOffer, ownFirst, spell, unspell, usualSeats } = await import("../src/state/catalog");

const size: Parameter = { name: "size", kind: "int", default: 15, low: 1, high: 45, choices: [], meaning: "" };
const exactly: Parameter = { name: "exactly", kind: "bool", default: false, low: null, high: null, choices: [], meaning: "" };

test("a spelling names only what is not as usual", () => {
  const offer = { name: "gomoku", parameters: [size, exactly] };
  assert.equal(spell(offer, { size: "15" }), "gomoku");
  assert.equal(spell(offer, { size: "9", exactly: "true" }), "gomoku:size=9,exactly=true");
  assert.deepEqual(unspell("gomoku:size=9,exactly=true"), { name: "gomoku", values: { size: "9", exactly: "true" } });
});

test("a value outside its range is not allowed", () => {
  assert.deepEqual(["9", "46", "", "2.5", "x"].map((text) => allowed(size, text)), [true, false, false, false, false]);
});

test("a person begins against the program, whatever the number of seats", () => {
  assert.deepEqual(usualSeats(3).map((seat) => seat.kind), ["person", "player", "player"]);
  assert.equal(usualSeats(2, [{ kind: "player", name: "random" }])[0]!.name, "random");
});

test("who starts the server with a game of their own finds it first", () => {
  const house = [{ name: "tictactoe", own: false }, { name: "gomoku", own: false }];
  const mine = { name: "morris", own: true };
  assert.deepEqual(ownFirst([...house, mine]).map((each) => each.name), ["morris", "tictactoe", "gomoku"]);
  assert.equal(chosenOffer([...house, mine], "")?.name, "morris");
  assert.equal(chosenOffer([...house, mine], "tictactoe")?.name, "tictactoe");
  assert.equal(chosenOffer(house, "")?.name, "gomoku");
});
