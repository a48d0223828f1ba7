/** The players at the table: who they are, whose turn it is, how they stand; anybody may take a seat at any time. */
import { lookOf, Sign } from "../boards/piece";
import type { Seat, Table } from "../protocol";
import { percent, playerName, seatTitle } from "../state/format";
import { bestMeans, winners } from "../state/changes";
import { number, ofTable, takeSeat, thinking, view } from "../state/store";
import { say } from "../words";
import { Refusal } from "./refusal";
import { SeatForm } from "./seat-form";
import { visibleThought } from "./visible";

const FEWEST = 5; // visits that a win rate stands on
const changing = ofTable<number | null>(null);

export function Seats({ table }: { table: Table }) {
  const look = lookOf(table.board, table.players);
  const means = rates(table);
  const won = winners(table.over?.result ?? null);
  return (
    <section class="card seats" aria-label={say("players")}>
      <ul>
        {table.seats.map((seat, player) => {
          const turn = view.value?.to_move === player && !table.over;
          const mean = means?.[player];
          return (
            <li class={turn ? "turn" : ""}>
              <div class="seat-row">
                <Sign player={player} look={look} size="1.5em" />
                <span class="seat-name">
                  <strong>{playerName(table, player)}</strong>
                  <span>{seatTitle(seat)}</span>
                </span>
                {won.includes(player) && <span class="badge">{say("won")}</span>}
                {turn && <span class={table.thinking?.seat === player && thinking.value ? "badge thinking" : "badge"}>{say(seat.kind === "person" ? "to_move" : "thinks")}</span>}
                {mean !== undefined && <span class="rate">{percent(mean)}</span>}
                <button
                  type="button"
                  class="quiet icon"
                  aria-expanded={changing.value === player}
                  aria-label={say("who_plays", { player: playerName(table, player) })}
                  title={say("change")}
                  onClick={() => (changing.value = changing.value === player ? null : player)}
                >
                  <svg viewBox="0 0 20 20" aria-hidden="true">
                    <path d="M4 7h11l-3-3M16 13H5l3 3" />
                  </svg>
                </button>
              </div>
              {mean !== undefined && (
                <div class={`rate-bar player-${player}`}>
                  <i style={{ width: percent(mean, 1).replace(" ", "") }} />
                </div>
              )}
              {changing.value === player && <Change seat={seat} player={player} name={playerName(table, player)} />}
            </li>
          );
        })}
      </ul>
      <Refusal at="seats" />
    </section>
  );
}

function Change({ seat, player, name }: { seat: Seat; player: number; name: string }) {
  const choose = (next: Seat): void => void takeSeat(player, next);
  return (
    <div class="seat-change">
      {seat.kind !== "person" && (
        <button type="button" onClick={() => choose({ kind: "person" })}>
          {say("sit_here")}
        </button>
      )}
      <SeatForm seat={seat} onSeat={choose} label={say("who_plays", { player: name })} />
    </div>
  );
}

/** Every player's win rate in the position on the board, if it may be shown. */
function rates(table: Table): number[] | null {
  const now = visibleThought.value;
  const best = now?.thought.candidates.find((each) => each.action === now.thought.action);
  if (best && best.visits < FEWEST && !best.proven) return null;
  return (now && bestMeans(now.thought)) ?? table.win_rates[number.value] ?? null;
}
