import assert from "node:assert/strict";
import { test } from "node:test";
import { presetTitle } from "../src/state/format";
import { sayAgain } from "../src/state/told";
import { chooseLanguage, say } from "../src/words";

test("a phrase is said in the chosen language, with its values", () => {
  chooseLanguage("en");
  assert.equal(say("wins", { player: "X" }), "X wins");
  chooseLanguage("zh");
  assert.equal(say("wins", { player: "X" }), "X 胜");
});

test("sentences of the server are said in the chosen language, with the games in it", () => {
  const told = "strong was measured on gomoku, connect4: on go:size=9 it has what did best on a game like it";
  chooseLanguage("zh");
  assert.equal(sayAgain(told), "“最强”在五子棋、四子棋上实测过，在围棋 (大小 9)上沿用相近棋类的最佳设置。");
  assert.equal(sayAgain("nothing like it"), "nothing like it");
  chooseLanguage("en");
  assert.equal(sayAgain("strong was not measured on hex: it is plain mcts there"), "strong was not measured on Hex: it is plain mcts there");
});

test("parameters are called as the form calls them", () => {
  chooseLanguage("en");
  assert.deepEqual(["five3d", "five3d:size=5,run=4", "qubic:gravity=true"].map(presetTitle), ["usual", "size 5, in a row 4", "stones fall"]);
  chooseLanguage("zh");
  assert.equal(presetTitle("five3d:size=5,run=4"), "大小 5，连珠数 4");
});
