/** What the search thinks, cell by cell. Pure functions. */
import type { Candidate, Move, Thought } from "../protocol";
import { isEvaluation, isKnown } from "../state/chances";
import { workOf } from "../state/updates";
import { goingOn } from "./move-input";

export interface Heat {
  cell: number;
  share: number; // of the visits, 1 for the most visited cell
  visits: number;
  told: string; // the mover's chance of winning with the most visited move there, in per cent; = for a certain draw
  best: boolean;
}

/** The candidates on the cells to click next; moves that begin alike are one. Nothing where few visits stand behind it. */
export function heatOf(thought: Thought, moves: Move[], clicks: number[]): Heat[] {
  const byAction = new Map(goingOn(moves, clicks).map((move) => [move.action, move]));
  const cells = new Map<number, Candidate[]>();
  for (const candidate of thought.candidates) {
    const cell = byAction.get(candidate.action)?.clicks[clicks.length];
    if (cell === undefined || candidate.cut || !(candidate.visits > 0 || candidate.proven)) continue;
    cells.set(cell, [...(cells.get(cell) ?? []), candidate]);
  }
  const weight = (each: Candidate): number => Math.max(each.visits, each.proven ? 1 : 0);
  const found = [...cells].map(([cell, all]) => {
    const visits = all.reduce((sum, each) => sum + weight(each), 0);
    const known = all.filter((each) => !each.value?.few).sort((one, other) => weight(other) - weight(one));
    return { cell, visits, isTold: known.length > 0 || visits >= (thought.fewest ?? 0), told: toldOf(known[0], thought.player), best: all.some((each) => each.action === thought.action) };
  });
  const most = Math.max(1, ...found.map((each) => each.visits));
  const shown = found.filter((each) => each.isTold);
  const numbers = new Set(shown.map((each) => each.told).filter(Boolean));
  const isSame = shown.length > 1 && numbers.size === 1 && !numbers.has("="); // numbers that tell no move from another
  return shown.map(({ cell, visits, told, best }) => ({ cell, share: visits / most, visits, told: isSame ? "" : told, best }));
}

/** What is written on a cell: evaluations and scores are no per cents. */
function toldOf(candidate: Candidate | undefined, player: number): string {
  const value = candidate?.value;
  if (!isKnown(value) || isEvaluation(value)) return "";
  return value.kind === "proven" && value.draw === 1 ? "=" : String(Math.round(100 * (value.chances[player] ?? 0)));
}

/** Who had which point in how many simulations, if there were enough of them. */
export function ownershipOf(thought: Thought | undefined): number[][] | null {
  return thought && workOf(thought) >= (thought.fewest ?? 0) ? thought.ownership : null;
}

/** Who owns a point and how surely, from -1 to 1 for two players: positive for the first. */
export function owner(ownership: number[][], cell: number): { player: number; strength: number } | null {
  const shares = ownership.map((points) => points[cell] ?? 0);
  const player = shares.indexOf(Math.max(...shares));
  const others = Math.max(...shares.filter((_, index) => index !== player), 0);
  const strength = (shares[player] ?? 0) - others;
  return strength < 0.08 ? null : { player, strength };
}
