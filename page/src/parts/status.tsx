/** One line above the board: whose turn it is, how it ended. Below the board: what comes and goes, so that the board stays where it is. */
import { lookOf, Sign } from "../boards/piece";
import type { Table } from "../protocol";
import { gameTitle, playerName, seatTitle } from "../state/format";
import { compiling, endTitle, lookAt, looking, number, view } from "../state/store";
import { say } from "../messages";
import { Refusal, Unconnected } from "./error-message";

export function Status({ table, clicks }: { table: Table; clicks: number }) {
  const player = view.value?.to_move ?? null;
  const look = lookOf(table.board, table.players);
  return (
    <div class="status">
      <h1>{gameTitle(table.game)}</h1>
      <p class="turn-line">
        {looking.value !== null ? (
          <>
            {say("Position after move {number}", { number: number.value })}{" "}
            <button type="button" class="small" onClick={() => lookAt(null)}>
              {say("Back to the game")}
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
    </div>
  );
}

/** What the program prepares and what goes wrong, below the board. */
export function Notices({ table }: { table: Table }) {
  const left = table.left_out ?? 0;
  return (
    <div class="notices">
      <Unconnected />
      <Refusal at="board" />
      <Preparing />
      {left > 0 && (
        <p class="notice left-out" role="status">
          {say(left === 1 ? "The record has a variation, which was left out: a game here has one line." : "The record has {count} variations, which were left out: a game here has one line.", { count: left })}
        </p>
      )}
    </div>
  );
}

function turnTitle(table: Table, player: number, clicks: number): string {
  const name = playerName(table, player);
  const seat = table.seats[player]!;
  if (table.paused && seat.kind !== "person") return say("Paused: the program waits until you choose {go_on}", { go_on: say("Go on") });
  if (seat.kind !== "person") return say("{player} ({seat}) is thinking", { player: name, seat: seatTitle(seat) });
  return clicks > 0 ? say("{player}: now the next cell", { player: name }) : say("{player} to move", { player: name });
}

/** While a player is compiled: how far it is. A search has a stand-in, so that one can play meanwhile. */
function Preparing() {
  const now = compiling.value;
  if (!now) return null;
  const told = say(now.engine === "full" ? "Compiling this player (once). Its first move comes after that." : "Compiling the search; play meanwhile.");
  return (
    <p class="notice preparing">
      <label>
        {told} <progress max={1} value={now.part} aria-label={told} />
      </label>
      <span class="faint">{now.seconds >= 1 ? say("about {seconds} s left", { seconds: Math.round(now.seconds) }) : say("nearly ready")}</span>
    </p>
  );
}
