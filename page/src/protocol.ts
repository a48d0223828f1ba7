/** What the page and the server say to each other: docs/en/how-to/server.md, as types. */
import type { Sentence } from "./socket";

export interface Board {
  kind: "grid" | "hexagons" | "layers" | "points";
  rows: number;
  columns: number;
  layers: number;
  style: "cells" | "crossings" | "columns";
  column_names: string[];
  row_names: string[];
  offset: number[];
  missing: number[];
  forbidden: number[];
  stars: number[];
  edges: number[];
  points: [number, number][];
  lines: [number, number][];
}

export type Piece = [cell: number, player: number, kind: string];

export interface Move {
  action: number;
  name: string;
  clicks: number[];
}

/** What a move changes on the board. */
export interface Change {
  add: Piece[];
  remove: number[];
  clicks?: number[]; // the cells of the move
  player?: number; // who made it
}

/** A position as plain data. */
export interface Position {
  to_move: number | null;
  terminal: boolean;
  result: number[] | null;
  pieces: Piece[];
  moves: Move[];
  winning: number[];
  threats: number[];
  text: string;
}

/** What everybody may expect: wins and the draw sum to 1; nothing where few visits stand behind it. */
export interface Value {
  chances: number[] | null; // of winning, for each player
  draw: number | null; // null where nobody counts draws, and where there are no numbers
  kind: "wins" | "undecided" | "rate" | "evaluation" | "proven"; // undecided: some playouts are stopped early; rate: of an old record, wins and half the draws of two players
  few: boolean;
}

/** Where somebody moved last. */
export interface LastMove {
  number: number;
  clicks: number[];
}

export interface PlayedMove extends Move {
  number: number;
  by: number;
  seconds: number | null;
  remark: string;
}

export interface Candidate {
  action: number;
  name: string;
  visits: number;
  value: Value | null; // null without a visit, and where moves have scores
  proven: boolean;
  cut: boolean;
  prior: number | null;
  score?: string; // instead of a win rate, where the player has none
  line: number[];
  line_names: string[];
}

export interface Thought {
  action: number;
  player: number;
  candidates: Candidate[];
  variation: string[];
  iterations: number;
  kept?: number; // visits that came with the tree of the position before
  seconds: number;
  nodes: number;
  depth: number;
  sampled: boolean;
  learned?: boolean; // by a network
  fewest?: number; // visits below which no number is told
  value: Value | null; // of the best candidate
  ownership: number[][] | null;
  threads: number[];
  notice: string;
  hidden?: number;
}

export interface Seat {
  kind: "person" | "player" | "program";
  name?: string;
  seconds?: number;
  iterations?: number;
  level?: number;
  options?: Record<string, unknown>;
  spelling?: string;
}

export interface Over {
  result: number[] | null;
  value: Value | null;
  names: string;
  resigned: number | null;
  reason: string;
}

export interface Table {
  type: "table";
  table: string;
  secret?: string;
  game: string;
  players: number;
  player_names: string[];
  board: Board | null;
  seats: Seat[];
  moves: PlayedMove[];
  values: (Value | null)[]; // of each position
  last_moves: (LastMove | null)[]; // of each player
  view: Position;
  over: Over | null;
  thinking: { seat: number; what: string } | null;
  analysing: { move: number } | null;
  paused: boolean;
  compiling: Compiling | null;
  formats: string[];
  editable: boolean;
  notes_told: Sentence[];
  left_out?: number; // variations of the record that was opened: a table has one line
}

export interface Moved extends PlayedMove {
  type: "moved";
  view: Position;
  thought: Thought | null;
  value_at: [number, Value | null] | null;
  last_moves: (LastMove | null)[];
}

export interface Thinking {
  type: "thinking";
  what: "move" | "analysis" | "hint";
  seat: number | null;
  move: number;
  thought: Thought;
  rate: number;
  threads: number;
  engine: "slow" | "plain" | "full" | string;
  guess?: boolean; // by a simpler search, until the one that was asked for is compiled
  done: boolean;
}

export interface Compiling {
  type: "compiling";
  what: string;
  part: number;
  seconds: number;
  engine: string;
  done: boolean;
}

export interface Shown {
  type: "shown";
  move: number;
  view: Position;
  last: { action: number; name: string; by: number; clicks: number[] } | null;
  thought: Thought | null;
  last_moves: (LastMove | null)[];
}

export interface LineAnswer {
  type: "line";
  move: number;
  changes: Change[]; // of one move after the other; empty for a game that describes no board
}

export interface Welcome {
  type: "welcome";
  version: string;
  threads: number;
  limits: { seconds: number; iterations: number; tables: number };
  programs: string[];
}

export interface Saved {
  type: "saved";
  format: string;
  name: string;
  text: string;
}

export interface Failure {
  type: "error";
  message: string;
}

/** Anything that the server may send; views may define further types of their own. */
export type Message = { type: string; id?: number } & Record<string, unknown>;

export interface Parameter {
  name: string;
  kind: "int" | "float" | "bool" | "str" | string;
  default: number | string | boolean | null;
  low: number | null;
  high: number | null;
  choices: string[];
  meaning: string;
}

export interface GameOffer {
  name: string;
  meaning: string;
  own: boolean;
  players: number | null;
  parameters: Parameter[];
  presets: string[];
}

export interface GameLook {
  game: string;
  players: number;
  player_names: string[];
  board: Board | null;
  view: Position;
  editable: boolean;
  kinds: [player: number, kind: string][]; // the pieces that an editor puts; -1: nobody's
  notes_told: Record<string, Sentence>; // by the name of a player
}

export interface PlayerOffer {
  name: string;
  meaning: string;
  kind: "player" | "program";
  budget: string[];
  levels: number | number[] | null;
  parameters: Parameter[];
}
