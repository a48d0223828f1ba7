import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseLanguage, say } from "../src/words";

test("a phrase is said in the chosen language, with its values", () => {
  chooseLanguage("en");
  assert.equal(say("wins", { player: "X" }), "X wins");
  chooseLanguage("zh");
  assert.equal(say("wins", { player: "X" }), "X 胜");
});
