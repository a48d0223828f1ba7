/** What things with names are called: games, their parameters, players, moves. */
import type { Word } from "../messages";

/** Games. */
export const GAMES = {
  "amazons": "Amazons",
  "breakthrough": "Breakthrough",
  "connect4": "Connect Four",
  "five3d": "3-D five in a row",
  "go": "Go",
  "gomoku": "Gomoku",
  "havannah": "Havannah",
  "hex": "Hex",
  "lines": "Any k in a row",
  "nim": "Nim",
  "nim3": "Nim for three",
  "othello": "Othello",
  "qubic": "Qubic",
  "tictactoe": "Tic-tac-toe",
  "y": "Y",
} as const satisfies Record<string, Word>;

/** What they are about, in a line. */
export const GAME_ABOUT = {
  "amazons": "Queens move and shoot arrows that block cells; who can't move loses.",
  "breakthrough": "Men step forward and take diagonally; the first across wins.",
  "connect4": "Four in a row with stones that fall.",
  "five3d": "Five in a row in a cube, for three players.",
  "go": "Surround territory; area scoring.",
  "gomoku": "page|Five in a row on a 15x15 board.",
  "hex": "X joins top and bottom of a rhombus, O left and right.",
  "lines": "A board of one to three dimensions, any length, players and gravity.",
  "nim": "Who takes the last stone is out, and the next round begins without them.",
  "othello": "Discs between two of the other colour turn over; who has more wins.",
  "qubic": "Four in a row in a cube of 4x4x4.",
  "tictactoe": "Three in a row on a 3x3 board.",
  "y": "Who joins all three sides of a triangle wins.",
} as const satisfies Record<string, Word>;

/** Parameters of games and players. */
export const PARAMETERS = {
  "black": "black stones",
  "columns": "columns",
  "blocked": "forbidden cells",
  "exact_length": "exactly so many in a row",
  "first": "who begins",
  "gravity": "stones fall",
  "handicap": "handicap",
  "heaps": "heaps",
  "komi": "komi",
  "layers": "layers",
  "misere": "last one loses",
  "handicap_at": "where handicap stones stand",
  "handicap_bonus": "compensation",
  "players": "parameter|players",
  "rows": "rows",
  "rules": "rules",
  "win_length": "in a row",
  "size": "size",
  "suicide": "suicide",
  "superko": "superko",
  "swap": "swap rule",
  "white": "white stones",
} as const satisfies Record<string, Word>;

/** Values of parameters. */
export const VALUES = {
  "chinese": "Chinese",
  "japanese": "Japanese",
  "tromp_taylor": "Tromp-Taylor",
  "black": "stones|Black",
  "white": "stones|White",
} as const satisfies Record<string, Word>;

/** Moves that are no places. */
export const MOVES = {
  "pass": "Pass",
  "swap": "Swap",
} as const satisfies Record<string, Word>;

/** Kinds of pieces. */
export const PIECES = {
  "arrow": "arrow",
  "queen": "queen",
} as const satisfies Record<string, Word>;

/** Players. */
export const PLAYERS = {
  "alphabeta": "alpha-beta",
  "exact": "perfect play",
  "flat": "flat Monte Carlo",
  "mcts": "MCTS",
  "minimax": "minimax",
  "random": "random",
  "strong": "Strong",
} as const satisfies Record<string, Word>;

/** Searches that stand in for the full one. */
export const ENGINES = {
  "plain": "plain UCT until the full search is compiled",
  "slow": "few iterations: the search is not compiled yet",
} as const satisfies Record<string, Word>;
