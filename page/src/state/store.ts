/** What the page knows, as signals, and everything that it can ask for. Views read and call this. */
import { batch, computed, effect, type Signal, signal } from "@preact/signals";
import type { Compiling, Message, Moved, Over, Piece, Saved, Seat, Shown, Table, Thinking, Welcome } from "../protocol";
import { type Connection, Link, OFFLINE, type Sentence, ServerError, webSocket } from "../socket";
import { say, type Word } from "../messages";
import { isGuess } from "./chances";
import { afterEnd, afterMove, personToMove, winners } from "./updates";
import { moveTitle, playerName } from "./format";
import { recall, remember } from "./local-storage";
import { dropPlace, keepPlace, notePlace, type Place, places } from "./recent-games";
import { sentenceOf } from "./told";
import { complain, forgive, type Trouble, trouble, type Where, whereOf } from "./errors";

const PATIENCE = 5000; // milliseconds for an answer, before one is told that it is late
const HINT_PATIENCE = 60_000; // its search may have to be compiled, which is told already

export type Hints = "off" | "on" | "after";

export const connection = signal<Connection>("connecting");
export const cut = signal(false); // the connection was lost and is not back
export const welcome = signal<Welcome | null>(null);
export const table = signal<Table | null>(null);
export const settled = signal(false); // whether it is known if there is a table to return to
export const thinking = signal<Thinking | null>(null); // the newest of the position that is played
export const before = signal<Thinking | null>(null); // the last of the position before a person's last move
export const compiling = signal<Compiling | null>(null);
export const looking = signal<number | null>(null); // the position that is reviewed; null: the one that is played
export const shown = signal<Shown | null>(null);
export const lookingThought = signal<Thinking | null>(null); // live analysis of the reviewed position
export const hints = signal<Hints>((recall("hints") as Hints | null) ?? "off");
export const asked = signal<Thinking | null>(null); // the answer to `hint`
export const spoken = signal(""); // what a screen reader says next
export const busy = signal(false); // a question is on its way

const tableName = computed(() => table.value?.table ?? null);

/** What belongs to one table, such as an open form: at another table it begins anew. */
export function ofTable<Value>(beginning: Value): Signal<Value> {
  const found = signal(beginning);
  effect(() => {
    void tableName.value;
    found.value = beginning;
  });
  return found;
}

/** The position on the board: the one that is played, or the one that is reviewed. */
export const view = computed(() => (looking.value === null ? (table.value?.view ?? null) : (shown.value?.view ?? null)));
export const number = computed(() => looking.value ?? table.value?.moves.length ?? 0);
export const lastMove = computed(() => {
  const moves = table.value?.moves ?? [];
  return number.value > 0 ? (moves[number.value - 1] ?? null) : null;
});
/** Where each player moved last before the position on the board. */
export const lastMoves = computed(() => (looking.value === null ? table.value?.last_moves : shown.value?.last_moves) ?? []);
export const myTurn = computed(
  () => looking.value === null && table.value !== null && personToMove(table.value) && connection.value === "open",
);

type Hearer = (message: Message) => void;
const hearers = new Set<Hearer>();

/** Hear everything that the server sends, as views with messages of their own do. Call the result to end it. */
export function hear(hearer: Hearer): () => void {
  hearers.add(hearer);
  return () => hearers.delete(hearer);
}

const link = new Link(webSocket, {
  news: (message) => {
    news(message);
    for (const hearer of hearers) hearer(message);
  },
  state: (state) => {
    connection.value = state;
    if (state !== "connecting") cut.value = state === "lost";
  },
  opened: () => void sitDownAgain(),
  refused: (sentence) => complain(sentence),
});

export function start(): void {
  link.connect();
  addEventListener("online", () => link.hurry());
  document.addEventListener("visibilitychange", () => document.hidden || link.hurry());
  effect(() => analyseAsWished());
  effect(() => judgeAfterwards());
  effect(() => {
    if (table.value) notePlace(table.value);
  });
}

/** Ask the server; a refusal is shown where the person acted, and the answer is then null. */
const NO_ANSWER: Word = "the server has not answered yet: it may be busy, or the connection may be lost";

export async function ask<Answer = Message>(type: string, fields: Record<string, unknown> = {}, where: Where = whereOf(type)): Promise<Answer | null> {
  forgive();
  busy.value = true;
  let late: Trouble | null = null;
  const patience = setTimeout(() => (late = complain(NO_ANSWER, where)), type === "hint" ? HINT_PATIENCE : PATIENCE);
  try {
    const answer = await link.ask<Answer>({ type, ...fields });
    if (late && trouble.value === late) forgive(where);
    return answer;
  } catch (error) {
    complain(sentenceOf(error), where, error instanceof ServerError && error.gone);
    return null;
  } finally {
    clearTimeout(patience);
    busy.value = false;
  }
}

