/** What went wrong: one sentence, and where the person acted, so that it is shown there. */
import { computed, signal } from "@preact/signals";
import type { Sentence } from "../socket";

/** Where a person acts. What has no place of its own on the view at hand is shown below everything (`page`). */
export type Where = "begin" | "kept" | "board" | "typed" | "actions" | "seats" | "analysis" | "review" | "record" | "page";

export interface Trouble {
  where: Where;
  sentence: Sentence; // as the server said it: it is translated when it is shown
  gone?: boolean; // what was asked for is not there any more
}

export const trouble = signal<Trouble | null>(null);
const places = signal<Where[]>([]); // those on the view at hand

/** What no place on this view shows. */
export const strayTrouble = computed(() => (trouble.value && !places.value.includes(trouble.value.where) ? trouble.value : null));

const WHERE: Partial<Record<string, Where>> = {
  new: "begin", load: "begin", paste: "begin", edit: "begin", hello: "kept", play: "board", seat: "seats", save: "record",
  hint: "actions", undo: "actions", move_now: "actions", stop: "actions", go_on: "actions", resign: "actions",
  analyse: "analysis", goto: "review", from_here: "review",
};

/** Where a message of the page is sent from. */
export function whereOf(type: string): Where {
  return WHERE[type] ?? "page";
}

export function complain(sentence: Sentence, where: Where = "page", gone = false): Trouble {
  return (trouble.value = gone ? { where, sentence, gone } : { where, sentence });
}

/** Nothing is wrong any more, at these places or at all. */
export function forgive(...where: Where[]): void {
  if (trouble.value && (where.length === 0 || where.includes(trouble.value.where))) trouble.value = null;
}

/** Another view is shown: what was refused on the last one is over, but not what led here. */
export function leaveView(): void {
  if (trouble.value && trouble.value.where !== "kept" && trouble.value.where !== "page") trouble.value = null;
}

/** Say that a place is there to show troubles; call the result when it is gone. */
export function offerPlace(where: Where): () => void {
  places.value = [...places.value, where];
  return () => {
    const at = places.value.indexOf(where);
    places.value = places.value.filter((_, index) => index !== at);
  };
}
