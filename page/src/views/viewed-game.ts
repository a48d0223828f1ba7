/** What the looking views have in common: which game they look at, and the connection to it. */
import { type Sentence, sentenceOf } from "../state/told";
import { useEffect, useRef, useState } from "preact/hooks";
import { fetched } from "../state/fetched";
import type { GameOffer, Message, Table } from "../protocol";
import { OFFLINE } from "../socket";
import { recall, remember } from "../state/local-storage";
import { places } from "../state/recent-games";
import { Looker } from "./view-connection";

export const MINE = "mine"; // the table that one plays at
const FIRST = ["tictactoe", "connect4", "gomoku:size=9", "go:size=5", "five3d"]; // sizes at which one sees something

/** The games to look at: those above, and all others that the server has. */
export function gamesToLookAt(names: string[]): string[] {
  const bases = new Set(FIRST.map((each) => each.split(":")[0]));
  return [...FIRST, ...names.filter((name) => !bases.has(name) && name !== "lines")];
}

export interface Seat {
  table: Table | null;
  trouble: Sentence | null;
  chosen: string; // a game, or MINE
  choices: string[];
  choose: (chosen: string) => void;
  ask: <Answer>(type: string, fields?: Record<string, unknown>, quiet?: boolean) => Promise<Answer | null>; // null: refused
  retry: () => void;
}

/** A seat at the game that was chosen; `heard` gets all news of that table. */
export function useSeat(first: string, heard: (message: Message) => void): Seat {
  const mine = places().find((place) => place.table === recall("table"));
  const [chosen, setChosen] = useState(() => recall("looked") ?? (mine ? MINE : first));
  const [attempt, setAttempt] = useState(0);
  const [table, setTable] = useState<Table | null>(null);
  const [trouble, setTrouble] = useState<Sentence | null>(null);
  const looker = useRef<Looker | null>(null);
  const told = useRef(heard);
  told.current = heard;
  const known = chosen === MINE && !mine ? first : chosen;
  const [games, setGames] = useState<string[]>([]);
  useEffect(() => {
    fetched<GameOffer[]>("api/games").then((all) => setGames(all.map((each) => each.name)), () => undefined);
  }, []);

  useEffect(() => {
    let left = false;
    setTable(null);
    setTrouble(null);
    const fail = (error: Error) => left || setTrouble(sentenceOf(error));
    const made = new Looker(
      (message) => {
        if (message.type === "table") setTable(message as unknown as Table);
        if (message.type === "error") setTrouble(String(message["message"]));
        told.current(message);
      },
      () => left || setTrouble(OFFLINE),
    );
    looker.current = made;
    const sat = known === MINE && mine ? made.join(mine) : made.begin(known);
    sat.then((found) => left || setTable(found), fail);
    return () => {
      left = true;
      made.close();
    };
  }, [known, attempt]);

  return {
    table,
    trouble,
    chosen: known,
    choices: [...(mine ? [MINE] : []), ...gamesToLookAt(games)],
    choose: (next) => {
      remember("looked", next);
      setChosen(next);
    },
    ask: async (type, fields = {}, quiet = false) => {
      const asked = looker.current;
      try {
        const answer = asked ? await asked.ask(type, fields) : null;
        return (asked === looker.current ? answer : null) as never;
      } catch (error) {
        if (asked === looker.current && !quiet) setTrouble(sentenceOf(error));
        return null;
      }
    },
    retry: () => setAttempt(attempt + 1),
  };
}