/** Ask for what only helps: a refusal is not shown. */
export function askQuietly<Answer>(type: string, fields: Record<string, unknown>): Promise<Answer | null> {
  return link.ask<Answer>({ type, ...fields }).catch(() => null);
}

export function speak(sentence: string): void {
  // The same sentence twice is said twice only if the text differs.
  spoken.value = sentence === spoken.value ? `${sentence}\u00a0` : sentence;
}

/* News. */

function news(message: Message): void {
  const heard: unknown = message;
  if (message.type === "welcome") welcome.value = heard as Welcome;
  else if (message.type === "table") batch(() => sit(heard as Table)); // no effect sees one table at the place of another
  else if (message.type === "moved") moved(heard as Moved);
  else if (message.type === "over") over(heard as Over);
  else if (message.type === "thinking") thought(heard as Thinking);
  else if (message.type === "trouble") complain((message["told"] ?? message["message"]) as Sentence, "board");
  else if (message.type === "paused" && table.value) table.value = { ...table.value, paused: message["paused"] === true };
  else if (message.type === "compiling") compiling.value = (heard as Compiling).done ? null : (heard as Compiling);
}

function sit(next: Table): void {
  const other = table.value?.table !== next.table;
  if (next.secret) keepPlace(next, next.secret);
  const longer = next.moves.length === table.value?.moves.length;
  table.value = next;
  settled.value = true;
  compiling.value = next.compiling && !next.compiling.done ? next.compiling : null;
  if (other || !longer) [thinking.value, before.value, asked.value] = [null, null, null];
  if (other) lookAt(null);
  else if (looking.value !== null) lookAt(Math.min(looking.value, next.moves.length));
}

function moved(move: Moved): void {
  const now = table.value;
  if (!now) return;
  const known = thinking.value?.move === move.number - 1 && !isGuess(thinking.value.thought) ? thinking.value : null;
  const next = afterMove(now, move, known?.thought);
  if (!next) return void sitDownAgain();
  if (next === now) return;
  if (now.seats[move.by]?.kind === "person") before.value = known;
  [thinking.value, asked.value] = [null, null];
  forgive("board", "typed", "actions");
  table.value = next;
  speakMove(next, move);
}

function speakMove(now: Table, move: Moved): void {
  const told = say("{player} plays {move}.", { player: playerName(now, move.by), move: moveTitle(move.name) });
  const turn = personToMove(now) && !now.view.terminal ? say("{player} to move.", { player: playerName(now, now.view.to_move!) }) : "";
  speak(`${told} ${turn}`.trim());
}

function over(end: Over): void {
  if (!table.value) return;
  table.value = afterEnd(table.value, end);
  thinking.value = null;
  speak(`${spoken.value} ${endTitle(table.value)}`);
}

/** How the game ended, in words. */
export function endTitle(now: Table): string {
  const result = now.over?.result ?? null;
  const names = winners(result).map((player) => playerName(now, player));
  if (!now.over) return "";
  const told = names.length ? say("{player} wins", { player: names.join(", ") }) : say("A draw");
  return now.over.resigned === null ? told : `${say("{player} resigns.", { player: playerName(now, now.over.resigned) })} ${told}`;
}

let newest: Thinking | null = null;

/** Thoughts come faster than a slow machine draws: with each frame the newest is shown, the others never. */
function thought(heard: Thinking): void {
  if (heard.done || document.hidden) return showThought(heard);
  if (!newest) requestAnimationFrame(() => newest && showThought(newest));
  newest = heard;
}

function showThought(heard: Thinking): void {
  newest = null;
  if (looking.value !== null && heard.move === looking.value && heard.what !== "move") lookingThought.value = heard;
  if (heard.what === "hint" && heard.move === table.value?.moves.length) asked.value = heard;
  else if (heard.what === "hint" && heard.done) before.value = heard;
  if (table.value && heard.move === table.value.moves.length) thinking.value = heard;
}

/* Places at tables. */

async function sitDownAgain(): Promise<void> {
  const place = places().find((each) => each.table === recall("table"));
  if (!place) {
    settled.value = true;
    return;
  }
  try {
    await link.ask({ type: "hello", table: place.table, secret: place.secret });
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === OFFLINE) return; // it connects again by itself
    if (error instanceof ServerError && error.gone) forget(place);
    [table.value, settled.value] = [null, true];
    complain(sentence, "kept");
  }
}

/** A table that the server does not have is forgotten; any other refusal may be over soon. */
function forget(place: Place): void {
  dropPlace(place);
  if (recall("table") === place.table) remember("table", null);
}

