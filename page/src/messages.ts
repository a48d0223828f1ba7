/** What the page says. It is written in English; the catalogue has the Chinese of each template. */
import { signal } from "@preact/signals";
import { recall, remember } from "./state/local-storage";
import type chinese from "./zh.json"; // built from the Python package's PO file

/** A template of the catalogue; `tree|score` is "score" as the tree means it. */
export type Word = keyof typeof chinese;
export type Language = "en" | "zh";
export type Values = Record<string, string | number>;

const catalogue = signal<Record<string, string>>({});
export const language = signal<Language>("en");

/** Speak the language that was chosen before, or the browser's, as soon as its catalogue is there. */
export function beginToSpeak(): Promise<void> {
  const wanted = recall("language") ?? (typeof navigator === "undefined" ? "en" : navigator.language);
  return speak(wanted.startsWith("zh") ? "zh" : "en");
}

export function chooseLanguage(chosen: Language): Promise<void> {
  remember("language", chosen);
  return speak(chosen);
}

async function speak(chosen: Language): Promise<void> {
  catalogue.value = chosen === "zh" ? (await import("./zh.json")).default : {};
  language.value = chosen;
}

/** A template in the chosen language; null where the catalogue has none. */
export function templateOf(english: string): string | null {
  return language.value === "en" ? english.replace(/^[a-z]+\|/, "") : (catalogue.value[english] ?? null);
}

/** A template with `{name}` replaced by the value of that name. */
export function filled(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A sentence of the page in the chosen language. */
export function say(word: Word, values: Values = {}): string {
  return filled(templateOf(word) ?? word, values);
}

/** A text of the server in the chosen language where the catalogue has it; else as it is. */
export function sayIfKnown(text: string): string {
  return templateOf(text) ?? text;
}

/** What something with a name is called, by a table of names. */
export function called(names: Record<string, Word>, name: string, otherwise = name): string {
  return Object.hasOwn(names, name) ? say(names[name]!) : otherwise;
}
