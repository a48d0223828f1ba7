/** What the page says, in the chosen language, from the catalogue that the Python package holds. */
import { signal } from "@preact/signals";
import page from "../../src/luozi/words/page.json";
import told from "../../src/luozi/words/told.json";
import views from "../../src/luozi/words/views.json";
import { recall, remember } from "./state/memory";

// A part of the catalogue is one JSON file and one line here.
export const catalogue = { ...page, ...told, ...views };

export type Word = keyof typeof catalogue;
export type Language = "en" | "zh";

const wanted = recall("language") ?? (typeof navigator === "undefined" ? "en" : navigator.language);
export const language = signal<Language>(wanted.startsWith("zh") ? "zh" : "en");

export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  remember("language", chosen);
}

/** A phrase of the catalogue, with `{name}` replaced by the value of that name. */
export function say(word: Word, values: Record<string, string | number> = {}): string {
  const phrase = catalogue[word][language.value];
  return phrase.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** What a text of the server means in the chosen language, where the catalogue has it; else the text as it is. */
export function sayIfKnown(word: string, otherwise: string): string {
  return Object.hasOwn(catalogue, word) ? say(word as Word) : otherwise;
}