export async function returnTo(place: Place): Promise<boolean> {
  const answer = await ask("hello", { table: place.table, secret: place.secret });
  if (!answer && trouble.value?.gone) forget(place);
  return answer !== null;
}

export async function leave(): Promise<void> {
  remember("table", null);
  table.value = null;
  lookAt(null);
  await ask("leave");
}

/* What a person does at the table. */

export const begin = (game: string, seats: Seat[]): Promise<unknown> => ask("new", { game, seats });
export const play = (action: number): Promise<unknown> => ask("play", { action });
export const playText = (text: string): Promise<unknown> => ask("play", { text }, "typed");
export const undo = (): Promise<unknown> => ask("undo");
export const moveNow = (): Promise<unknown> => ask("move_now");
/** Give up: who is to move, or another person at the table. */
export function resign(): Promise<unknown> {
  const now = table.value;
  const person = now?.seats.findIndex((seat) => seat.kind === "person") ?? -1;
  return ask("resign", myTurn.value || person < 0 ? {} : { seat: person });
}
export function takeSeat(seat: number, who: Seat): Promise<unknown> {
  const { spelling: _, ...named } = who; // which is the server's to say
  return ask("seat", { seat, ...named });
}
export const fromHere = (): Promise<unknown> => ask("from_here", { move: number.value });
export const load = (text: string): Promise<unknown> => ask("load", { text });
export const paste = (text: string, game?: string): Promise<unknown> => ask("paste", { text, ...(game ? { game } : {}) });
export const edit = (game: string, pieces: Piece[], toMove: number | null, seats: Seat[]): Promise<unknown> =>
  ask("edit", { game, pieces, seats, ...(toMove === null ? {} : { to_move: toMove }) });
export const save = (format: string): Promise<Saved | null> => ask<Saved>("save", { format });

export async function pause(stop: boolean): Promise<void> {
  if ((await ask(stop ? "stop" : "go_on")) && table.value) table.value = { ...table.value, paused: stop };
}

export async function hint(): Promise<void> {
  const answer = await ask<Thinking>("hint");
  if (answer?.thought) speak(say(isGuess(answer.thought) ? "First estimate: {move}." : "Hint: {move}.", { move: moveTitle(answer.thought.variation[0] ?? "") }));
}

/** Look at an earlier position, or with null go back to the one that is played. */
export function lookAt(wanted: number | null): void {
  const length = table.value?.moves.length ?? 0;
  const next = wanted === null || wanted >= length ? null : Math.max(0, wanted);
  if (next === null) {
    [looking.value, shown.value, lookingThought.value] = [null, null, null];
    return;
  }
  void link.ask<Shown>({ type: "goto", move: next }).then(
    (answer) => {
      if (looking.value !== next) lookingThought.value = null;
      [looking.value, shown.value] = [next, answer];
      const last = lastMove.value;
      speak(last ? say("After move {number}, {move}.", { number: next, move: moveTitle(last.name) }) : say("The start of the game."));
    },
    (error: Error) => complain(sentenceOf(error), "review"),
  );
}

export function chooseHints(chosen: Hints): void {
  hints.value = chosen;
  remember("hints", chosen);
}

let analysed = "off";

/** Analysis runs on the server while hints are wished for, of the position that one looks at. */
function analyseAsWished(): void {
  const now = table.value;
  const position = view.value;
  const wished = now && hints.value !== "off" && connection.value === "open" && position && !position.terminal;
  const live = looking.value === null;
  const wanted = wished ? `${now.table} ${live ? "live" : looking.value}` : "off";
  if (connection.value !== "open") analysed = "off"; // after a drop, ask again
  if (wanted === analysed) return;
  if (wanted === "off" && !(now && connection.value === "open")) return;
  analysed = wanted;
  const fields = wanted === "off" ? { on: false } : live ? { on: true } : { on: true, move: looking.value };
  void link.ask({ type: "analyse", ...fields }).catch((error: Error) => {
    if (sentenceOf(error) !== OFFLINE) complain(sentenceOf(error), "analysis"); // after a drop it is asked again
  });
}

let judged = "";

/** Who moves before the search knows anything hears of the move as soon as no program has to think about its own. */
function judgeAfterwards(): void {
  const now = table.value;
  if (!now || hints.value !== "after" || before.value || connection.value !== "open" || !(myTurn.value || now.over)) return;
  const move = now.moves.findLastIndex((each) => now.seats[each.by]?.kind === "person");
  const wanted = `${now.table} ${now.moves.length}`;
  if (move < 0 || wanted === judged) return;
  judged = wanted;
  void link.ask({ type: "hint", move, seconds: 0.5 }).catch(() => null); // nothing is lost without
}
