/** A server that refuses everything: each refusal is one sentence where the person acted, in both languages. */
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import type { Message, Table } from "../src/protocol";
import type { Where } from "../src/state/errors";

type Heard = ((event: { data: string }) => void) | null;

/** The one socket of the page, whose server is the test. */
class Server {
  static now: Server;
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: Heard = null;
  answer: (asked: Message) => Message | null = () => null;
  constructor() {
    Server.now = this;
  }
  send(text: string): void {
    const asked = JSON.parse(text) as Message;
    const answer = this.answer(asked);
    if (answer) queueMicrotask(() => this.say({ ...answer, id: asked.id as number }));
  }
  say(message: Message): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
  close(): void {}
}

Object.assign(globalThis, {
  location: { href: "http://127.0.0.1/", hash: "" },
  WebSocket: Server,
  addEventListener: () => undefined,
  document: { addEventListener: () => undefined, hidden: false },
});
const store = await import("../src/state/store");
const { complain, forgive, leaveView, offerPlace, strayTrouble, trouble } = await import("../src/state/errors");
const { sayTrouble } = await import("../src/state/told");
const { chooseLanguage } = await import("../src/messages");
store.start();
Server.now.onopen!();

afterEach(async () => {
  forgive();
  await chooseLanguage("en");
  Server.now.answer = () => null;
});

const refusing = (message: string) => (): Message => ({ type: "error", message });
const seat = { kind: "player" as const, name: "strong" };
const table = { type: "table", table: "t", game: "gomoku", players: 2, seats: [seat, seat], moves: [], values: [null], view: { moves: [], pieces: [] } } as unknown as Table;

const ACTS: [string, () => unknown, Where][] = [
  ["a game is begun", () => store.begin("gomoku", []), "begin"],
  ["a record is loaded", () => store.load("x"), "begin"],
  ["a text is pasted", () => store.paste("x"), "begin"],
  ["a position is set up", () => store.edit("gomoku", [], 0, []), "begin"],
  ["a kept game is gone on with", () => store.returnTo({ table: "t", secret: "s", game: "gomoku" }), "kept"],
  ["a cell is clicked", () => store.play(4), "board"],
  ["a move is typed", () => store.playText("h8"), "typed"],
  ["moves are taken back", () => store.undo(), "actions"],
  ["a hint is asked for", () => store.hint(), "actions"],
  ["the program is to move now", () => store.moveNow(), "actions"],
  ["the program is to stop", () => store.pause(true), "actions"],
  ["the program is to go on", () => store.pause(false), "actions"],
  ["a game is given up", () => store.resign(), "actions"],
  ["a seat is taken", () => store.takeSeat(1, seat), "seats"],
  ["a game is begun from a position", () => store.fromHere(), "review"],
  ["a record is saved", () => store.save("sgf"), "record"],
  ["a table is left", () => store.leave(), "page"],
];

for (const [what, act, where] of ACTS) {
  test(`a refusal is told where ${what}, and so is a server that is gone`, async () => {
    Server.now.answer = refusing("too many new games in a minute: wait a little");
    await act();
    assert.equal(trouble.value?.where, where);
    assert.equal(sayTrouble(trouble.value!.sentence), "Too many new games in a minute: wait a little.");
    await chooseLanguage("zh");
    assert.equal(sayTrouble(trouble.value!.sentence), "一分钟内开了太多新对局：请稍等。");
    Server.now.answer = () => {
      throw new Error("a socket that is closing");
    };
    await act();
    assert.equal(trouble.value?.where, where);
    assert.equal(sayTrouble(trouble.value!.sentence), "无法连接到服务器：请重试。");
  });
}

test("who takes a seat says only what the server wants to hear", async () => {
  const heard: Message[] = [];
  Server.now.answer = (asked) => {
    heard.push(asked);
    return { type: "ok" };
  };
  await store.takeSeat(1, { ...seat, seconds: 2, spelling: "strong:seconds=1" });
  const { id: _, ...said } = heard[0]!;
  assert.deepEqual(said, { type: "seat", seat: 1, kind: "player", name: "strong", seconds: 2 });
});

