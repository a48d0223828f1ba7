/** The one connection to the server: questions with answers, news, and connecting again by itself. */
import type { Message, Sentence, Told } from "./protocol";

export type { Sentence, Told };

export type Connection = "connecting" | "open" | "lost";

export class ServerError extends Error {
  constructor(
    readonly sentence: Sentence,
    readonly gone = false, // what was asked for is not there any more
  ) {
    super(typeof sentence === "string" ? sentence : sentence.template);
  }
}

export const OFFLINE = "offline"; // the sentence of an error when nobody heard the question

interface Waiting {
  resolve: (message: Message) => void;
  reject: (error: Error) => void;
}

/** What a connection needs of a WebSocket; tests bring their own. */
export interface SocketLike {
  send(text: string): void;
  close(): void;
  onopen: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
}

export interface LinkEvents {
  news: (message: Message) => void; // everything that the server sends, answers too
  state: (connection: Connection) => void;
  opened: () => void; // after each connecting: sit down again
  refused: (sentence: Sentence) => void; // an error that answers no question
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 8000;

export class Link {
  private socket: SocketLike | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly make: () => SocketLike,
    private readonly events: LinkEvents,
  ) {}

  connect(): void {
    clearTimeout(this.timer);
    this.events.state("connecting");
    const socket = this.make();
    this.socket = socket;
    let open = false;
    socket.onopen = () => {
      open = true;
      this.failures = 0;
      this.events.state("open");
      this.events.opened();
    };
    socket.onmessage = (event) => this.hear(String(event.data));
    socket.onclose = () => {
      if (this.socket === socket) this.lose(open);
    };
  }

  /** Ask now rather than after the pause, as when the browser says that the network is back. */
  hurry(): void {
    if (this.socket === null) this.connect();
  }

  /** Send a message and wait for its answer; an answer of type error is thrown. */
  ask<Answer = Message>(message: { type: string } & Record<string, unknown>): Promise<Answer> {
    const id = this.next++;
    return new Promise<Answer>((resolve, reject) => {
      if (this.socket === null) return reject(new ServerError(OFFLINE));
      this.waiting.set(id, { resolve: resolve as (message: Message) => void, reject });
      try {
        this.socket.send(JSON.stringify({ ...message, id }));
      } catch {
        this.waiting.delete(id);
        reject(new ServerError(OFFLINE));
      }
    });
  }

  private hear(text: string): void {
    const message = JSON.parse(text) as Message;
    const waiting = message.id === undefined || message.id === null ? undefined : this.waiting.get(message.id);
    if (message.id !== undefined) this.waiting.delete(message.id);
    if (message.type === "error") {
      const sentence = (message["told"] ?? message["message"]) as Sentence;
      return waiting ? waiting.reject(new ServerError(sentence, message["gone"] === true)) : this.events.refused(sentence);
    }
    try {
      this.events.news(message);
    } finally {
      waiting?.resolve(message); // who asked goes on, whatever goes wrong elsewhere on the page
    }
  }

  private lose(wasOpen: boolean): void {
    this.socket = null;
    this.events.state("lost");
    for (const each of this.waiting.values()) each.reject(new ServerError(OFFLINE));
    this.waiting.clear();
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.failures);
    this.failures += wasOpen ? 0 : 1;
    this.timer = setTimeout(() => this.connect(), wait);
  }
}

/** The connection of this page. */
export function webSocket(): SocketLike {
  const address = new URL("socket", location.href.replace(/[?#].*$/, ""));
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(address) as unknown as SocketLike;
}
