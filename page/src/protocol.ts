/** What the page and the server say to each other, written by `python -m tools.protocol`. */

/** Anything that the server may send; views may define further types of their own. */
export type Message = { type: string; id?: number } & Record<string, unknown>;

/** A text without values is its own template. */
export type Sentence = string | Told;

export type Piece = [cell: number, player: number, kind: string];

/** The request is done. */
export interface Ok {
  type: "ok";
  id?: number;
}

/** The request failed and changed nothing; `message` is one sentence. */
export interface Failure {
  type: "error";
  message: string;
  told?: Sentence;
  gone?: boolean; // the session does not exist
  id?: number;
}

/** A sentence as a template with its values; `parts` is a list of sentences and separators. */
export interface Told {
  many?: string; // the template where the number is not 1
  number?: number;
  parts?: Sentence[];
  template: string;
  values: Record<string, string | number | Told>;
}

/** The first message of each connection. */
export interface Welcome {
  type: "welcome";
  version: string;
  threads: number;
  limits: ServerBounds;
  programs: string[];
  cluster: boolean;
  docs: boolean;
  id?: number;
}

/** Limits of the server. */
export interface ServerBounds {
  seconds: number;
  iterations: number;
  tables: number;
}

/** The game has ended. */
export interface Over {
  type: "over";
  result: number[] | null;
  value: Value | null;
  names: string;
  resigned: number | null;
  reason: string;
  id?: number;
}

/** Expected result of each player: chances and draw sum to 1; null with few visits. */
export interface Value {
  chances: number[] | null; // of winning, for each player
  draw: number | null; // null where nobody counts draws, and where there are no numbers
  few: boolean;
  kind: "evaluation" | "proven" | "rate" | "undecided" | "wins"; // undecided: some playouts are stopped early; rate: of an old record, wins and half the draws of two players
}

/** Progress of a compilation. */
export interface Compiling {
  type: "compiling";
  what: string; // the game
  part: number; // 0 to 1
  seconds: number;
  engine: string; // what answers meanwhile: slow, plain or full
  done: boolean;
  id?: number;
}

/** The whole state of a session. */
export interface Table {
  type: "table";
  table: string; // id of the session
  game: string;
  players: number;
  player_names: string[];
  board: Board | null;
  seats: Seat[];
  moves: PlayedMove[];
  win_rates: (number[] | null)[]; // mean value of each player, by position
  values: (Value | null)[]; // of each position
  fewest: number;
  last_moves: (LastMove | null)[]; // of each player
  view: Position;
  over: Over | null;
  thinking: Busy | null;
  analysing: Analysis | null;
  paused: boolean;
  compiling: Compiling | null;
  formats: string[]; // in which the game can be saved
  editable: boolean; // `edit` supports this game
  left_out: number; // variations of the record that was opened: a table has one line
  notes: string[]; // warnings, such as missing measurements
  notes_told: Sentence[];
  secret?: string; // only for the client that opened the session
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

/** The player in a seat. */
export interface Seat {
  iterations?: number;
  kind: "person" | "player" | "program";
  level?: number;
  name?: string;
  options?: Record<string, unknown>;
  seconds?: number;
  spelling?: string;
}

/** A move that was played; numbers count from 1. */
export interface PlayedMove {
  action: number;
  by: number; // the player
  clicks: number[];
  means: number[] | null;
  name: string;
  number: number;
  remark: string; // a notice, such as that plain UCT answered
  seconds: number | null;
  value: Value | null;
}

/** The last move of a player. */
export interface LastMove {
  clicks: number[];
  number: number;
}

/** A position for the page. */
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

/** A move for the page, with the cells to click for it in order. */
export interface Move {
  action: number;
  clicks: number[];
  name: string;
}

/** The running search: its seat and its purpose. */
export interface Busy {
  seat: number;
  what: string; // move, analysis or hint
}

/** The analysed position. */
export interface Analysis {
  move: number;
}

/** A move was played. */
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
  view: Position; // position after the move
  thought: Thought | null; // search result of the player
  win_rates_at: [number, number[] | null];
  value_at: [number, Value | null];
  last_moves: (LastMove | null)[];
  id?: number;
}