test("a position that can't be looked at is told beside the arrows", async () => {
  Server.now.say({ ...table, moves: [{ number: 1 }, { number: 2 }] } as unknown as Message);
  Server.now.answer = refusing("only 1 moves were played");
  store.lookAt(1);
  await new Promise(setImmediate);
  assert.deepEqual(trouble.value, { where: "review", sentence: "only 1 moves were played" });
});

test("a new game is not analysed at the move of another game that was looked at", async () => {
  const heard: Message[] = [];
  Server.now.answer = (asked) => {
    heard.push(asked);
    return asked.type === "goto" ? { type: "shown", move: 1, view: table.view, last: null, thought: null, last_moves: [] } : { type: "ok" };
  };
  Server.now.say({ ...table, moves: [{ number: 1 }, { number: 2 }] } as unknown as Message);
  store.chooseHints("on");
  store.lookAt(1);
  await new Promise(setImmediate);
  assert.ok(heard.some((each) => each.type === "analyse" && each["move"] === 1));
  heard.length = 0;
  Server.now.say({ ...table, table: "next" } as unknown as Message);
  await new Promise(setImmediate);
  store.chooseHints("off");
  assert.deepEqual(heard.filter((each) => each.type === "analyse").map((each) => each["move"]), [undefined, undefined]);
});

test("an analysis that is refused is told beside its switch", async () => {
  Server.now.say(table as unknown as Message);
  Server.now.answer = refusing("all 16 engines are in use: wait until a game is over");
  store.chooseHints("on");
  await new Promise(setImmediate);
  assert.equal(trouble.value?.where, "analysis");
  store.chooseHints("off");
});

test("a program that can't go on is told beside the board, and a pause that somebody else made is seen", () => {
  Server.now.say(table as unknown as Message);
  Server.now.say({ type: "trouble", message: "no move was found" });
  Server.now.say({ type: "paused", paused: true });
  assert.deepEqual(trouble.value, { where: "board", sentence: "no move was found" });
  assert.equal(store.table.value?.paused, true);
});

test("a refusal that the catalogue has not begins in the chosen language", async () => {
  await chooseLanguage("zh");
  assert.match(sayTrouble("ownership needs simulations"), /^请求失败：ownership needs simulations/);
  chooseLanguage("en");
  assert.equal(sayTrouble("ownership needs simulations"), "Ownership needs simulations.");
});

test("an answer that is late is told, and forgotten when it comes", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const begun = store.begin("gomoku", []);
  mock.timers.tick(6000);
  assert.equal(trouble.value?.where, "begin");
  assert.match(sayTrouble(trouble.value!.sentence), /not answered yet/);
  mock.timers.reset();
  Server.now.onclose!(); // a lost connection fails what was asked at once
  await begun;
  assert.equal(sayTrouble(trouble.value!.sentence), "The server could not be reached: try again.");
});

test("what no place on the view shows is shown below everything, and only there", () => {
  complain("x", "begin");
  assert.equal(strayTrouble.value?.sentence, "x");
  const gone = offerPlace("begin");
  assert.equal(strayTrouble.value?.sentence, undefined);
  gone();
  assert.equal(strayTrouble.value?.sentence, "x");
});

test("another view begins without the refusals of the last one", () => {
  complain("x", "begin");
  leaveView();
  assert.equal(trouble.value, null);
});

test("a kept game is forgotten only if the server has no such table", async () => {
  const kept = new Map<string, string>();
  Object.assign(globalThis, { localStorage: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value), removeItem: (key: string) => kept.delete(key) } });
  const { keepPlace, places } = await import("../src/state/recent-games");
  keepPlace(table, "s");
  await store.returnTo(places()[0]!); // the connection is lost
  assert.equal(places().length, 1);
  store.start();
  Server.now.onopen!();
  Server.now.answer = refusing("too many games are open on this server: try again in a while");
  await store.returnTo(places()[0]!);
  assert.equal(places().length, 1);
  Server.now.answer = () => ({ type: "error", message: "this game does not exist on the server, or its secret is wrong", gone: true });
  await store.returnTo(places()[0]!);
  assert.equal(places().length, 0);
});
