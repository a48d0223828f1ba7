/** What the search thinks: a table of candidates, the expected line, how much work it was. */
import { ENGINES } from "../state/names";
import type { Candidate, Table, Thinking, Thought } from "../protocol";
import { Sign, lookOf } from "../boards/piece";
import { hasDraw, isEvaluation, isGuess, isKnown, partNumbers } from "../state/chances";
import { lossBetween, lossText, workOf, workWord } from "../state/updates";
import { compact, lineTitle, moveTitle, playerName, playerNames, whole, wilson } from "../state/format";
import { chooseHints, type Hints, hints, looking, myTurn, play, table as tableNow, view } from "../state/store";
import { called, say, type Word } from "../messages";
import { Refusal } from "./error-message";
import { Segments } from "./radio-group";
import { afterThought, leading, pointedAction, visibleThought } from "./hint-visibility";

const ROWS = 8;
const COLUMNS = 3; // of chances: so many are set narrowly, and with more there is no room for the interval

export function Analysis({ table }: { table: Table }) {
  const now = visibleThought.value;
  return (
    <section class="card analysis" aria-label={say("Analysis")}>
      <div class="card-head">
        <h2>{say("Analysis")}</h2>
        <HintsChoice />
      </div>
      <Refusal at="analysis" />
      {afterThought.value && <AfterMove thinking={afterThought.value} table={table} />}
      {now && hasBegun(now.thought) ? <Found thinking={now} table={table} /> : <p class="empty">{emptySentence()}</p>}
    </section>
  );
}

/** Before the first simulation is over there is nothing to tell. */
const hasBegun = (thought: Thought): boolean => thought.candidates.some((each) => each.visits > 0 || each.proven);

function emptySentence(): string {
  if (looking.value !== null) return say(hints.value === "off" ? "This position was not searched. Turn the analysis on to search it." : "The search starts …");
  if (view.value?.terminal) return say("The game is over. Go back to see the search results of each move.");
  if (hints.value === "off") return say("The analysis is off. “On” shows the candidate moves of the search; “After” shows them once you have moved.");
  if (hints.value === "after" && myTurn.value) return say("Comes after your move.");
  return say("The search starts …");
}

const HINTS = { off: "Off", on: "On", after: "After" } as const satisfies Record<Hints, Word>;

function HintsChoice() {
  const choices: Hints[] = ["off", "on", "after"];
  return (
    <Segments
      label={say("Hints")}
      choices={choices}
      value={hints.value}
      onChoice={chooseHints}
      show={(each) => say(HINTS[each])}
    />
  );
}

/** The candidates; as long as few visits stand behind them, only what the first guess is. */
function Found({ thinking, table }: { thinking: Thinking; table: Table }) {
  const { candidates, action, fewest } = thinking.thought;
  if (!isGuess(thinking.thought)) return <Candidates thinking={thinking} table={table} />;
  const best = candidates.find((each) => each.action === action)!;
  return (
    <>
      <p class="first-guess">{say("First estimate: {move} ({visits} visits). Win rates appear from {fewest} visits on.", { move: moveTitle(best.name), visits: best.visits, fewest: fewest ?? "" })}</p>
      <Work thinking={thinking} />
    </>
  );
}

