/** One iteration as a row of moments, for people to go through: down the tree, a new node, a random game, and up again. */
import { branchAt, placesOf, ROOT, type Branch, type Place, type Step } from "./tree-data";

export type Phase = "selection" | "expansion" | "simulation" | "back-propagation";
export const PHASES: Phase[] = ["selection", "expansion", "simulation", "back-propagation"];

export interface Moment {
  phase: Phase;
  depth: number; // how far down the path
  moves: number; // of the path and the simulation that stand on the board
  updated: number; // nodes of the path at this depth and below have the new numbers
}

/** All moments of an iteration in order. */
export function momentsOf(step: Step): Moment[] {
  const last = step.path.length;
  const fresh = last > 0 && step.path[last - 1]!.new;
  const never = last + 1;
  const moments: Moment[] = [];
  for (let depth = 0; depth < (fresh ? last : last + 1); depth++)
    moments.push({ phase: "selection", depth, moves: depth, updated: never });
  if (fresh) moments.push({ phase: "expansion", depth: last, moves: last, updated: never });
  for (let move = 1; move <= step.simulation.length; move++)
    moments.push({ phase: "simulation", depth: last, moves: last + move, updated: never });
  if (step.simulation.length === 0) moments.push({ phase: "simulation", depth: last, moves: last, updated: never });
  for (let depth = last; depth >= 0; depth--)
    moments.push({ phase: "back-propagation", depth, moves: last + step.simulation.length, updated: depth });
  return moments;
}

/** Where the next phase begins, or the end. */
export function nextPhase(moments: Moment[], at: number): number {
  const next = moments.findIndex((moment, index) => index > at && moment.phase !== moments[at]!.phase);
  return next < 0 ? moments.length - 1 : next;
}

/** The places that are lit at a moment: the way down so far, or the way up that is left. */
export function litPlaces(step: Step, moment: Moment): Set<Place> {
  const places = placesOf(step);
  if (moment.phase === "back-propagation") return new Set(places.slice(moment.depth));
  return new Set(places.slice(0, moment.depth + 1));
}

/** The tree as it is at a moment: what is not yet credited has its old numbers, and what is not yet there is left out. */
export function treeAt(before: Branch | null, after: Branch, step: Step, moment: Moment): Branch {
  const places = placesOf(step);
  const last = step.path.length;
  const isFresh = last > 0 && step.path[last - 1]!.new;
  const shows = moment.phase !== "selection";

  function at(branch: Branch, depth: number): Branch {
    const old = before && branchAt(before, places[depth]!);
    const credited = depth >= moment.updated;
    const numbers = credited ? branch : { ...branch, ...oldNumbers(old, isFresh && depth === last) };
    if (depth === last) return credited || !isFresh ? numbers : { ...numbers, children: [], hidden: 0 };
    const next = step.path[depth]!.chosen;
    const kept = branch.children.filter((child) => child.action !== next || depth + 1 < last || !isFresh || shows);
    return { ...numbers, children: kept.map((child) => (child.action === next ? at(child, depth + 1) : child)) };
  }

  return at(after, 0);
}

function oldNumbers(old: Branch | null, fresh: boolean): Partial<Branch> {
  if (old && !fresh) return { visits: old.visits, means: old.means, value: old.value, state: old.state, proven: old.proven };
  return { visits: 0, value: null, state: "unvisited", proven: false };
}

/** What is written beside the nodes that were credited so far: one more visit, and the result of who chose them. */
export function creditLabels(step: Step, moment: Moment, names: string[]): Map<Place, string> {
  const labels = new Map<Place, string>();
  if (moment.phase !== "back-propagation") return labels;
  const places = placesOf(step);
  for (let depth = step.path.length; depth >= moment.updated; depth--) {
    const mover = depth > 0 ? step.path[depth - 1]!.player : null;
    const gained = mover === null ? "" : ` ${names[mover] ?? mover} +${short(step.credit[mover] ?? 0)}`;
    labels.set(places[depth] ?? ROOT, `n+1${gained}`);
  }
  return labels;
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
