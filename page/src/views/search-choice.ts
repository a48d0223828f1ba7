/** Whose search a walk goes through: plain UCT, that of a program at the table, or the strongest one. */
import type { Seat } from "../protocol";

export interface Walked {
  key: string;
  seat: Seat | null; // null: plain UCT
}

export const PLAIN: Walked = { key: "plain", seat: null };
const SEARCHERS = new Set(["mcts", "strong", "level"]);

/** The searches to choose from at a table, each once; how long a player thinks makes no other search of it. */
export function searchesAt(seats: Seat[]): Walked[] {
  const found = new Map([[PLAIN.key, PLAIN]]);
  const all: Seat[] = [...seats, { kind: "player", name: "strong" }];
  for (const { kind, name = "", level, options } of all) {
    if (kind !== "player" || !SEARCHERS.has(name)) continue;
    const seat: Seat = { kind, name, ...(level && { level }), ...(options && { options }) };
    found.set(JSON.stringify(seat), { key: JSON.stringify(seat), seat });
  }
  return [...found.values()];
}