/** A search result. */
export interface Thought {
  action: number;
  candidates: Candidate[];
  depth: number;
  fewest?: number; // visits below which no number is told
  hidden?: number; // candidates that are left out
  iterations: number;
  kept?: number; // visits that came with the tree of the position before
  learned?: boolean; // by a network
  nodes: number;
  notice: string;
  ownership: number[][] | null; // for each player, the share of playouts with each point
  player: number;
  sampled: boolean; // with playouts
  seconds: number;
  threads: number[];
  value: Value | null; // of the best candidate
  variation: string[]; // expected line, as names
}

/** A candidate move. */
export interface Candidate {
  action: number;
  cut: boolean; // pruned
  line: number[]; // expected line, as actions
  line_names: string[];
  name: string;
  prior: number | null;
  proven: boolean;
  score?: string; // instead of a win rate, where the player has none
  value: Value | null; // null without a visit, and where moves have scores
  visits: number;
}

/** Progress or result of a search. */
export interface Thinking {
  type: "thinking";
  what: "analysis" | "hint" | "move";
  seat: number | null;
  move: number; // move number of the searched position
  thought: Thought;
  rate: number; // iterations per second
  threads: number; // threads of this search
  engine: "full" | "plain" | "slow"; // slow: uncompiled; plain: plain UCT; full: the full search
  guess: boolean; // by a simpler search, until the one that was asked for is compiled
  few: boolean;
  done: boolean; // the last message of this search
  id?: number;
}

/** The game was paused or continues. */
export interface Paused {
  type: "paused";
  paused: boolean;
  id?: number;
}

/** A player failed; the game is paused. */
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

/** How a line changes the board. */
export interface LineAnswer {
  type: "line";
  move: number;
  changes: Change[]; // of one move after the other; empty for a game that describes no board
  id?: number;
}

/** How a move changes the board. */
export interface Change {
  add: Piece[];
  clicks?: number[]; // the cells of the move
  player?: number; // who made it
  remove: number[];
}

/** A saved game; a GIF is in `base64`. */
export interface Saved {
  type: "saved";
  format: string;
  name: string;
  text?: string;
  base64?: string;
  id?: number;
}

/** A part of a search tree. */
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

/** Iterations of a step-by-step search. */
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
  credit: number[]; // result of each player
  judged?: boolean; // a network said what the position is worth
  path: Selection[];
  reasons: string[]; // the rule that chose each move of the playout
  simulation: string[];
}

/** The selection at one node. */
export interface Selection {
  choices: Choice[];
  chosen: number;
  name: string;
  new: boolean; // the chosen move had no node
  player: number;
  visits: number;
}

/** A move with the terms of the selection policy; no terms without a visit, null for a term that only sorts. */
export interface Choice {
  action: number;
  name: string;
  terms: Record<string, number | null>;
  visits: number;
}

/** The terms of the selection policy at the root. */
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

/** A parameter of a game or a player. */
export interface Parameter {
  name: string;
  kind: string; // int, float, bool or str
  default: number | string | boolean | null;
  low: number | null;
  high: number | null;
  choices: string[];
  meaning: string;
}

/** A game that clients can choose. */
export interface GameOffer {
  name: string;
  meaning: string;
  own: boolean;
  players: number;
  parameters: Parameter[];
  presets: string[];
}

/** A player that clients can choose. */
export interface PlayerOffer {
  name: string;
  kind: "player" | "program";
  meaning: string;
  budget: string[];
  levels: number;
  parameters: Parameter[];
}

/** The start of a game, for forms and editors. */
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

/** Start a new game. Without seats: a person first, then `strong` with 1 s per move. */
export interface NewRequest {
  type: "new";
  game: string; // a short text
  seats?: SeatChoice[] | null;
  moves?: (number | string)[] | null;
  id?: number | null;
}

/** The player that takes a seat: a person, a player of Luozi or an external program. */
export interface SeatChoice {
  kind: "person" | "player" | "program"; // person or player or program
  name?: string | null;
  level?: number | null;
  seconds?: number | null;
  iterations?: number | null;
  options?: Record<string, boolean | number | string> | null;
}

/** Start a new game from a position of this one. */
export interface FromHereRequest {
  type: "from_here";
  move: number; // a number of moves
  id?: number | null;
}

/** Open a record as a new session. */
export interface LoadRequest {
  type: "load";
  text: string; // a text that is not too long
  seats?: SeatChoice[] | null;
  id?: number | null;
}

