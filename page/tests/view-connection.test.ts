import assert from "node:assert/strict";
import { test } from "node:test";
import type { SocketLike } from "../src/socket";
import { Looker } from "../src/views/view-connection";

interface Sent {
  type: string;
  id: number;
  moves?: number[];
}

/** A server at whose table a game has so many moves, the last of which ended it. */
function server(moves: number, sent: Sent[]): SocketLike {
  const socket: SocketLike = {
    onopen: null,
    onclose: null,
    onmessage: null,
    close: () => undefined,
    send: (text) => {
      const asked = JSON.parse(text) as Sent;
      sent.push(asked);
      const count = asked.type === "new" ? (asked.moves ?? []).length : moves;
      const table = { type: "table", id: asked.id, game: "tictactoe", moves: [7, 5, 3].slice(0, count).map((action) => ({ action })), view: { terminal: count === 3 } };
      queueMicrotask(() => socket.onmessage?.({ data: JSON.stringify(table) }));
    },
  };
  queueMicrotask(() => socket.onopen?.(undefined as never));
  return socket;
}

async function joined(moves: number): Promise<{ asked: Sent[]; seen: number }> {
  const sent: Sent[] = [];
  const looker = new Looker(() => undefined, () => undefined, () => server(moves, sent));
  const table = await looker.join({ table: "t", secret: "s" });
  return { asked: sent, seen: table.moves.length };
}

test("who looks at a game that is over looks at the position before its last move", async (context) => {
  context.mock.method(globalThis, "fetch", async () => Response.json({ players: 2 }));
  const { asked, seen } = await joined(3);
  assert.deepEqual(asked[1]!.moves, [7, 5]);
  assert.equal(seen, 2);
});

test("who looks at a game that goes on looks at that table", async () => {
  const { asked, seen } = await joined(2);
  assert.deepEqual(asked.map((each) => each.type), ["hello"]);
  assert.equal(seen, 2);
});
