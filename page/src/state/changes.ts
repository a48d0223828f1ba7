/** How news changes what is known of a table, and what a review finds in it. Pure functions. */
import type { Moved, Over, PlayedMove, Position, Table, Thought } from "../protocol";

export const MISTAKE = 0.1; // of one's win rate

/** The table after a move; null if moves are missing between, and the whole table has to be asked for. */
export function afterMove(table: Table, moved: Moved, thought: Thought | null = null): Table | null {
  if (moved.number <= table.moves.length) return table; // heard twice
  if (moved.number !== table.moves.length + 1) return null;
  const { number, action, name, by, clicks, seconds, means, remark } = moved;
  const winRates = [...table.win_rates];
  while (winRates.length <= number) winRates.push(null);
  if (thought) winRates[number - 1] ??= bestMeans(thought);
  if (moved.win_rates_at?.[1]) winRates[moved.win_rates_at[0]] = moved.win_rates_at[1];
  const played: PlayedMove = { number, action, name, by, clicks, seconds, means, remark };
  return { ...table, moves: [...table.moves, played], view: moved.view, win_rates: winRates, thinking: null };
}

/** Whether means are no win rates but evaluations of positions some moves ahead, as alpha-beta's. */
export function isStatic(thought: Thought): boolean {
  return thought.sampled === false && !thought.learned && !thought.candidates.find((each) => each.action === thought.action)?.proven;
}

/** What an iteration was: a simulation, a question to a network, or a position that was looked at. */
export function workWord(thought: Thought): "iterations_done" | "iterations_learned" | "positions_done" {
  if (thought.learned) return "iterations_learned";
  return thought.sampled === false ? "positions_done" : "iterations_done";
}

/** How much stands behind a thought, what was known from the position before too. */
export const workOf = (thought: Thought): number => thought.iterations + (thought.kept ?? 0);

const FEWEST = 20; // simulations that a win rate stands on; before a search is compiled there are few

/** Whether a thought stands on next to nothing. */
export function isGuess(thought: Thought): boolean {
  return thought.candidates.reduce((sum, each) => sum + each.visits, 0) < FEWEST && !thought.candidates.some((each) => each.proven);
}

/** Every player's mean result after the move that the search would make; null where it knows no win rates. */
export function bestMeans(thought: Thought): number[] | null {
  if (isStatic(thought) || (thought.sampled && isGuess(thought))) return null;
  const best = thought.candidates.find((each) => each.action === thought.action && (each.visits > 0 || each.proven));
  return best && (best.proven || !best.score) ? best.means : null;
}

/** The table after the end: the result is the last point of the win rates. */
export function afterEnd(table: Table, end: Over): Table {
  const winRates = [...table.win_rates];
  if (end.result) winRates[table.moves.length] = end.result;
  return { ...table, over: end, thinking: null, win_rates: winRates };
}

/** What the mover's win rate lost by a move, counted from 1; null where it is not known. */
export function lossOf(table: Table, number: number): number | null {
  const before = table.win_rates[number - 1]?.[table.moves[number - 1]?.by ?? 0];
  const after = table.win_rates[number]?.[table.moves[number - 1]?.by ?? 0];
  return before === undefined || after === undefined ? null : before - after;
}

/** The numbers of the moves that lost much. */
export function mistakes(table: Table): number[] {
  return table.moves.map((move) => move.number).filter((number) => (lossOf(table, number) ?? 0) >= MISTAKE);
}

/** The position before the next mistake after a position, or before the previous one; null if there is none. */
export function toMistake(table: Table, from: number, step: 1 | -1): number | null {
  const places = mistakes(table).map((number) => number - 1);
  const found = step === 1 ? places.find((place) => place > from) : places.findLast((place) => place < from);
  return found ?? null;
}

/** Who won, lost or shared: the players with the highest result, none if all are alike. */
export function winners(result: number[] | null): number[] {
  if (!result) return [];
  const best = Math.max(...result);
  const found = result.flatMap((value, player) => (value === best ? [player] : []));
  return found.length === result.length ? [] : found;
}

/** Whether a person is to move. */
export function personToMove(table: Table, view: Position = table.view): boolean {
  return !table.over && view.to_move !== null && table.seats[view.to_move]?.kind === "person";
}
