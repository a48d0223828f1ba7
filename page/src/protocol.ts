/** What the page and the server say to each other, written by `python -m tools.protocol`. */

/** Anything that the server may send; views may define further types of their own. */
export type Message = { type: string; id?: number } & Record<string, unknown>;

/** A text without values is its own template. */
export type Sentence = string | Told;

export type Piece = [cell: number, player: number, kind: string];

/** It is done. */
export interface Ok {
  type: "ok";
  id?: number;
}

/** Nothing has changed; why, in one sentence. */
export interface Failure {
  type: "error";
  message: string;
  told?: Sentence;
  gone?: boolean;
  id?: number;
}

/** A sentence as a template with its values, which may be sentences themselves; or several, and what is between. */
export interface Told {
  many?: string; // the template where the number is not 1
  number?: number;
  parts?: Sentence[];
  template: string;
  values: Record<string, string | number | Told>;
}

/** What a page should know first. */
export interface Welcome {
  type: "welcome";
  version: string;
  threads: number;
  limits: ServerBounds;
  programs: string[];
  cluster: boolean;
  id?: number;
}

/** What the server allows. */
export interface ServerBounds {
  seconds: number;
  iterations: number;
  tables: number;
}

/** How the game ended. */
export interface Over {
  type: "over";
  result: number[] | null;
  value: Value | null;
  names: string;
  resigned: number | null;
  reason: string;
  id?: number;
}

/** What everybody may expect: wins and the draw sum to 1; nothing where few visits stand behind it. */
export interface Value {
  chances: number[] | null; // of winning, for each player
  draw: number | null; // null where nobody counts draws, and where there are no numbers
  few: boolean;
  kind: "evaluation" | "proven" | "rate" | "undecided" | "wins"; // undecided: some playouts are stopped early; rate: of an old record, wins and half the draws of two players
}

/** How far compiling is. */
export interface Compiling {
  type: "compiling";
  what: string;
  part: number;
  seconds: number;
  engine: string;
  done: boolean;
  id?: number;
}

/** Everything about a table. */
export interface Table {
  type: "table";
  table: string;
  game: string;
  players: number;
  player_names: string[];
  board: Board | null;
  seats: Seat[];
  moves: PlayedMove[];
  win_rates: (number[] | null)[];
  values: (Value | null)[]; // of each position
  fewest: number;
  last_moves: (LastMove | null)[]; // of each player
  view: Position;
  over: Over | null;
  thinking: Busy | null;
  analysing: Analysis | null;
  paused: boolean;
  compiling: Compiling | null;
  formats: string[];
  editable: boolean;
  left_out: number; // variations of the record that was opened: a table has one line
  notes: string[];
  notes_told: Sentence[];
  secret?: string;
  id?: number;
}

