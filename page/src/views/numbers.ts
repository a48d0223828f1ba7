/** Words of a part of the catalogue that is loaded with the view that needs it. */
import { language, type Language } from "../messages";

export { percent } from "../state/format";

export type Phrases = Record<string, Record<Language, string>>;

/** The words of a part whose keys all begin alike, without that beginning. */
export type WordOf<Part, Prefix extends string> = keyof Part extends infer Key
  ? Key extends `${Prefix}_${infer Word}`
    ? Word
    : never
  : never;

/** A function that says the phrases of one part, with `{name}` replaced by the value of that name. */
export function sayerOf<Part extends Phrases, Prefix extends string>(part: Part, prefix: Prefix) {
  return (word: WordOf<Part, Prefix>, values: Record<string, string | number> = {}): string =>
    part[`${prefix}_${word}`]![language.value].replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** A whole number as people read it: 12,345, and 1.2 M where it gets long. */
export function counted(count: number): string {
  if (count >= 1e7) return `${(count / 1e6).toFixed(1)} M`;
  return Math.round(count).toLocaleString("en");
}
