/** How a tree is made to grow and followed: by the engine as fast as it can, or by a walk of a few iterations a tick. */
import type { Position } from "../protocol";
import { actionsOf, type Branch, type Place, type Step } from "./tree-data";

export interface TreeAnswer {
  type: "tree";
  of: "walk" | "engine";
  move: number;
  iterations: number;
  path: number[];
  tree: Branch;
  view?: Position; // if it was asked for
}

export interface StepAnswer {
  type: "step";
  move: number;
  total: number;
  steps: Step[];
  tree: Branch;
}

export interface WhyAnswer {
  type: "why";
  move: number;
  player: number;
  visits: number;
  choices: Step["path"][number]["choices"];
}

export type Source = "walk" | "engine";
export type Ask = <Answer>(type: string, fields?: Record<string, unknown>, quiet?: boolean) => Promise<Answer | null>;

const DEPTH = 6;
const SHOWN = 400; // about so many nodes fit a picture

/** Fewest visits of a node that is asked for: about as many nodes come as can be shown. */
export function fewestVisits(total: number): number {
  return Math.max(1, Math.floor(total / SHOWN));
}

/** The tree as it is; null as long as there is none. */
export async function readTree(ask: Ask, of: Source, total: number): Promise<Branch | null> {
  const answer = await ask<TreeAnswer>("tree", { of, depth: DEPTH, visits: fewestVisits(total) }, true);
  return answer && answer.tree;
}

/** A branch with all of its children. */
export async function readBranch(ask: Ask, of: Source, place: Place, depth: number): Promise<Branch | null> {
  const answer = await ask<TreeAnswer>("tree", { of, depth, visits: 0, path: actionsOf(place) });
  return answer && answer.tree;
}

/** The position at a place of the tree. */
export async function readPosition(ask: Ask, of: Source, place: Place): Promise<Position | null> {
  const answer = await ask<TreeAnswer>("tree", { of, depth: 0, path: actionsOf(place), view: true }, true);
  return answer?.view ?? null;
}
