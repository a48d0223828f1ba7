import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { Message } from "../src/protocol";
import { Link, type SocketLike, type Sentence } from "../src/socket";

class Fake implements SocketLike {
  sent: Message[] = [];
  onopen: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  send(text: string): void {
    this.sent.push(JSON.parse(text) as Message);
  }
  close(): void {}
  open(): void {
    this.onopen?.(undefined as never);
  }
  drop(): void {
    this.onclose?.(undefined as never);
  }
  say(message: Message): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

function connected() {
  const made: Fake[] = [];
  const states: string[] = [];
  const news: string[] = [];
  const refused: Sentence[] = [];
  let opened = 0;
  const make = (): Fake => {
    const socket = new Fake();
    made.push(socket);
    return socket;
  };
  const link = new Link(make, { news: (message) => news.push(message.type), state: (state) => states.push(state), opened: () => opened++, refused: (sentence) => refused.push(sentence) });
  link.connect();
  made[0]!.open();
  return { link, made, states, news, refused, opened: () => opened };
}

test("an answer reaches who asked, and news reaches everybody", async () => {
  const { link, made, news } = connected();
  const answer = link.ask({ type: "play", action: 4 });
  made[0]!.say({ type: "thinking" });
  made[0]!.say({ type: "moved", id: 1, number: 1 });
  assert.equal((await answer)["number"], 1);
  assert.deepEqual(news, ["thinking", "moved"]);
});

test("a refusal is thrown as its one sentence", async () => {
  const { link, made } = connected();
  const answer = link.ask({ type: "play", action: 4 });
  made[0]!.say({ type: "error", id: 1, message: "it is not your turn" });
  await assert.rejects(answer, /not your turn/);
});

test("a refusal that answers no question is heard all the same", () => {
  const { made, refused } = connected();
  made[0]!.say({ type: "error", message: "the message is too long" });
  assert.deepEqual(refused, ["the message is too long"]);
});

test("who asked hears the answer even where something else on the page fails", async () => {
  const socket = new Fake();
  const fail = (): never => {
    throw new Error("a part of the page");
  };
  const link = new Link(() => socket, { news: fail, state: () => undefined, opened: () => undefined, refused: () => undefined });
  link.connect();
  socket.open();
  const answer = link.ask({ type: "new" });
  assert.throws(() => socket.say({ type: "table", id: 1 }));
  assert.equal((await answer).type, "table");
});

test("a lost connection is opened again, and what was asked fails at once", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { link, made, states, opened } = connected();
  const answer = link.ask({ type: "hint" });
  made[0]!.drop();
  await assert.rejects(answer, /offline/);
  await assert.rejects(link.ask({ type: "hint" }), /offline/);
  mock.timers.tick(600);
  made[1]!.open();
  assert.deepEqual(states, ["connecting", "open", "lost", "connecting", "open"]);
  assert.equal(opened(), 2);
  mock.timers.reset();
});