function Candidates({ thinking, table }: { thinking: Thinking; table: Table }) {
  const { thought } = thinking;
  const rows = leading(thinking, ROWS);
  const most = Math.max(1, ...rows.map((each) => each.visits));
  const scored = thought.candidates.some((each) => each.score);
  const evaluated = rows.some((each) => isEvaluation(each.value));
  const draw = rows.some((each) => isKnown(each.value) && hasDraw(each.value));
  const names = [...playerNames(table), ...(draw ? [say("Draw")] : [])];
  const look = lookOf(table.board, table.players);
  const pointed = thought.candidates.find((each) => each.action === pointedAction.value);
  const line = !pointed || (pointed.action === thought.action && pointed.line_names.length === 0) ? thought.variation : pointed.line_names.length ? pointed.line_names : [pointed.name];
  const intervals = names.length <= COLUMNS && !scored && !evaluated; // evaluations are no samples
  return (
    <>
      <div class={names.length >= COLUMNS ? "candidates-frame many" : "candidates-frame"}>
        <table class="candidates" onPointerLeave={() => (pointedAction.value = null)}>
          {!scored && <caption>{say(evaluated ? "Evaluation" : "Win rates in %")}</caption>}
          <thead>
            <tr>
              <th scope="col">{say("Move")}</th>
              <th scope="col">{say(workWord(thought) === "{count} positions" ? "Positions" : "Visits")}</th>
              {scored && <th scope="col">{say("Score")}</th>}
              {!scored &&
                names.map((name, player) => (
                  <th scope="col" title={name}>
                    {player < table.players ? <Sign player={player} look={look} size="1em" /> : name}
                    {player < table.players && <span class="hidden">{name}</span>}
                  </th>
                ))}
              {intervals && <th scope="col">{say("95 %")}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((each) => (
              <Row candidate={each} thinking={thinking} most={most} parts={scored ? 0 : names.length} draw={draw} intervals={intervals} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="line">
        <span class="faint">{say("Line")}</span> {lineTitle(line.slice(0, 12)) || "–"}
      </p>
      <Work thinking={thinking} />
    </>
  );
}

interface RowProps {
  candidate: Candidate;
  thinking: Thinking;
  most: number;
  parts: number; // how many columns of chances there are; 0: moves have scores
  draw: boolean;
  intervals: boolean;
}

function Row({ candidate, thinking, most, parts, draw, intervals }: RowProps) {
  const { thought } = thinking;
  const { value } = candidate;
  const known = isKnown(value);
  const texts = known ? partNumbers(value, draw) : Array.from({ length: parts }, () => "–");
  const names = [candidate.action === thought.action ? "best" : "", candidate.action === pointedAction.value ? "pointed" : ""];
  const point = (): void => void (pointedAction.value = candidate.action);
  const playable = myTurn.value && thinking.move === tableNow.value?.moves.length;
  const interval = known ? wilson(value.chances[thought.player] ?? 0, candidate.visits).map((each) => (100 * each).toFixed(0)) : null;
  return (
    <tr class={names.filter(Boolean).join(" ")} onPointerEnter={point}>
      <th scope="row">
        <button
          type="button"
          class="quiet small move-name"
          onFocus={point}
          onBlur={() => (pointedAction.value = null)}
          onClick={() => (playable ? void play(candidate.action) : point())}
          title={playable ? say("Play this move") : undefined}
        >
          {moveTitle(candidate.name)}
        </button>
      </th>
      <td>
        <span class="bar" style={{ "--share": candidate.visits / most }}>
          {compact(candidate.visits)}
        </span>
      </td>
      {parts === 0 && <td>{candidate.score || "–"}</td>}
      {texts.slice(0, parts).map((text, player) => (
        <td class={player === thought.player ? "own" : ""}>{text}</td>
      ))}
      {intervals && <td class="faint">{candidate.proven ? say("certain") : interval ? interval.join("–") : "–"}</td>}
    </tr>
  );
}

function Work({ thinking }: { thinking: Thinking }) {
  const { thought, rate, threads, engine } = thinking;
  const parts = [
    say(workWord(thought), { count: whole(workOf(thought)) }),
    rate > 0 ? say("{rate}/s", { rate: compact(rate) }) : "",
    threads > 0 ? say(threads === 1 ? "1 thread" : "{count} threads", { count: threads }) : "",
    thought.depth > 0 ? say("depth {depth}", { depth: thought.depth }) : "",
    engine === "full" ? "" : called(ENGINES, engine),
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
  const loss = lossBetween(best.value, made?.value, player);
  const told = same
    ? say("{player} played {move}, the best move.", { player: playerName(table, move.by), move: moveTitle(move.name) })
    : say("{player} played {move}; {best} was best.", { player: playerName(table, move.by), move: moveTitle(move.name), best: moveTitle(best.name) });
  return (
    <p class={`verdict ${same ? "good" : ""}`}>
      {told} {!same && loss !== null && loss > 0.005 && <strong>{say("It lost {loss}.", { loss: lossText(loss, [best.value]) })}</strong>}
    </p>
  );
}
