import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue, chooseLanguage, say } from "../src/words";

test("a phrase is said in the chosen language, with its values", () => {
  chooseLanguage("en");
  assert.equal(say("wins", { player: "X" }), "X wins");
  chooseLanguage("zh");
  assert.equal(say("wins", { player: "X" }), "X 胜");
});

test("every phrase is there in both languages, with the same values", () => {
  const names = (phrase: string): string[] => [...phrase.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!).sort();
  for (const [key, phrase] of Object.entries(catalogue)) {
    assert.ok(phrase.en && phrase.zh, key);
    assert.deepEqual(names(phrase.en), names(phrase.zh), key);
  }
});
