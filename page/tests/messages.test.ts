import assert from "node:assert/strict";
import { test } from "node:test";
import { presetTitle } from "../src/state/format";
import { tell } from "../src/state/told";
import { chooseLanguage, say } from "../src/messages";

test("a template is said in the chosen language, with its values, and as its context means it", async () => {
  await chooseLanguage("en");
  assert.deepEqual([say("{player} wins", { player: "X" }), say("stones|Black")], ["X wins", "Black"]);
  await chooseLanguage("zh");
  assert.deepEqual([say("{player} wins", { player: "X" }), say("stones|Black"), say("Black")], ["X 胜", "黑", "黑方"]);
});

test("sentences of the server are said in the chosen language, with the games and the sentences in it", async () => {
  const games = { template: ", ", values: {}, parts: ["gomoku", "connect4"] };
  const strong = { template: "strong was measured on {games}: on {game} it has the options of the most similar game", values: { games, game: "go:size=9" } };
  const kept = { template: "the game can't be kept ({reason}), so nothing was changed", values: { reason: { template: "the disk is full", values: {} } } };
  const rows = { template: "; {count} row could not be read", values: { count: "2" }, many: "; {count} rows could not be read", number: 2 };
  await chooseLanguage("zh");
  assert.equal(tell(strong), "“最强”在五子棋、四子棋上实测过，在围棋 (大小 9)上沿用相近棋类的最佳设置。");
  assert.deepEqual([tell(kept), tell(rows)], ["对局无法保存（磁盘已满），未作任何改动。", "；2 行无法读取"]);
  assert.deepEqual([tell("the game is over"), tell("nothing like it")], ["对局已结束。", "nothing like it"]);
  await chooseLanguage("en");
  assert.deepEqual([tell(kept), tell(rows)], ["the game can't be kept (the disk is full), so nothing was changed", "; 2 rows could not be read"]);
  assert.match(tell(strong), /^strong was measured on Gomoku, Connect Four: on Go \(size 9\) it has/);
});

test("parameters are called as the form calls them", async () => {
  await chooseLanguage("en");
  assert.deepEqual(["five3d", "five3d:size=5,win_length=4", "qubic:gravity=true"].map(presetTitle), ["usual", "size 5, in a row 4", "stones fall"]);
  await chooseLanguage("zh");
  assert.equal(presetTitle("five3d:size=5,win_length=4"), "大小 5，连珠数 4");
});
