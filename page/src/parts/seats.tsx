/** The players at the table: who they are, whose turn it is, how they stand; anybody may take a seat at any time. */
import { lookOf, Sign } from "../boards/piece";
import type { Seat, Table } from "../protocol";
import { drawWord, hasDraw, isEvaluation, isGuess, isKnown, type Known, partTexts } from "../state/chances";
import { playerName, seatTitle } from "../state/format";
import { winners } from "../state/updates";
import { number, ofTable, takeSeat, thinking, view } from "../state/store";
import { say } from "../messages";
import { Refusal } from "./error-message";
import { SeatForm } from "./seat-form";
import { visibleThought } from "./hint-visibility";

const changing = ofTable<number | null>(null);

export function Seats({ table }: { table: Table }) {
  const look = lookOf(table.board, table.players);
  const value = standing(table);
  const [texts, parts] = value ? [partTexts(value), [...value.chances, value.draw ?? 0]] : [[], []];
  const won = winners(table.over?.result ?? null);
  return (
    <section class="card seats" aria-label={say("Players")}>
      <ul>
        {table.seats.map((seat, player) => {
          const turn = view.value?.to_move === player && !table.over;
          return (
            <li class={turn ? "turn" : ""}>
              <div class="seat-row">
                <Sign player={player} look={look} size="1.5em" />
                <span class="seat-name">
                  <strong>{playerName(table, player)}</strong>
                  <span>{seatTitle(seat)}</span>
                </span>
                {won.includes(player) && <span class="badge">{say("won")}</span>}
                {turn && <span class={table.thinking?.seat === player && thinking.value ? "badge thinking" : "badge"}>{say(seat.kind === "person" ? "to move" : "thinks")}</span>}
                {value && <span class="rate">{texts[player]}</span>}
                <button
                  type="button"
                  class="quiet icon"
                  aria-expanded={changing.value === player}
                  aria-label={say("Who plays {player}", { player: playerName(table, player) })}
                  title={say("Change")}
                  onClick={() => (changing.value = changing.value === player ? null : player)}
                >
                  <svg viewBox="0 0 20 20" aria-hidden="true">
                    <path d="M4 7h11l-3-3M16 13H5l3 3" />
                  </svg>
                </button>
              </div>
              {value && <RateBar part={parts[player] ?? 0} name={`player-${player}`} />}
              {changing.value === player && <Change seat={seat} player={player} name={playerName(table, player)} />}
            </li>
          );
        })}
        {value && hasDraw(value) && (
          <li class="drawn">
            <div class="seat-row">
              <span class="seat-name">{drawWord(value) === "draw" ? say("Draw") : say("Undecided")}</span>
              <span class="rate">{texts.at(-1)}</span>
            </div>
            <RateBar part={value.draw ?? 0} name="draw" />
          </li>
        )}
      </ul>
      {isEvaluation(value) && <p class="faint evaluation">{say("These are evaluations of the position, not probabilities of winning.")}</p>}
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
          {say("Sit here")}
        </button>
      )}
      <SeatForm seat={seat} onSeat={choose} label={say("Who plays {player}", { player: name })} />
    </div>
  );
}

function RateBar({ part, name }: { part: number; name: string }) {
  return (
    <div class={`rate-bar ${name}`}>
      <i style={{ width: `${(100 * part).toFixed(1)}%` }} />
    </div>
  );
}

/** What everybody may expect of the position on the board, if it may be shown. */
function standing(table: Table): Known | null {
  const now = visibleThought.value?.thought;
  if (now && isGuess(now)) return null;
  const found = isKnown(now?.value) ? now.value : table.values[number.value];
  return isKnown(found) ? found : null;
}
