/** The tables that this browser sat at, with what people know a game by: who played, when, how far it went. */
import { lookOf } from "../boards/stone-style";
import type { Seat, Table } from "../protocol";
import { language, say } from "../messages";
import { winners } from "./updates";
import { seatTitle } from "./format";
import { recall, remember } from "./local-storage";

const MOST = 12;

export interface Place {
  table: string;
  secret: string;
  game: string;
  seats?: Seat[];
  names?: string[]; // of the players; none where stones are black and white
  when?: number; // of the last move, in milliseconds
  moves?: number;
  result?: number[] | null;
}

/** All of them, the newest first. */
export function places(): Place[] {
  try {
    return JSON.parse(recall("places") ?? "[]") as Place[];
  } catch {
    return [];
  }
}

function keep(all: Place[]): void {
  remember("places", JSON.stringify(all.slice(0, MOST)));
}

/** Remember a table that one sits at: its secret is told only once. */
export function keepPlace(now: Table, secret: string): void {
  keep([placeOf(now, secret), ...places().filter((place) => place.table !== now.table)]);
  remember("table", now.table);
}

/** Remember how far the game is. */
export function notePlace(now: Table): void {
  const known = places();
  const before = known.find((place) => place.table === now.table);
  if (!before) return;
  const next = placeOf(now, before.secret);
  if (next.moves === before.moves && before.when) next.when = before.when;
  keep(known.map((place) => (place === before ? next : place)));
}

export function dropPlace(gone: Place): void {
  keep(places().filter((place) => place.table !== gone.table));
}

function placeOf(now: Table, secret: string): Place {
  const names = lookOf(now.board, now.players) === "stone" ? [] : now.player_names;
  const about = { seats: now.seats, names, when: Date.now(), moves: now.moves.length, result: now.over?.result ?? null };
  return { table: now.table, secret, game: now.game, ...about };
}

/** Who plays whom. */
export function playersOf(place: Place): string {
  return (place.seats ?? []).map(seatTitle).join(" – ");
}

/** When it was, and how it stands. */
export function standOf(place: Place): string {
  if (place.when === undefined) return "";
  const locale = language.value === "zh" ? "zh-CN" : "en-GB";
  const when = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(place.when);
  const count = place.moves ?? 0;
  return [when, say(count === 1 ? "1 move" : "{count} moves", { count }), endOf(place)].filter(Boolean).join(" · ");
}

function endOf(place: Place): string {
  if (!place.result) return "";
  const won = winners(place.result).map((player) => place.names?.[player] ?? say(player === 0 ? "stones|Black" : "stones|White"));
  return won.length ? say("{player} wins", { player: won.join(", ") }) : say("A draw");
}
