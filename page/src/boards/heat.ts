/** What the search thinks, cell by cell. Pure functions. */
import type { Move, Thought } from "../protocol";
import { isStatic } from "../state/changes";
import { goingOn } from "./clicking";

export interface Heat {
  cell: number;
  share: number; // of the visits, 1 for the most visited cell
  visits: number;
  rate: number | null; // the mover's mean result
  best: boolean;
  proven: boolean;
}

const FEWEST = 5; // visits that a number on the board stands on: one game won is not 100 %

/** The candidates on the cells to click next; moves that begin alike are one. */
export function heatOf(thought: Thought, moves: Move[], clicks: number[]): Heat[] {
  const byAction = new Map(goingOn(moves, clicks).map((move) => [move.action, move]));
  const cells = new Map<number, { visits: number; sum: number; best: boolean; proven: boolean }>();
  for (const candidate of thought.candidates) {
    const cell = byAction.get(candidate.action)?.clicks[clicks.length];
    if (cell === undefined || candidate.cut) continue;
    const known = cells.get(cell) ?? { visits: 0, sum: 0, best: false, proven: false };
    const weight = Math.max(candidate.visits, candidate.proven ? 1 : 0);
    known.visits += weight;
    known.sum += weight * (candidate.means[thought.player] ?? 0);
    known.best ||= candidate.action === thought.action;
    known.proven ||= candidate.proven;
    cells.set(cell, known);
  }
  const points = thought.candidates.some((candidate) => candidate.score); // no win rates
  const told = (each: { visits: number; proven: boolean }): boolean =>
    each.proven || (!points && !isStatic(thought) && (each.visits >= FEWEST || thought.sampled === false));
  const most = Math.max(1, ...[...cells.values()].map((each) => each.visits));
  return [...cells].flatMap(([cell, each]) =>
    each.visits === 0
      ? []
      : [{ cell, share: each.visits / most, visits: each.visits, rate: told(each) ? each.sum / each.visits : null, best: each.best, proven: each.proven }],
  );
}

/** Who owns a point and how surely, from -1 to 1 for two players: positive for the first. */
export function owner(ownership: number[][], cell: number): { player: number; strength: number } | null {
  const shares = ownership.map((points) => points[cell] ?? 0);
  const player = shares.indexOf(Math.max(...shares));
  const others = Math.max(...shares.filter((_, index) => index !== player), 0);
  const strength = (shares[player] ?? 0) - others;
  return strength < 0.08 ? null : { player, strength };
}