/** A board. Cells are numbered row by row from the top left, layer by layer. */
export interface Board {
  kind: string;
  rows: number;
  columns: number;
  layers: number;
  style: string;
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

/** Who sits there. */
export interface Seat {
  iterations?: number;
  kind: "person" | "player" | "program";
  level?: number;
  name?: string;
  options?: Record<string, unknown>;
  seconds?: number;
  spelling?: string;
}

/** A move that was made; numbers count from 1. */
export interface PlayedMove {
  action: number;
  by: number;
  clicks: number[];
  means: number[] | null;
  name: string;
  number: number;
  remark: string;
  seconds: number | null;
  value: Value | null;
}

/** Where somebody moved last. */
export interface LastMove {
  clicks: number[];
  number: number;
}

/** A position for a page. */
export interface Position {
  moves: Move[];
  pieces: Piece[];
  result: number[] | null;
  terminal: boolean;
  text: string;
  threats: number[];
  to_move: number | null;
  winning: number[];
}

/** A move for a page: the cells to click for it, in order. */
export interface Move {
  action: number;
  clicks: number[];
  name: string;
}

/** Who thinks, and about what. */
export interface Busy {
  seat: number;
  what: string;
}

/** The position that is analysed. */
export interface Analysis {
  move: number;
}

/** A move was made. */
export interface Moved {
  type: "moved";
  number: number;
  action: number;
  name: string;
  clicks: number[];
  by: number;
  seconds: number | null;
  means: number[] | null;
  value: Value | null;
  remark: string;
  view: Position;
  thought: Thought | null;
  win_rates_at: [number, number[] | null];
  value_at: [number, Value | null];
  last_moves: (LastMove | null)[];
  id?: number;
}

/** What a search found. */
export interface Thought {
  action: number;
  candidates: Candidate[];
  depth: number;
  fewest?: number; // visits below which no number is told
  hidden?: number;
  iterations: number;
  kept?: number; // visits that came with the tree of the position before
  learned?: boolean; // by a network
  nodes: number;
  notice: string;
  ownership: number[][] | null;
  player: number;
  sampled: boolean;
  seconds: number;
  threads: number[];
  value: Value | null; // of the best candidate
  variation: string[];
}

/** A move that was searched. */
export interface Candidate {
  action: number;
  cut: boolean;
  line: number[];
  line_names: string[];
  name: string;
  prior: number | null;
  proven: boolean;
  score?: string; // instead of a win rate, where the player has none
  value: Value | null; // null without a visit, and where moves have scores
  visits: number;
}

/** What a search knows so far. */
export interface Thinking {
  type: "thinking";
  what: "analysis" | "hint" | "move";
  seat: number | null;
  move: number;
  thought: Thought;
  rate: number;
  threads: number;
  engine: "full" | "plain" | "slow";
  guess: boolean; // by a simpler search, until the one that was asked for is compiled
  few: boolean;
  done: boolean;
  id?: number;
}

/** Programs were stopped, or go on. */
export interface Paused {
  type: "paused";
  paused: boolean;
  id?: number;
}

/** A program can't go on. */
export interface Trouble {
  type: "trouble";
  message: string;
  told?: Sentence;
  id?: number;
}

/** An earlier position. */
export interface Shown {
  type: "shown";
  move: number;
  view: Position;
  last: PlayedMove | null;
  thought: Thought | null;
  means: number[] | null;
  value: Value | null;
  last_moves: (LastMove | null)[];
  id?: number;
}

/** What a line changes on the board. */
export interface LineAnswer {
  type: "line";
  move: number;
  changes: Change[]; // of one move after the other; empty for a game that describes no board
  id?: number;
}

/** What a move changes on the board. */
export interface Change {
  add: Piece[];
  clicks?: number[]; // the cells of the move
  player?: number; // who made it
  remove: number[];
}

/** A record; a picture comes as `base64`. */
export interface Saved {
  type: "saved";
  format: string;
  name: string;
  text?: string;
  base64?: string;
  id?: number;
}

/** A part of a tree. */
export interface TreeAnswer {
  type: "tree";
  of: "engine" | "walk";
  move: number;
  path: number[];
  iterations: number;
  tree: Branch;
  view?: Position;
  id?: number;
}

/** A position of the tree, reached by a move. */
export interface Branch {
  action: number | null;
  name: string;
  player: number | null;
  visits: number;
  means: number[];
  state: string;
  proven: boolean;
  cut: boolean;
  children: Branch[];
  hidden: number;
  value: Record<string, unknown> | null;
}

/** Iterations of a walk. */
export interface StepAnswer {
  type: "step";
  move: number;
  total: number;
  steps: Step[];
  tree: Branch | null;
  id?: number;
}

/** One iteration of a search. */
export interface Step {
  actions?: number[];
  changes?: Change[]; // by every move of the path and of the simulation
  credit: number[];
  judged?: boolean; // a network said what the position is worth
  path: Selection[];
  reasons: string[];
  simulation: string[];
}

/** What was chosen at one node, and from what. */
export interface Selection {
  choices: Choice[];
  chosen: number;
  name: string;
  new: boolean;
  player: number;
  visits: number;
}

/** A move as selection sees it: no terms where it was never tried, null for a term that only sorts. */
export interface Choice {
  action: number;
  name: string;
  terms: Record<string, number | null>;
  visits: number;
}

/** What selection sees at the root. */
export interface WhyAnswer {
  type: "why";
  move: number;
  player: number;
  visits: number;
  choices: Choice[];
  chosen: number;
  name: string;
  new: boolean;
  id?: number;
}

/** A parameter for a form. */
export interface Parameter {
  name: string;
  kind: string; // int, float, bool or str
  default: number | string | boolean | null;
  low: number | null;
  high: number | null;
  choices: string[];
  meaning: string;
}

/** A game that can be played. */
export interface GameOffer {
  name: string;
  meaning: string;
  own: boolean;
  players: number;
  parameters: Parameter[];
  presets: string[];
}

/** A player that may take a seat. */
export interface PlayerOffer {
  name: string;
  kind: "player" | "program";
  meaning: string;
  budget: string[];
  levels: number;
  parameters: Parameter[];
}

/** The start of a game. */
export interface GameLook {
  game: string;
  players: number;
  player_names: string[];
  board: Board | null;
  view: Position;
  editable: boolean;
  kinds: [number, string][]; // the pieces that an editor puts; -1: nobody's
  notes: Record<string, string>;
  notes_told: Record<string, Sentence>; // by the name of a player
}

/** A new game. */
export interface NewRequest {
  type: "new";
  game: string; // a short text
  seats?: SeatChoice[] | null;
  moves?: (number | string)[] | null;
  id?: number | null;
}

/** Somebody who may take a seat. */
export interface SeatChoice {
  kind: "person" | "player" | "program"; // person or player or program
  name?: string | null;
  level?: number | null;
  seconds?: number | null;
  iterations?: number | null;
  options?: Record<string, boolean | number | string> | null;
}

/** A new game from a position of this one. */
export interface FromHereRequest {
  type: "from_here";
  move: number; // a number of moves
  id?: number | null;
}

/** A new table from a record. */
export interface LoadRequest {
  type: "load";
  text: string; // a text that is not too long
  seats?: SeatChoice[] | null;
  id?: number | null;
}

/** A new table from a record, a board or moves. */
export interface PasteRequest {
  type: "paste";
  text: string; // a text that is not too long
  game?: string | null;
  seats?: SeatChoice[] | null;
  id?: number | null;
}

/** A new table from a position that is set up. */
export interface EditRequest {
  type: "edit";
  pieces: ([cell: number, player: number, kind?: string | null])[]; // a list of cells and players
  game?: string | null;
  to_move?: number | null;
  seats?: SeatChoice[] | null;
  id?: number | null;
}

/** Come back to a table. */
export interface HelloRequest {
  type: "hello";
  table?: string | null;
  secret?: string | null;
  id?: number | null;
}

/** A move, by action or as people write it. */
export interface PlayRequest {
  type: "play";
  action?: number | null;
  text?: string | null;
  id?: number | null;
}

/** Take moves back: to the last turn of a person, if nothing is said. */
export interface UndoRequest {
  type: "undo";
  moves?: number | null;
  id?: number | null;
}

/** What the engine would play. */
export interface HintRequest {
  type: "hint";
  seconds?: number | null;
  move?: number | null;
  id?: number | null;
}

/** The program answers at once. */
export interface MoveNowRequest {
  type: "move_now";
  id?: number | null;
}

/** Programs stop thinking. */
export interface StopRequest {
  type: "stop";
  id?: number | null;
}

/** Programs move again. */
export interface GoOnRequest {
  type: "go_on";
  id?: number | null;
}

/** Analysis on or off. */
export interface AnalyseRequest {
  type: "analyse";
  on: boolean; // true or false
  move?: number | null;
  id?: number | null;
}

/** Whether this page hears what programs think. */
export interface WatchRequest {
  type: "watch";
  on: boolean; // true or false
  id?: number | null;
}

/** Somebody else takes a seat. */
export interface SeatRequest {
  type: "seat";
  seat: number; // the number of a seat
  kind: "person" | "player" | "program"; // person or player or program
  name?: string | null;
  level?: number | null;
  seconds?: number | null;
  iterations?: number | null;
  options?: Record<string, boolean | number | string> | null;
  id?: number | null;
}

/** A person gives up. */
export interface ResignRequest {
  type: "resign";
  seat?: number | null;
  id?: number | null;
}

/** Look at an earlier position. */
export interface GoToRequest {
  type: "goto";
  move: number; // a number of moves
  id?: number | null;
}

/** An empty tree at a position, for people to follow. */
export interface WalkRequest {
  type: "walk";
  move?: number | null;
  seed?: number | null;
  options?: Record<string, boolean | number | string> | null;
  player?: SeatChoice | null;
  id?: number | null;
}

/** Some iterations of the walk. */
export interface StepRequest {
  type: "step";
  count?: number | null;
  id?: number | null;
}

/** A part of a tree. */
export interface TreeRequest {
  type: "tree";
  depth?: number | null;
  visits?: number | null;
  path?: number[] | null;
  of?: "engine" | "walk" | null;
  view?: boolean | null;
  id?: number | null;
}

/** What selection sees at the root. */
export interface WhyRequest {
  type: "why";
  id?: number | null;
}

/** What each move of a line changes on the board. */
export interface LineRequest {
  type: "line";
  moves: (number | string)[]; // a list of at most 32 moves
  move?: number | null;
  id?: number | null;
}

/** The record. */
export interface SaveRequest {
  type: "save";
  format: "gif" | "html" | "json" | "sgf" | "text"; // text or sgf or json or html or gif
  id?: number | null;
}

/** Leave the table; the game is kept. */
export interface LeaveRequest {
  type: "leave";
  id?: number | null;
}

/** Every message of the server. */
export type AnyAnswer = Ok | Failure | Welcome | Over | Compiling | Table | Moved | Thinking | Paused | Trouble | Shown | LineAnswer | Saved | TreeAnswer | StepAnswer | WhyAnswer;

/** Every message of a page. */
export type AnyRequest = NewRequest | FromHereRequest | LoadRequest | PasteRequest | EditRequest | HelloRequest | PlayRequest | UndoRequest | HintRequest | MoveNowRequest | StopRequest | GoOnRequest | AnalyseRequest | WatchRequest | SeatRequest | ResignRequest | GoToRequest | WalkRequest | StepRequest | TreeRequest | WhyRequest | LineRequest | SaveRequest | LeaveRequest;
