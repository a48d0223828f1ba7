/** Which thoughts are shown now, by what the person wishes: hints off, on, or after the move. */
import { computed } from "@preact/signals";
import type { Candidate, Thinking } from "../protocol";
import { asked, before, hints, looking, lookingThought, myTurn, ofTable, shown, table, thinking } from "../state/store";

export const pointedAction = ofTable<number | null>(null); // the candidate that one points at

/** The thoughts about the position on the board; null if there are none, or none to be seen. */
export const visibleThought = computed<Thinking | null>(() => {
  if (looking.value !== null) return lookingThought.value ?? stored();
  if (asked.value && !table.value?.over) return asked.value;
  if (hints.value === "off" || (hints.value === "after" && myTurn.value)) return null;
  return thinking.value;
});

/** Search result of the move that was just made, for those who want to know it afterwards. */
export const afterThought = computed<Thinking | null>(() =>
  looking.value === null && hints.value === "after" && before.value ? before.value : null,
);

function stored(): Thinking | null {
  const found = shown.value?.thought;
  if (!found) return null;
  const move = shown.value!.move;
  const by = table.value?.moves[move]?.by ?? null;
  return { type: "thinking", what: "move", seat: by, move, thought: found, rate: 0, threads: 0, engine: "full", guess: false, few: false, done: true };
}

/** The candidates worth a row, the most visited first. */
export function leading(thinking: Thinking, count: number): Candidate[] {
  const { candidates, action } = thinking.thought;
  const visited = candidates.filter((each) => each.visits > 0 || each.proven || each.action === action);
  const sorted = [...visited].sort((one, other) => other.visits - one.visits);
  const first = sorted.findIndex((each) => each.action === action);
  if (first > 0) sorted.unshift(...sorted.splice(first, 1));
  return sorted.slice(0, count);
}
