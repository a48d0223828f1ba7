/** What a hint and a line of moves look like on the board: numbered stones, and arrows for moves with a source. Pure functions. */
import type { Change, Move, Piece, Thought } from "../protocol";
import { isGuess } from "../state/chances";
import { goingOn } from "./move-input";

export interface Ghost {
  cell: number;
  player: number;
  text: string;
  piece?: Piece | null; // what comes to stand there; null: nothing does
}

export interface Arrow {
  from: number;
  to: number;
  player: number;
  share: number; // of the visits, 1 for the most visited move
  best: boolean;
  then?: boolean; // what follows in the same move, such as the shot of a queen
}

const FEW = 0.25; // of the visits of the best move: what has less gets no arrow
const MOST = 3; // arrows of moves to choose from

/** Arrows for the leading candidates that take further clicks than the next one. */
export function arrowsOf(thought: Thought, moves: Move[], clicks: number[]): Arrow[] {
  if (isGuess(thought)) return [];
  const byAction = new Map(goingOn(moves, clicks).map((move) => [move.action, move]));
  const shown = thought.candidates.filter((each) => !each.cut && (each.visits > 0 || each.proven) && (byAction.get(each.action)?.clicks.length ?? 0) > clicks.length + 1);
  const most = Math.max(1, ...shown.map((each) => each.visits));
  const leading = shown.filter((each) => each.action === thought.action || each.visits >= FEW * most).slice(0, MOST);
  return leading.flatMap((each) => {
    const { clicks: all } = byAction.get(each.action)!;
    const more = { player: thought.player, share: each.visits / most, best: each.action === thought.action };
    return arrowsAlong(all.slice(clicks.length), more);
  });
}

function arrowsAlong(cells: number[], more: Omit<Arrow, "from" | "to">): Arrow[] {
  return cells.slice(1).flatMap((to, index) => (to === cells[index] ? [] : [{ ...more, from: cells[index]!, to, ...(index > 0 && { then: true }) }]));
}

/** A line of moves as its stones and arrows, each with its number; a cell has the number of the first move there. */
export function drawnLine(changes: Change[]): { ghosts: Ghost[]; arrows: Arrow[] } {
  const ghosts = new Map<number, Ghost>();
  const arrows: Arrow[] = [];
  joined(changes).forEach(({ add, clicks = [], player = 0 }, index) => {
    const target = clicks[Math.min(1, clicks.length - 1)];
    if (target === undefined) return;
    const put = (cell: number, text: string): void => {
      if (!ghosts.has(cell)) ghosts.set(cell, { cell, player, text, piece: add.find((piece) => piece[0] === cell) ?? null });
    };
    put(target, String(index + 1));
    for (const cell of clicks.slice(2)) put(cell, "");
    arrows.push(...arrowsAlong(clicks, { player, share: 1, best: index === 0 }));
  });
  return { ghosts: [...ghosts.values()], arrows };
}

/** Where choosing the piece is a move of its own, that move and the next one are one: from there to where it goes. */
function joined(changes: Change[]): Change[] {
  const found: Change[] = [];
  for (const change of changes) {
    const before = found.at(-1);
    const chosen = before?.clicks?.length === 1 && isStill(before) && before.player === change.player && !isStill(change);
    if (chosen) found[found.length - 1] = { ...change, clicks: [...before.clicks!, ...(change.clicks ?? [])] };
    else found.push(change);
  }
  return found;
}

const isStill = (change: Change): boolean => change.add.length + change.remove.length === 0;
