/** What the browser keeps between visits: the table that one sits at, the language, the looks. */
const PREFIX = "luozi.";

export function recall(name: string): string | null {
  try {
    return globalThis.localStorage?.getItem(PREFIX + name) ?? null;
  } catch {
    return null; // a browser may forbid it
  }
}

export function remember(name: string, value: string | null): void {
  try {
    if (value === null) globalThis.localStorage?.removeItem(PREFIX + name);
    else globalThis.localStorage?.setItem(PREFIX + name, value);
  } catch {
    // then it is forgotten
  }
}
