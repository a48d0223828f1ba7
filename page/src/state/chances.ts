/** What everybody may expect of a position or a move, for people: parts that sum to 100 %. Pure functions. */
import type { Thought, Value } from "../protocol";

export type Known = Value & { chances: number[] };

/** Whether there are numbers: not where only a few visits stand behind them. */
export function isKnown(value: Value | null | undefined): value is Known {
  return Boolean(value?.chances);
}

/** Whether the numbers are values of positions and no probabilities. */
export const isEvaluation = (value: Value | null | undefined): boolean => value?.kind === "evaluation";

/** What the part that is nobody's win is called: playouts that are stopped early have no result. */
export const drawWord = (value: Value | null | undefined): "draw" | "undecided" => (value?.kind === "undecided" ? "undecided" : "draw");

/** One number for comparisons: a win, and an equal share of a draw. */
export function goodFor(value: Known, player: number): number {
  return (value.chances[player] ?? 0) + (value.draw ?? 0) / value.chances.length;
}

/** Everybody's part as a text, and the draw's with `draw`; all of them together are exactly 100 %, or 1 for evaluations. */
export function partTexts(value: Known, draw = hasDraw(value)): string[] {
  return partNumbers(value, draw).map((part) => (isEvaluation(value) ? part : `${part} %`));
}

/** The same without the sign of per cent, for a table. */
export function partNumbers(value: Known, draw = hasDraw(value)): string[] {
  const parts = draw ? [...value.chances, value.draw ?? 0] : value.chances;
  if (isEvaluation(value)) return perCents(parts).map((part) => (part / 100).toFixed(3));
  const decimals = decimalsOf(value.chances);
  return perCents(parts, decimals).map((part) => part.toFixed(decimals));
}

/** More decimals where wins are rare, so that moves can be told apart. */
function decimalsOf(wins: number[]): number {
  const most = Math.max(...wins);
  return most > 0 && most < 0.01 ? 2 : 1;
}

/** Whether a draw has any part. */
export const hasDraw = (value: Value | null | undefined): boolean => Boolean(value?.draw);

/** `X 50.0 %, O 0.0 %, draw 50.0 %`. */
export function chancesText(value: Known, names: string[], draw: string): string {
  const all = [...names, draw];
  return partTexts(value).map((part, index) => `${all[index]} ${part}`).join(", ");
}

/** Parts of a whole as per cents that sum to 100: what rounding down leaves goes to the largest remainders. */
export function perCents(parts: number[], decimals = 1): number[] {
  const units = 100 * 10 ** decimals;
  const whole = parts.reduce((sum, each) => sum + each, 0);
  const exact = parts.map((part) => (whole > 0 ? (units * part) / whole : units / parts.length));
  const lower = exact.map((each) => Math.floor(each + 1e-9));
  const left = units - lower.reduce((sum, each) => sum + each, 0);
  const rest = (index: number): number => Math.round((exact[index]! - lower[index]!) * 1e9);
  const order = parts.map((_, index) => index).sort((one, other) => rest(other) - rest(one) || one - other);
  for (const index of order.slice(0, left)) lower[index]! += 1;
  return lower.map((each) => each / 10 ** decimals);
}

/** Whether a thought stands on so few visits that it is a first guess. */
export function isGuess(thought: Thought): boolean {
  return thought.value?.few ?? false;
}

/** What a chart may show: not a mixture of probabilities and evaluations, which are another thing. */
export function charted(values: (Value | null)[]): { values: (Known | null)[]; evaluation: boolean } {
  const known = values.map((value) => (isKnown(value) ? value : null));
  const evaluation = known.some(isEvaluation) && !known.some((value) => value && value.kind !== "evaluation" && value.kind !== "proven");
  return { values: known.map((value) => (value && (value.kind === "proven" || isEvaluation(value) === evaluation) ? value : null)), evaluation };
}
