/** What the server offers: games, players and programs. */
import { sentenceOf } from "./told";
import { signal } from "@preact/signals";
import type { GameLook, GameOffer, Parameter, PlayerOffer, Seat } from "../protocol";
import { fetched } from "./fetched";
import { complain } from "./errors";

export const games = signal<GameOffer[] | null>(null);
export const players = signal<PlayerOffer[] | null>(null);

let loading: Promise<void> | null = null;

export function loadOffers(): Promise<void> {
  loading ??= loaded().finally(() => (loading = null));
  return loading;
}

async function loaded(): Promise<void> {
  if (games.value && players.value) return;
  try {
    const [offered, seated] = await Promise.all([
      fetched<GameOffer[]>("api/games"),
      fetched<PlayerOffer[]>("api/players"),
    ]);
    [games.value, players.value] = [offered, seated];
  } catch (error) {
    complain(sentenceOf(error));
  }
}

export function lookOfGame(spelling: string): Promise<GameLook> {
  return fetched<GameLook>(`api/games/${encodeURIComponent(spelling)}`);
}

/** Games of the user's own before those of the house: the server was started for them. */
export function ownFirst<Offer extends Pick<GameOffer, "own">>(offered: Offer[]): Offer[] {
  return [...offered.filter((each) => each.own), ...offered.filter((each) => !each.own)];
}

/** The game that was chosen; where none was, the first of the user's own, or Gomoku. */
export function chosenOffer<Offer extends Pick<GameOffer, "name" | "own">>(offered: Offer[], name: string): Offer | undefined {
  const named = (wanted: string) => offered.find((each) => each.name === wanted);
  return named(name) ?? offered.find((each) => each.own) ?? named("gomoku") ?? offered[0];
}

/** The spelling of a game with these values; what is as usual is left out. */
export function spell(offer: Pick<GameOffer, "name" | "parameters">, values: Record<string, string>): string {
  const written = offer.parameters
    .filter((each) => values[each.name] !== undefined && values[each.name] !== usual(each))
    .map((each) => `${each.name}=${values[each.name]}`);
  return written.length ? `${offer.name}:${written.join(",")}` : offer.name;
}

/** A spelling taken apart: the name and its values. */
export function unspell(spelling: string): { name: string; values: Record<string, string> } {
  const [name = "", rest = ""] = spelling.split(/:(.*)/s);
  const pairs = rest.split(",").filter(Boolean).map((part) => part.split("=") as [string, string]);
  return { name, values: Object.fromEntries(pairs) };
}

export function usual(parameter: Parameter): string {
  return parameter.default === null ? "" : String(parameter.default);
}

/** Whether a value is one that the parameter takes. */
export function allowed(parameter: Parameter, text: string): boolean {
  if (parameter.kind !== "int" && parameter.kind !== "float") return true;
  const value = Number(text);
  if (text.trim() === "" || Number.isNaN(value)) return false;
  if (parameter.kind === "int" && !Number.isInteger(value)) return false;
  return (parameter.low === null || value >= parameter.low) && (parameter.high === null || value <= parameter.high);
}

/** Who sits down when nobody says otherwise: a person, then the program. */
export function usualSeats(count: number, now: Seat[] = []): Seat[] {
  const program: Seat = { kind: "player", name: "strong", seconds: 1 };
  return Array.from({ length: count }, (_, seat) => now[seat] ?? (seat === 0 ? { kind: "person" } : program));
}
