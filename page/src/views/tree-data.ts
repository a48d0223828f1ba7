/** The search tree and one iteration as the server tells them, and what can be read off them. */
import type { Change, Piece, Value } from "../protocol";

export type { Change };

export type NodeState = "unvisited" | "visited" | "not fully expanded" | "fully expanded" | "terminal";

export interface Branch {
  action: number | null; // null at the root
  name: string;
  player: number | null; // who is to move here; null when the game is over
  visits: number;
  means: number[]; // every player's mean result so far, 0 to 1: what a lesson about the search shows of any visit
  value: Value | null; // what people are told; null without a visit
  state: NodeState;
  proven: boolean;
  cut: boolean;
  children: Branch[];
  hidden: number; // children that are not among them
}

export interface Choice {
  action: number;
  name: string;
  visits: number;
  terms: Record<string, number | null>; // empty for a move that was never tried; null: it only sorts
}

export interface Selection {
  player: number;
  visits: number;
  choices: Choice[];
  chosen: number;
  name: string;
  new: boolean;
}

export interface Step {
  path: Selection[];
  simulation: string[];
  credit: number[];
  reasons: string[];
  judged?: boolean; // a network said what the position is worth: there was no random game
  actions?: number[];
  changes?: Change[]; // what every move of the path and of the simulation changes on the board
}

/** A place in the tree: the actions from the root down, as one text. */
export type Place = string;

export const ROOT: Place = "";

export function placeBelow(place: Place, action: number): Place {
  return place === ROOT ? String(action) : `${place} ${action}`;
}

export function actionsOf(place: Place): number[] {
  return place === ROOT ? [] : place.split(" ").map(Number);
}

export function placeAbove(place: Place): Place {
  return place.slice(0, Math.max(place.lastIndexOf(" "), 0));
}

/** The branches from the root down to a place, or null if the tree does not have it. */
export function wayTo(root: Branch, place: Place): Branch[] | null {
  const way = [root];
  for (const action of actionsOf(place)) {
    const next = way[way.length - 1]!.children.find((child) => child.action === action);
    if (!next) return null;
    way.push(next);
  }
  return way;
}

export function branchAt(root: Branch, place: Place): Branch | null {
  const way = wayTo(root, place);
  return way && way[way.length - 1]!;
}

/** The places that an iteration passed, the root first. */
export function placesOf(step: Step): Place[] {
  const places = [ROOT];
  for (const selection of step.path) places.push(placeBelow(places[places.length - 1]!, selection.chosen));
  return places;
}

/** The same tree with another branch, such as one with all its children, at a place. */
export function withBranch(root: Branch, place: Place, branch: Branch): Branch {
  const [first, ...rest] = actionsOf(place);
  if (first === undefined) return branch;
  const below = rest.join(" ");
  return {
    ...root,
    children: root.children.map((child) => (child.action === first ? withBranch(child, below, branch) : child)),
  };
}

/** What stands on the board after some of the changes. */
export function piecesAfter(pieces: Piece[], changes: Change[], count: number): Piece[] {
  const standing = new Map(pieces.map((piece) => [piece[0], piece]));
  for (const change of changes.slice(0, count)) {
    for (const cell of change.remove) standing.delete(cell);
    for (const piece of change.add) standing.set(piece[0], piece);
  }
  return [...standing.values()];
}

/** How uneven the visits of the children are: 0 all alike, near 1 all in one (the Gini coefficient). */
export function lopsidedness(branch: Branch): number {
  const visits = branch.children.map((child) => child.visits).sort((one, other) => one - other);
  const total = visits.reduce((sum, each) => sum + each, 0);
  if (visits.length < 2 || total === 0) return 0;
  const weighed = visits.reduce((sum, each, index) => sum + (index + 1) * each, 0);
  return (2 * weighed) / (visits.length * total) - (visits.length + 1) / visits.length;
}
