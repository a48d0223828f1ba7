/** How news changes what is known of a table, and what a review finds in it. Pure functions. */
import type { Moved, Over, PlayedMove, Position, Table, Thought, Value } from "../protocol";
import { percent } from "./format";
import { goodFor, isEvaluation, isKnown } from "./chances";

export const MISTAKE = 0.1; // of what one may expect

/** The table after a move; null if moves are missing between, and the whole table has to be asked for. */
export function afterMove(table: Table, moved: Moved, thought: Thought | null = null): Table | null {
  if (moved.number <= table.moves.length) return table; // heard twice
  if (moved.number !== table.moves.length + 1) return null;
  const { number, action, name, by, clicks, seconds, means, value, remark } = moved;
  const values = [...table.values];
  while (values.length <= number) values.push(null);
  if (thought && isKnown(thought.value)) values[number - 1] ??= thought.value;
  if (isKnown(moved.value_at?.[1])) values[moved.value_at![0]] = moved.value_at![1];
  const played: PlayedMove = { number, action, name, by, clicks, seconds, means, value, remark };
  return { ...table, moves: [...table.moves, played], view: moved.view, values, last_moves: moved.last_moves, thinking: null };
}

/** What an iteration was: a simulation, a question to a network, or a position that was looked at. */
export function workWord(thought: Thought): "{count} simulations" | "{count} iterations, evaluated by a network" | "{count} positions" {
  if (thought.learned) return "{count} iterations, evaluated by a network";
  return thought.sampled === false ? "{count} positions" : "{count} simulations";
}

/** How much stands behind a thought, what was known from the position before too. */
export const workOf = (thought: Thought): number => thought.iterations + (thought.kept ?? 0);

/** The table after the end: the result is the last point of the chart. */
export function afterEnd(table: Table, end: Over): Table {
  const values = [...table.values];
  if (end.value) values[table.moves.length] = end.value;
  return { ...table, over: end, thinking: null, values };
}

/** What its player lost by a move, counted from 1: of wins and an equal share of draws; null where it is not known. */
export function lossOf(table: Table, number: number): number | null {
  const gaveUp = table.over && (table.over.resigned !== null || table.over.reason);
  if (gaveUp && number === table.moves.length) return null; // the result says nothing of the last move
  return lossBetween(table.values[number - 1], table.values[number], table.moves[number - 1]?.by ?? 0);
}

/** The same between two values; null between a probability and an evaluation, which are different things. */
export function lossBetween(before: Value | null | undefined, after: Value | null | undefined, player: number): number | null {
  if (!isKnown(before) || !isKnown(after)) return null;
  const sure = before.kind === "proven" || after.kind === "proven";
  return sure || isEvaluation(before) === isEvaluation(after) ? goodFor(before, player) - goodFor(after, player) : null;
}

/** What a move lost, counted from 1, if it was a mistake; else nothing. */
export function mistakeText(table: Table, number: number): string {
  const loss = lossOf(table, number) ?? 0;
  return loss < MISTAKE ? "" : lossText(loss, table.values.slice(number - 1, number + 1));
}

/** A loss as a text: no per cent between evaluations. */
export function lossText(loss: number, values: (Value | null | undefined)[]): string {
  return values.some(isEvaluation) ? loss.toFixed(3) : percent(loss, 1);
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
