/** Results of the folder as the server tells them. */
import { fixed } from "../state/format";
import type { Board, PlayedMove, Position, Thought, Value } from "../protocol";

export interface Listed {
  id: string;
  kind: string;
  game: string;
  players: string[];
  finished: number;
  wanted: number;
  asked: string;
  running: boolean;
  part_of: string;
  scores: (number | null)[]; // the mean result of every player
}

/** What is known of one player of a contest. */
export interface Standing {
  label: string;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  score: number;
  interval: [number, number] | null;
  elo: number | null; // the mean of all players is 0
  error: number | null; // half the width of its 95 % interval
}

/** The best first, as the terminal and the reports rank: by Elo, else by score. */
export function ranked(rows: Standing[]): Standing[] {
  const worth = (row: Standing): number => row.elo ?? row.score;
  return [...rows].sort((one, other) => worth(other) - worth(one) || (one.label < other.label ? -1 : 1));
}

/** An Elo with its sign and its error: +34 ±12. */
export function eloText({ elo, error }: Standing): string {
  if (elo === null) return "–";
  const rounded = Number(fixed(elo, 0));
  return `${rounded < 0 ? "−" : "+"}${Math.abs(rounded)}${error === null ? "" : ` ±${fixed(error, 0)}`}`;
}

export interface ListedGame {
  number: number;
  seats: number[];
  results: number[];
  moves: number;
  loser?: number;
  forfeit: string;
}

export interface Contest extends Listed {
  text?: string;
  summary?: { rows: Standing[]; duel: object | null };
  games: ListedGame[];
  from?: number;
}

export type StoredThought = Partial<Thought>;

export interface Replay {
  game: string;
  players: number;
  player_names: string[];
  labels: string[];
  board: Board | null;
  moves: PlayedMove[];
  values: (Value | null)[];
  views: Position[];
  thoughts: (StoredThought | null)[];
  over: { names: string; result: number[] | null } | null;
  text: string;
}

/** One line of the list: a contest of its own, or all those that belong to one tuning or experiment. */
export interface Group {
  name: string; // of the whole, or nothing
  contests: Listed[];
  finished: number;
  wanted: number;
  running: boolean;
  asked: string;
}

/** The list with what belongs together in one line, the newest first. */
export function grouped(listed: Listed[]): Group[] {
  const groups = new Map<string, Group>();
  for (const contest of listed) {
    const key = contest.part_of || contest.id;
    const group = groups.get(key) ?? { name: contest.part_of, contests: [], finished: 0, wanted: 0, running: false, asked: "" };
    group.contests.push(contest);
    group.finished += contest.finished;
    group.wanted += contest.wanted;
    group.running ||= contest.running;
    if (contest.asked > group.asked) group.asked = contest.asked;
    groups.set(key, group);
  }
  return [...groups.values()].sort((one, other) => (one.asked < other.asked ? 1 : -1));
}

/** What a group is: the kind of its contest, or of the whole that its contests belong to. */
export function kindOf(group: Group): string {
  const kind = group.contests[0]!.kind;
  if (!group.name) return kind === "match" ? kind : "tournament"; // a round-robin is one
  return /tun/.test(group.name) ? "tuning" : "experiment";
}

/** What a whole is called: of a tuning, without its number, the game and what is tuned. */
export function wholeTitle(name: string): { game: string; about: string } {
  const [, game = "", about = name] = /^tuning [0-9a-f]+: ([^ ]+), (.+)$/.exec(name) ?? [];
  return { game, about };
}

/** The seats that won a game: none where it was drawn. */
export function winningSeats(results: number[]): number[] {
  const most = Math.max(...results);
  const best = results.flatMap((result, seat) => (result === most ? [seat] : []));
  return best.length === results.length || most < 0.75 ? [] : best;
}
