/** What the lessons and their parts are called. */
import type { Word } from "../messages";

/** Lessons. */
export const TITLES = {
  "pi": "The Monte-Carlo method",
  "bandit": "The bandit and UCB1",
  "uct": "UCT on a 2×2 board",
  "alliance": "Three players and short alliances",
} as const satisfies Record<string, Word>;

/** What they are about. */
export const ABOUT = {
  "pi": "Find π by throwing points at random, and see how the error shrinks.",
  "bandit": "Find the best of five arms, and compare your loss with UCB1's.",
  "uct": "A whole search, small enough to see every node.",
  "alliance": "X has four in a row with both ends open. Only two together can hold it.",
} as const satisfies Record<string, Word>;

/** Scenes of the alliance. */
export const ACTS = {
  "three": "X has three",
  "four": "X has four, both ends open",
} as const satisfies Record<string, Word>;

/** What happens in them. */
export const ACTS_TOLD = {
  "three": "X has three in a row in layer 3 and O is to move. Among three it is no blunder to build on: when X makes four, O and L can still block one end each. To block now is sound, too.",
  "four": "All have built on: X has four with both ends open, and O is to move. Neither O nor L can hold X alone. If O blocks one end and L the other, the game goes on: an alliance of one round. If only one of them thinks of itself, X wins.",
} as const satisfies Record<string, Word>;

/** Who plays them. */
export const STRATEGIES = {
  "plain": "Plain search",
  "improved": "The report's improved search",
  "strong": "With rules for wins and blocks",
} as const satisfies Record<string, Word>;

/** What a move does. */
export const DOES = {
  "wins": "{who} plays {move} and wins.",
  "blocks": "{who} blocks at {move}.",
  "blocks early": "{who} blocks at {move}, before it is a four.",
  "builds": "{who} plays {move} for itself.",
} as const satisfies Record<string, Word>;

/** The same in a word. */
export const MARKS = {
  "wins": "wins",
  "blocks": "blocks",
  "blocks early": "blocks early",
  "builds": "builds",
} as const satisfies Record<string, Word>;
