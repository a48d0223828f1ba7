/** A connection of its own for a view that looks into the search: at the table one plays at, or at one of its own. */
import type { GameLook, Message, Table } from "../protocol";
import { OFFLINE, ServerError, webSocket, type SocketLike } from "../socket";
import { fetched } from "../state/fetched";

export interface Seated {
  table: string;
  secret: string;
}

interface Waiting {
  resolve: (message: Message) => void;
  reject: (error: Error) => void;
}

export class Looker {
  table: Table | null = null;
  private readonly socket: SocketLike;
  private readonly waiting = new Map<number, Waiting>();
  private readonly open: Promise<void>;
  private next = 1;
  private ended = false;

  constructor(
    private readonly news: (message: Message) => void,
    private readonly lost: () => void,
    make: () => SocketLike = webSocket,
  ) {
    this.socket = make();
    this.open = new Promise((resolve) => (this.socket.onopen = () => resolve()));
    this.socket.onmessage = (event) => this.hear(String(event.data));
    this.socket.onclose = () => this.lose();
  }

  async ask<Answer = Message>(type: string, fields: Record<string, unknown> = {}): Promise<Answer> {
    await this.open;
    if (this.ended) throw new ServerError(OFFLINE);
    const id = this.next++;
    return new Promise<Answer>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (message: Message) => void, reject });
      this.socket.send(JSON.stringify({ type, id, ...fields }));
    });
  }

  /** A table of one's own, where nobody moves; moves are given to begin from a position. */
  async begin(game: string, moves: (number | string)[] = []): Promise<Table> {
    const { players } = await fetched<GameLook>(`api/games/${encodeURIComponent(game)}`);
    const seats = Array.from({ length: players }, () => ({ kind: "person" }));
    return this.sit(await this.ask<Table>("new", { game, moves, seats }));
  }

  /** The table one plays at; where the rules have ended the game, one of its own before the last move: there is something to search. */
  async join(place: Seated): Promise<Table> {
    const found = this.sit(await this.ask<Table>("hello", { table: place.table, secret: place.secret }));
    if (!found.view.terminal || found.moves.length === 0) return found;
    return this.begin(found.game, found.moves.slice(0, -1).map((move) => move.action));
  }

  close(): void {
    this.ended = true;
    this.socket.onclose = null;
    this.socket.close();
  }

  private sit(table: Table): Table {
    this.table = table;
    return table;
  }

  private hear(text: string): void {
    const message = JSON.parse(text) as Message;
    const waiting = typeof message.id === "number" ? this.waiting.get(message.id) : undefined;
    if (waiting) {
      this.waiting.delete(message.id!);
      if (message.type === "error") waiting.reject(new ServerError(String(message["message"])));
      else waiting.resolve(message);
    } else {
      if (message.type === "table") this.sit(message as unknown as Table);
      this.news(message);
    }
  }

  private lose(): void {
    this.ended = true;
    for (const each of this.waiting.values()) each.reject(new ServerError(OFFLINE));
    this.waiting.clear();
    this.lost();
  }
}
