/** Numbers and names for people. */
import { GAMES, MOVES, PARAMETERS, PIECES, PLAYERS, VALUES } from "./names";
import { lookOf } from "../boards/stone-style";
import type { Seat, Table } from "../protocol";
import { called, language, say } from "../messages";

export function percent(value: number, digits = 0): string {
  return `${fixed(hundredfold(value), digits)} %`;
}

/** A hundred times what is written: 28.75 of 0.2875, where 100 * 0.2875 is 28.749999999999996. */
export function hundredfold(value: number): number {
  const written = String(value);
  return written.includes("e") ? 100 * value : Number(`${written}e2`);
}

/**
 * A number with so many decimals, as the terminal and the reports write it: a value in the middle goes to the even digit.
 * So 26.25 is 26.2 and 73.75 is 73.8, and both together are 100.0. toFixed would say 26.3.
 */
export function fixed(value: number, digits: number): string {
  const told = value.toFixed(digits);
  const half = Math.abs(value) * 2 ** (digits + 1); // odd only where the decimals end in the middle
  if (half % 2 !== 1 || Number(told.at(-1)) % 2 === 0) return told;
  return (Number(told) - Math.sign(value) * 10 ** -digits).toFixed(digits);
}

/** 950, 12.3k, 4.5M. */
export function compact(value: number): string {
  if (value < 1000) return String(Math.round(value));
  const [scaled, unit] = value < 1e6 ? [value / 1e3, "k"] : [value / 1e6, "M"];
  return `${scaled < 100 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString(language.value === "zh" ? "zh-CN" : "en");
}

/** The name of a game without its parameters, in the chosen language. */
export function gameTitle(spelling: string): string {
  const [name = "", values] = spelling.split(/:(.*)/s);
  const title = called(GAMES, name);
  return values ? `${title} (${valuesTitle(values)})` : title;
}

/** Who sits there, in short. */
export function seatTitle(seat: Seat): string {
  if (seat.kind === "person") return seat.name && seat.name !== "person" ? seat.name : say("Person");
  if (seat.kind === "program") return seat.name ?? "";
  if (seat.name === "level") return say("Level {number}", { number: seat.level ?? "" });
  const budget = seat.seconds ? say("{seconds} s", { seconds: seat.seconds }) : "";
  const work = seat.iterations ? say("{count} simulations", { count: compact(seat.iterations) }) : "";
  return [called(PLAYERS, seat.name ?? ""), budget || work].filter(Boolean).join(" · ");
}

/** A player's name; whose stones are black and white is called so. */
export function playerName(table: Pick<Table, "player_names" | "players" | "board">, player: number): string {
  if (lookOf(table.board, table.players) === "stone") return say(player === 0 ? "stones|Black" : "stones|White");
  return table.player_names[player] ?? String(player + 1);
}

/** All players' names. */
export function playerNames(table: Pick<Table, "player_names" | "players" | "board">): string[] {
  return table.player_names.map((_, player) => playerName(table, player));
}

/** A piece in words: whose it is, and its kind where it has one. */
export function kindTitle(table: Pick<Table, "player_names" | "players" | "board">, player: number, kind: string): string {
  const word = kind ? called(PIECES, kind) : player < 0 ? say("stone") : "";
  return [player < 0 ? "" : playerName(table, player), word].filter(Boolean).join(" ");
}

/** The 95 % interval of a mean of results in [0, 1] (Wilson 1927), as the search gives it. */
export function wilson(mean: number, count: number): [number, number] {
  const z2 = 1.959964 ** 2 / Math.max(count, 1);
  const centre = (mean + z2 / 2) / (1 + z2);
  const half = (Math.sqrt(z2) * Math.sqrt(Math.max(0, mean * (1 - mean)) + z2 / 4)) / (1 + z2);
  return count === 0 ? [0, 1] : [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/** What a usual variant of a game is called: its parameters as the form calls them. */
export function presetTitle(spelling: string): string {
  const values = spelling.split(/:(.*)/s)[1];
  return values ? valuesTitle(values) : say("usual");
}

/** A value that has a name, such as a set of rules; any other as it is. */
export function valueTitle(value: string): string {
  return value === "" ? say("usual") : called(VALUES, value);
}

/** The name of a move in the chosen language: of a pass or a swap; any other is notation. */
export const moveTitle = (name: string): string => (language.value === "en" ? name : called(MOVES, name));

/** Moves one after another; names of more than one word are kept apart. */
export function lineTitle(names: string[]): string {
  return names.map(moveTitle).join(names.some((name) => name.includes(" ")) ? say("list|, ") : " ");
}

const SET_UP = new Set(["position", "handicap_at", "black", "white", "first"]); // stones by name would fill a title

function valuesTitle(values: string): string {
  const shown = values.split(",").map((each) => each.split("="));
  const set = shown.some(([name = ""]) => SET_UP.has(name));
  const told = shown
    .filter(([name = ""]) => !SET_UP.has(name))
    .map(([name = "", value = ""]) => [called(PARAMETERS, name, name.replaceAll("_", " ")), value])
    .map(([title, value = ""]) => (value === "true" ? title : `${title} ${valueTitle(value)}`));
  return [...told, ...(set ? [say("set up")] : [])].join(language.value === "zh" ? "，" : ", ");
}
