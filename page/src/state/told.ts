/** Sentences of the server, which speaks English, in the chosen language. */
import { OFFLINE } from "../socket";
import { catalogue, language, say, type Word } from "../words";
import { gameTitle } from "./format";

const known = Object.entries(catalogue)
  .filter(([word]) => word.startsWith("told_"))
  .map(([word, phrase]) => ({ word: word as Word, pattern: patternOf(phrase.en) }));

/** `on {game}` finds `on hex`, and what the game is. */
function patternOf(phrase: string): RegExp {
  const plain = phrase.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${plain.replace(/\{(\w+)\}/g, "(?<$1>.+?)")}$`);
}

/** A sentence of the server as people of the chosen language say it, where the catalogue has it (`told_`); else as it is. */
export function sayAgain(sentence: string): string {
  return knownAgain(sentence) ?? sentence;
}

/** What went wrong, for the person; a sentence that the catalogue has not at least begins in the chosen language. */
export function sayTrouble(sentence: string): string {
  if (sentence === OFFLINE) return say("offline");
  return asSentence(knownAgain(sentence) ?? (language.value === "en" ? sentence : say("refused", { sentence })));
}

/** With a capital letter and an end. */
export function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?。？！]$/.test(text) ? "" : language.value === "zh" ? "。" : "."}`;
}

function knownAgain(sentence: string): string | null {
  for (const { word, pattern } of known) {
    const found = pattern.exec(sentence);
    if (found) return say(word, Object.fromEntries(Object.entries(found.groups ?? {}).map(([name, value]) => [name, titled(name, value)])));
  }
  return null;
}

function titled(name: string, value: string): string {
  if (name === "games") return value.split(", ").map(gameTitle).join(say("comma"));
  return name === "game" ? gameTitle(value) : sayAgain(value);
}
