/** What the parts of a search and of its results are called. */
import type { Word } from "../words";

/** Terms of a formula. */
export const TERMS = {
  "mean": "mean result",
  "others": "others kept down",
  "known": "known before",
  "exploration": "exploration",
  "history": "history",
} as const satisfies Record<string, Word>;

/** What they are for. */
export const TERMS_ABOUT = {
  "mean": "What came out below this move for the one who moves, in simulations or as a network judges: the part that repeats what is good.",
  "others": "Larger the worse the strongest other player fares: alliances of three come from it.",
  "known": "What the game's own guess or moves played later add before there are many visits.",
  "exploration": "Large for moves with few visits, and it grows slowly while others are visited: no move is forgotten.",
  "history": "How well the same move did anywhere in the tree.",
} as const satisfies Record<string, Word>;

/** Phases of an iteration. */
export const PHASE_NAMES = {
  "selection": "Selection",
  "expansion": "Expansion",
  "simulation": "Simulation",
  "back-propagation": "Back-propagation",
} as const satisfies Record<string, Word>;

/** How a move is chosen. */
export const FORMULA_NAMES = {
  "uct": "UCT",
  "random": "chance alone",
  "ucb1_tuned": "UCB1-tuned",
} as const satisfies Record<string, Word>;

/** Kinds of results. */
export const KIND_NAMES = {
  "match": "match",
  "tournament": "tournament",
  "tuning": "tuning",
  "experiment": "experiment",
  "all": "all",
} as const satisfies Record<string, Word>;

/** Columns of the standings. */
export const STANDING_NAMES = {
  "player": "Player",
  "games": "Games",
  "wins": "Wins",
  "draws": "Draws",
  "losses": "Losses",
  "score": "results|Score",
  "elo": "Elo",
  "interval": "95 % interval",
} as const satisfies Record<string, Word>;
