/** The moves of the game; a click looks at one, and what lost much is marked. */
import { tell } from "../state/told";
import { useEffect, useRef } from "preact/hooks";
import { lookOf, Sign } from "../boards/piece";
import type { Table } from "../protocol";
import { mistakeText } from "../state/updates";
import { moveTitle, playerName } from "../state/format";
import { lookAt, number } from "../state/store";
import { say } from "../messages";

export function Moves({ table }: { table: Table }) {
  const list = useRef<HTMLOListElement>(null);
  const here = number.value;
  useEffect(() => {
    const frame = list.current;
    const now = frame?.querySelector<HTMLElement>("[aria-current]");
    if (frame && now) frame.scrollTop = now.offsetTop - frame.clientHeight / 2;
  }, [here, table.moves.length]);
  const look = lookOf(table.board, table.players);
  return (
    <section class="card moves" aria-label={say("Moves")}>
      <div class="card-head">
        <h2>{say("Moves")}</h2>
        <span class="faint">{table.moves.length || ""}</span>
      </div>
      {table.moves.length === 0 ? (
        <p class="empty">{say("No moves yet.")}</p>
      ) : (
        // It scrolls, so the keyboard must reach it.
        <ol ref={list} tabIndex={0} aria-label={say("Moves")}>
          {table.moves.map((move) => {
            const loss = mistakeText(table, move.number);
            return (
              <li>
                <button
                  type="button"
                  class={`quiet small ${loss ? "mistake" : ""}`}
                  aria-current={here === move.number ? "step" : undefined}
                  title={[loss && say("It lost {loss}.", { loss }), move.remark && tell(move.remark)].filter(Boolean).join(" ") || undefined}
                  onClick={() => lookAt(move.number)}
                >
                  <span class="faint">{move.number}</span>
                  <Sign player={move.by} look={look} size="0.9em" />
                  <span class="hidden">{playerName(table, move.by)}</span>
                  {moveTitle(move.name)}
                  {loss && <span aria-hidden="true">?</span>}
                </button>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}