/** Open a pasted record, board or list of moves as a new session. */
export interface PasteRequest {
  type: "paste";
  text: string; // a text that is not too long
  game?: string | null;
  seats?: SeatChoice[] | null;
  id?: number | null;
}

/** Open a position that was set up as a new session. */
export interface EditRequest {
  type: "edit";
  pieces: ([cell: number, player: number, kind?: string | null])[]; // a list of cells and players
  game?: string | null;
  to_move?: number | null;
  seats?: SeatChoice[] | null;
  id?: number | null;
}

/** Join a session again, with its id and its secret. */
export interface HelloRequest {
  type: "hello";
  table?: string | null;
  secret?: string | null;
  id?: number | null;
}

/** Play a move of the side to move, by its number or its name. */
export interface PlayRequest {
  type: "play";
  action?: number | null;
  text?: string | null;
  id?: number | null;
}

/** Take moves back. Without a number: to the last turn of a person. */
export interface UndoRequest {
  type: "undo";
  moves?: number | null;
  id?: number | null;
}

/** Ask for a hint; no move is played. */
export interface HintRequest {
  type: "hint";
  seconds?: number | null;
  move?: number | null;
  id?: number | null;
}

/** End the search and play its best move. */
export interface MoveNowRequest {
  type: "move_now";
  id?: number | null;
}

/** End the search without a move and pause the game; also end an analysis. */
export interface StopRequest {
  type: "stop";
  id?: number | null;
}

/** Continue a paused game. */
export interface GoOnRequest {
  type: "go_on";
  id?: number | null;
}

/** Turn the analysis on or off; without `move`, it follows the game. */
export interface AnalyseRequest {
  type: "analyse";
  on: boolean; // true or false
  move?: number | null;
  id?: number | null;
}

/** Turn search progress on or off for this connection; on by default. */
export interface WatchRequest {
  type: "watch";
  on: boolean; // true or false
  id?: number | null;
}

/** Give a seat to another player. */
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

/** Resign for a person. Without `seat`: the person to move. */
export interface ResignRequest {
  type: "resign";
  seat?: number | null;
  id?: number | null;
}

/** Show an earlier position, for this connection only. */
export interface GoToRequest {
  type: "goto";
  move: number; // a number of moves
  id?: number | null;
}

/** Start a step-by-step search with an empty tree at a position. */
export interface WalkRequest {
  type: "walk";
  move?: number | null;
  seed?: number | null;
  options?: Record<string, boolean | number | string> | null;
  player?: SeatChoice | null;
  id?: number | null;
}

/** Run iterations of the step-by-step search; default 1. */
export interface StepRequest {
  type: "step";
  count?: number | null;
  id?: number | null;
}

/** Read a part of a search tree, also during the search. */
export interface TreeRequest {
  type: "tree";
  depth?: number | null;
  visits?: number | null;
  path?: number[] | null;
  of?: "engine" | "walk" | null;
  view?: boolean | null;
  id?: number | null;
}

/** Read the terms of the selection policy for every move at the root. */
export interface WhyRequest {
  type: "why";
  id?: number | null;
}

/** Read how each move of a line changes the board. */
export interface LineRequest {
  type: "line";
  moves: (number | string)[]; // a list of at most 32 moves
  move?: number | null;
  id?: number | null;
}

/** Save the game. */
export interface SaveRequest {
  type: "save";
  format: "gif" | "html" | "json" | "sgf" | "text"; // text or sgf or json or html or gif
  id?: number | null;
}

/** Leave the session; the server keeps the game. */
export interface LeaveRequest {
  type: "leave";
  id?: number | null;
}

/** Every message of the server. */
export type AnyAnswer = Ok | Failure | Welcome | Over | Compiling | Table | Moved | Thinking | Paused | Trouble | Shown | LineAnswer | Saved | TreeAnswer | StepAnswer | WhyAnswer;

/** Every message of a page. */
export type AnyRequest = NewRequest | FromHereRequest | LoadRequest | PasteRequest | EditRequest | HelloRequest | PlayRequest | UndoRequest | HintRequest | MoveNowRequest | StopRequest | GoOnRequest | AnalyseRequest | WatchRequest | SeatRequest | ResignRequest | GoToRequest | WalkRequest | StepRequest | TreeRequest | WhyRequest | LineRequest | SaveRequest | LeaveRequest;
