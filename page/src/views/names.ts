/** What the parts of a search and of its results are called. */
import type { Word } from "../messages";

/** Terms of a formula. */
export const TERMS = {
  "mean": "mean result",
  "others": "opponents' term",
  "known": "known before",
  "exploration": "exploration",
  "history": "history",
} as const satisfies Record<string, Word>;

/** What they are for. */
export const TERMS_ABOUT = {
  "mean": "Mean result of this move for the player to move, from playouts or the network. This is the exploitation term.",
  "others": "Larger when the strongest opponent has a worse result. It makes alliances possible among three players.",
  "known": "Estimate from the prior and from RAVE. It matters while the move has few visits.",
  "exploration": "Large for moves with few visits. It grows slowly while other moves are visited, so that every move is visited again.",
  "history": "Mean result of the same move anywhere in the tree.",
} as const satisfies Record<string, Word>;

/** Phases of an iteration. */
export const PHASE_NAMES = {
  "selection": "Selection",
  "expansion": "Expansion",
  "simulation": "Simulation",
  "back-propagation": "Backpropagation",
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
