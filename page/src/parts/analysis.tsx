/** What the search thinks: a table of candidates, the expected line, how much work it was. */
import type { Candidate, Table, Thinking, Thought } from "../protocol";
import { isStatic, workOf, workWord } from "../state/changes";
import { compact, lineTitle, percent, playerName, whole, wilson } from "../state/format";
import { chooseHints, type Hints, hints, looking, myTurn, play, table as tableNow, view } from "../state/store";
import { say, sayIfKnown } from "../words";
import { Refusal } from "./refusal";
import { Segments } from "./segments";
import { afterThought, leading, pointedAction, visibleThought } from "./visible";

const ROWS = 8;

export function Analysis({ table }: { table: Table }) {
  const now = visibleThought.value;
  return (
    <section class="card analysis" aria-label={say("analysis")}>
      <div class="card-head">
        <h2>{say("analysis")}</h2>
        <HintsChoice />
      </div>
      <Refusal at="analysis" />
      {afterThought.value && <AfterMove thinking={afterThought.value} table={table} />}
      {now && hasBegun(now.thought) ? <Candidates thinking={now} /> : <p class="empty">{emptySentence()}</p>}
    </section>
  );
}

/** Before the first simulation is over there is nothing to tell. */
const hasBegun = (thought: Thought): boolean => thought.candidates.some((each) => each.visits > 0 || each.proven);

function emptySentence(): string {
  if (looking.value !== null) return say(hints.value === "off" ? "nothing_stored" : "thinking_begins");
  if (view.value?.terminal) return say("game_over_review");
  if (hints.value === "off") return say("hints_are_off");
  if (hints.value === "after" && myTurn.value) return say("hints_come_after");
  return say("thinking_begins");
}

function HintsChoice() {
  const choices: Hints[] = ["off", "on", "after"];
  return (
    <Segments
      label={say("hints")}
      choices={choices}
      value={hints.value}
      onChoice={chooseHints}
      show={(each) => say(`hints_${each}` as "hints_off")}
    />
  );
}

export function Candidates({ thinking }: { thinking: Thinking }) {
  const { thought } = thinking;
  const rows = leading(thinking, ROWS);
  const most = Math.max(1, ...rows.map((each) => each.visits));
  const scored = thought.candidates.some((each) => each.score);
  const pointed = thought.candidates.find((each) => each.action === pointedAction.value);
  const line = !pointed || (pointed.action === thought.action && pointed.line_names.length === 0) ? thought.variation : pointed.line_names.length ? pointed.line_names : [pointed.name];
  const intervals = !thought.learned || rows.some((each) => each.proven); // a network's values are no samples
  return (
    <>
      <table class="candidates" onPointerLeave={() => (pointedAction.value = null)}>
        <thead>
          <tr>
            <th scope="col">{say("move")}</th>
            <th scope="col">{say(scored || isStatic(thought) ? "positions" : "visits")}</th>
            <th scope="col">{say(scored ? "score" : isStatic(thought) ? "evaluation" : "win_rate")}</th>
            {intervals && <th scope="col">{say("interval")}</th>}
          </tr>
        </thead>
        <tbody>
          {rows.map((each) => (
            <Row candidate={each} thinking={thinking} most={most} intervals={intervals} />
          ))}
        </tbody>
      </table>
      <p class="line">
        <span class="faint">{say("line")}</span> {lineTitle(line.slice(0, 12)) || "–"}
      </p>
      <Work thinking={thinking} />
    </>
  );
}

interface RowProps {
  candidate: Candidate;
  thinking: Thinking;
  most: number;
  intervals: boolean;
}

function Row({ candidate, thinking, most, intervals }: RowProps) {
  const { thought } = thinking;
  const mean = candidate.means[thought.player] ?? 0;
  const best = candidate.action === thought.action;
  const point = (): void => void (pointedAction.value = candidate.action);
  const playable = myTurn.value && thinking.move === tableNow.value?.moves.length;
  const interval = candidate.interval ?? (thought.sampled === false ? null : wilson(mean, candidate.visits));
  return (
    <tr class={best ? "best" : ""} onPointerEnter={point}>
      <th scope="row">
        <button
          type="button"
          class="quiet small move-name"
          onFocus={point}
          onBlur={() => (pointedAction.value = null)}
          onClick={() => (playable ? void play(candidate.action) : point())}
          title={playable ? say("play_this") : undefined}
        >
          {candidate.name}
        </button>
      </th>
      <td>
        <span class="bar" style={{ "--share": candidate.visits / most }}>
          {compact(candidate.visits)}
        </span>
      </td>
      <td>{candidate.score || (candidate.visits || candidate.proven ? (isStatic(thought) ? mean.toFixed(3) : percent(mean, 1)) : "–")}</td>
      {intervals && (
        <td class="faint">
          {candidate.proven ? say("certain") : interval && candidate.visits ? `${(100 * interval[0]).toFixed(0)}–${(100 * interval[1]).toFixed(0)} %` : "–"}
        </td>
      )}
    </tr>
  );
}

function Work({ thinking }: { thinking: Thinking }) {
  const { thought, rate, threads, engine } = thinking;
  const parts = [
    say(workWord(thought), { count: whole(workOf(thought)) }),
    rate > 0 ? say("rate", { rate: compact(rate) }) : "",
    threads > 0 ? say(threads === 1 ? "one_thread" : "threads", { count: threads }) : "",
    thought.depth > 0 ? say("depth", { depth: thought.depth }) : "",
    engine === "full" ? "" : sayIfKnown(`engine_${engine}`, engine),
  ];
  return (
    <p class="work faint" data-iterations={thought.iterations}>
      {parts.filter(Boolean).join(" · ")}
    </p>
  );
}

/** After a move: what it was worth beside the best one. */
function AfterMove({ thinking, table }: { thinking: Thinking; table: Table }) {
  const move = table.moves[thinking.move];
  const { candidates, action, player } = thinking.thought;
  const made = candidates.find((each) => each.action === move?.action);
  const best = candidates.find((each) => each.action === action);
  if (!move || !best) return null;
  const same = made?.action === best.action;
  const known = made && made.visits > 0 && !best.score && !isStatic(thinking.thought);
  const loss = known ? (best.means[player] ?? 0) - (made.means[player] ?? 0) : null;
  const told = same
    ? say("was_best", { player: playerName(table, move.by), move: move.name })
    : say("best_was", { player: playerName(table, move.by), move: move.name, best: best.name });
  return (
    <p class={`verdict ${same ? "good" : ""}`}>
      {told} {!same && loss !== null && loss > 0.005 && <strong>{say("lost", { loss: percent(loss, 1) })}</strong>}
    </p>
  );
}
