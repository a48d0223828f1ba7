/** One line above the board: whose turn it is, how it ended, what the program prepares. */
import { useEffect, useState } from "preact/hooks";
import { lookOf, Sign } from "../boards/piece";
import type { Table } from "../protocol";
import { mayCompile } from "../state/changes";
import { gameTitle, playerName, seatTitle } from "../state/format";
import { compiling, endTitle, lookAt, looking, number, view } from "../state/store";
import { say } from "../words";
import { Refusal, Unconnected } from "./refusal";

const PATIENCE = 1500; // milliseconds beyond its time

export function Status({ table, clicks }: { table: Table; clicks: number }) {
  const player = view.value?.to_move ?? null;
  const look = lookOf(table.board, table.players);
  return (
    <div class="status">
      <h1>{gameTitle(table.game)}</h1>
      <p class="turn-line">
        {looking.value !== null ? (
          <>
            {say("looking_at", { number: number.value })}{" "}
            <button type="button" class="small" onClick={() => lookAt(null)}>
              {say("back_to_game")}
            </button>
          </>
        ) : table.over ? (
          <strong class="end">{endTitle(table)}</strong>
        ) : (
          player !== null && (
            <>
              <Sign player={player} look={look} /> <span>{turnTitle(table, player, clicks)}</span>
            </>
          )
        )}
      </p>
      <Unconnected />
      <Refusal at="board" />
      <Preparing />
      {mayCompile(table) && <Late seconds={table.seats[table.view.to_move!]?.seconds ?? 1} key={table.moves.length} />}
    </div>
  );
}

function turnTitle(table: Table, player: number, clicks: number): string {
  const name = playerName(table, player);
  const seat = table.seats[player]!;
  if (table.paused && seat.kind !== "person") return say("paused");
  if (seat.kind !== "person") return say("seat_thinks", { player: name, seat: seatTitle(seat) });
  return clicks > 0 ? say("click_on", { player: name }) : say("your_turn", { player: name });
}

/** While the search is compiled: how far it is; one can play meanwhile. */
function Preparing() {
  const now = compiling.value;
  if (!now) return null;
  return (
    <p class="notice preparing">
      <label>
        {say("compiling")} <progress max={1} value={now.part} aria-label={say("compiling")} />
      </label>
      <span class="faint">{say("seconds_short", { seconds: Math.round(now.seconds) })}</span>
    </p>
  );
}

/** Longer than its time: a player that can't tell how far it is says at least why. */
function Late({ seconds }: { seconds: number }) {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 1000 * seconds + PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  return late ? <p class="notice preparing">{say("first_move_slow")}</p> : null;
}
