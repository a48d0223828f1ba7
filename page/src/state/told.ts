/** Sentences of the server in the chosen language. They come as templates with values, or as fixed English texts. */
import { filled, language, say, templateOf, type Values } from "../messages";
import { gameTitle } from "./format";
import { OFFLINE, type Sentence, ServerError, type Told } from "../socket";

/** A sentence of the server as people of the chosen language say it; in English where the catalogue has it not. */
export function tell(sentence: Sentence): string {
  return told(sentence, (english) => templateOf(english) ?? english);
}

function told(sentence: Sentence, template: (english: string) => string): string {
  if (typeof sentence === "string") return template(sentence);
  if (sentence.parts) return sentence.parts.map((part) => told(part, template)).join(template(sentence.template));
  const values: Values = {};
  for (const [name, value] of Object.entries(sentence.values)) values[name] = valueOf(name, value, template);
  return filled(template(sentence.many && language.value === "en" && sentence.number !== 1 ? sentence.many : sentence.template), values);
}

function valueOf(name: string, value: Sentence | number, template: (english: string) => string): string {
  if (name === "game" && typeof value === "string") return gameTitle(value);
  if (name === "games" && typeof value !== "number") return gamesOf(value).map(gameTitle).join(say("list|, "));
  return typeof value === "string" || typeof value === "number" ? String(value) : told(value, template);
}

const gamesOf = (value: Sentence): string[] => (typeof value === "string" ? [value] : (value.parts ?? []).map(String));

/** What went wrong, for the person; a sentence that the catalogue has not at least begins in the chosen language. */
export function sayTrouble(sentence: Sentence): string {
  if (sentence === OFFLINE) return say("The server could not be reached: try again.");
  const known = templateOf(typeof sentence === "string" ? sentence : sentence.template) !== null;
  return asSentence(known ? tell(sentence) : say("Request failed: {sentence}", { sentence: tell(sentence) }));
}

/** The sentence of whatever was thrown. */
export function sentenceOf(error: unknown): Sentence {
  return error instanceof ServerError ? error.sentence : error instanceof Error ? error.message : String(error);
}

/** With a capital letter and an end. */
export function asSentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?。？！]$/.test(text) ? "" : language.value === "zh" ? "。" : "."}`;
}

export type { Sentence, Told };
