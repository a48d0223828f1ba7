/** The formula of selection, taken apart: which terms a score adds up, and how two moves differ in them. */
import type { Word } from "../messages";
import type { Branch, Choice } from "./tree-data";

/** In the order in which they are drawn; all other terms only go into these. */
export const SUMMANDS = ["mean", "others", "known", "exploration", "history"] as const;
export type Summand = (typeof SUMMANDS)[number];

export interface Part {
  term: Summand;
  from: number;
  to: number;
}

/** The terms of a score side by side on one axis; negative ones go back from where the others ended. */
export function partsOf(choice: Choice): Part[] {
  let at = 0;
  const parts: Part[] = [];
  for (const term of SUMMANDS) {
    const value = choice.terms[term];
    if (typeof value !== "number" || value === 0) continue;
    parts.push({ term, from: Math.min(at, at + value), to: Math.max(at, at + value) });
    at += value;
  }
  return parts;
}

export function scoreOf(choice: Choice): number | null {
  return choice.terms.score ?? null;
}

/** Why a choice has no score to compare. */
export function standing(choice: Choice): "scored" | "untried" | "certain" {
  if (Object.keys(choice.terms).length === 0) return "untried";
  const score = scoreOf(choice);
  if (score === null) return choice.visits === 0 ? "untried" : "certain";
  const sum = SUMMANDS.reduce((total, term) => total + (choice.terms[term] ?? 0), 0);
  return Math.abs(sum - score) < 1e-3 ? "scored" : "certain";
}

/** Why no two moves are compared. */
export const WHY_EMPTY = {
  nothing: "There are no two visited moves to compare yet. Search the position first.",
  certain: "The result is certain: the search has no moves left to compare.",
  one: "There is only one legal move here: there is nothing to compare.",
  waits: "Choose “Compare the moves now” to see the score of each move, term by term.",
} as const satisfies Record<string, Word>;

/** Whether a tree has two moves to compare; if not, or as long as nobody compared them, why nothing is shown. */
export function whyEmpty(tree: Branch): keyof typeof WHY_EMPTY {
  const tried = tree.children.filter((child) => child.visits > 0).length;
  if (tried > 1) return "waits";
  if (tree.proven) return "certain";
  if (tried === 1 && tree.hidden > 0) return "waits"; // moves with a small share of the visits are not told
  return tree.visits > 1 && tree.children.length + tree.hidden === 1 && tree.state === "fully expanded" ? "one" : "nothing";
}

/** The terms that at least one of the choices has, in their order. */
export function termsOf(choices: Choice[]): Summand[] {
  return SUMMANDS.filter((term) => choices.some((choice) => typeof choice.terms[term] === "number"));
}

/** The most visited first; of equals the one with the better score. */
export function byVisits(choices: Choice[]): Choice[] {
  return [...choices].sort((one, other) => other.visits - one.visits || (scoreOf(other) ?? 0) - (scoreOf(one) ?? 0));
}

/** The move that selection goes to next. */
export function nextChoice(choices: Choice[]): Choice | null {
  const untried = choices.find((choice) => standing(choice) === "untried");
  if (untried) return untried;
  const scored = choices.filter((choice) => scoreOf(choice) !== null);
  return scored.reduce<Choice | null>((best, each) => (!best || scoreOf(each)! > scoreOf(best)! ? each : best), null);
}

/** The longest score, for the scale of the bars. */
export function scaleOf(choices: Choice[]): number {
  return Math.max(0.1, ...choices.flatMap((choice) => partsOf(choice).map((part) => part.to)));
}
