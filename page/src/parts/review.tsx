/** Going through the game: first, previous, next, last, and from mistake to mistake. */
import type { Table } from "../protocol";
import { mistakeText, toMistake } from "../state/updates";
import { moveTitle, playerName } from "../state/format";
import { fromHere, lookAt, looking, number } from "../state/store";
import { say, type Word } from "../messages";
import { Refusal } from "./error-message";

const ICONS: Partial<Record<Word, string>> = {
  "First position": "M5 4v12M15 4 8 10l7 6",
  "Previous move": "M13 4 6 10l7 6",
  "Next move": "M7 4l7 6-7 6",
  "Last position": "M15 4v12M5 4l7 6-7 6",
};

export function ReviewBar({ table }: { table: Table }) {
  const here = number.value;
  const length = table.moves.length;
  const back = toMistake(table, here, -1);
  const next = toMistake(table, here, 1);
  return (
    <div class="review-bar">
      <div class="steps" role="group" aria-label={say("Review")}>
        <Step word="First position" to={0} off={here === 0} />
        <Step word="Previous move" to={here - 1} off={here === 0} />
        <span class="where" aria-live="off">
          {here} / {length}
        </span>
        <Step word="Next move" to={here + 1} off={here >= length} />
        <Step word="Last position" to={length} off={here >= length} />
      </div>
      {toMistake(table, -1, 1) !== null && (
        <div class="steps" role="group" aria-label={say("Mistakes")}>
          <button type="button" class="small" disabled={back === null} onClick={() => lookAt(back)}>
            ‹ {say("Previous mistake")}
          </button>
          <button type="button" class="small" disabled={next === null} onClick={() => lookAt(next)}>
            {say("Next mistake")} ›
          </button>
        </div>
      )}
      {looking.value !== null && (
        <button type="button" class="small" onClick={() => void fromHere()}>
          {say("New game from here")}
        </button>
      )}
      <NextMove table={table} />
      <Refusal at="review" />
    </div>
  );
}

function Step({ word, to, off }: { word: Word; to: number; off: boolean }) {
  return (
    <button type="button" class="icon" aria-label={say(word)} title={say(word)} disabled={off} onClick={() => lookAt(to)}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <path d={ICONS[word]} />
      </svg>
    </button>
  );
}

/** In review: the move that was played from here, and what it lost. */
function NextMove({ table }: { table: Table }) {
  const move = looking.value === null ? undefined : table.moves[looking.value];
  if (!move) return null;
  const loss = mistakeText(table, move.number);
  return (
    <p class="played">
      {say("{player} played {move} here.", { player: playerName(table, move.by), move: moveTitle(move.name) })}{" "}
      {loss && <strong class="bad">{say("It lost {loss}.", { loss })}</strong>}
    </p>
  );
}
