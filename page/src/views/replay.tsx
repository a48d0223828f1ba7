/** A game of a contest on the board, move by move, with what was thought of each position. */
import { useEffect, useState } from "preact/hooks";
import { earlierCells } from "../boards/stone-style";
import { lookOf, Sign } from "../boards/piece";
import { Chart, roundTicks } from "../lessons/chart";
import type { LastMove } from "../protocol";
import { charted, chancesText, drawWord, hasDraw, isEvaluation, isKnown, partTexts } from "../state/chances";
import { fetched } from "../state/fetched";
import { sayTrouble, type Sentence, sentenceOf } from "../state/told";
import { winners } from "../state/updates";
import { gameTitle, lineTitle, moveTitle, playerName, playerNames } from "../state/format";
import { say } from "../messages";
import type { Replay, StoredThought } from "./stored-games";
import { counted } from "./numbers";
import { SmallBoard } from "./mini-board";

const LISTED = 8;
const DRAW = 9; // the look of its line

/** Where everybody moved last before a position. */
function lastMovesOf(replay: Replay, at: number): (LastMove | null)[] {
  const moves = replay.moves.slice(0, at);
  return Array.from({ length: replay.players }, (_, player) => moves.findLast((move) => move.by === player) ?? null);
}

export function ReplayView({ contest, number }: { contest: string; number: number }) {
  const [replay, setReplay] = useState<Replay | null>(null);
  const [trouble, setTrouble] = useState<Sentence>("");
  const [at, setAt] = useState(0);
  useEffect(() => {
    setReplay(null);
    setAt(0);
    fetched<Replay>(`api/results/${encodeURIComponent(contest)}/games/${number}`).then(setReplay, (error: Error) => setTrouble(sentenceOf(error)));
  }, [contest, number]);
  const count = replay?.moves.length ?? 0;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.target as Element).closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
      const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: count }[event.key];
      if (next === undefined) return;
      setAt(Math.min(count, Math.max(0, next)));
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [at, count]);
  return (
    <div class="looking results">
      <nav class="lesson-where" aria-label={say("Results of this folder")}>
        <a href={`#results/${encodeURIComponent(contest)}`}>← {say("Back to its games")}</a>
      </nav>
      {trouble && <p class="looking-trouble" role="alert">{sayTrouble(trouble)}</p>}
      {!replay && !trouble && <p class="looking-empty">{say("One moment …")}</p>}
      {replay && <Played replay={replay} number={number} at={at} go={(next) => setAt(Math.min(count, Math.max(0, next)))} />}
    </div>
  );
}

function Played({ replay, number, at, go }: { replay: Replay; number: number; at: number; go: (at: number) => void }) {
  const count = replay.moves.length;
  const look = lookOf(replay.board, replay.players);
  const position = replay.views[at]!;
  const last = replay.moves[at - 1];
  const told = lineTitle(replay.moves.slice(0, at).map((move) => move.name));
  return (
    <>
      <header class="result-head">
        <h1>
          {say("Game {number}", { number })} · {gameTitle(replay.game)}
        </h1>
        <p class="replay-who">
          {replay.labels.map((label, player) => (
            <span key={player}>
              <Sign player={player} look={look} /> {label}
            </span>
          ))}
          {replay.over?.result && <b>{endText(replay, replay.over.result)}</b>}
        </p>
      </header>
      <div class="replay-split">
        <div class="replay-board">
          <SmallBoard board={replay.board} players={replay.players} pieces={position.pieces} winning={position.winning} last={last?.clicks ?? []} earlier={earlierCells(lastMovesOf(replay, at), at, position.pieces)} label={say("Board after {moves}", { moves: told || say("root position") })} text={position.text} />
          <div class="replay-buttons">
            <button type="button" class="icon" aria-label={say("First position")} disabled={at === 0} onClick={() => go(0)}>|◀</button>
            <button type="button" class="icon" aria-label={say("replay|Previous move")} disabled={at === 0} onClick={() => go(at - 1)}>◀</button>
            <input type="range" min={0} max={count} value={at} aria-label={say("Position {number} of {count}", { number: at, count })} onInput={(event) => go(Number(event.currentTarget.value))} />
            <button type="button" class="icon" aria-label={say("replay|Next move")} disabled={at === count} onClick={() => go(at + 1)}>▶</button>
            <button type="button" class="icon" aria-label={say("replay|Last position")} disabled={at === count} onClick={() => go(count)}>▶|</button>
          </div>
          <p class="replay-at" aria-live="polite">
            {say("Position {number} of {count}", { number: at, count })}
            {last && (
              <>
                {" · "}
                <Sign player={last.by} look={look} /> <b>{moveTitle(last.name)}</b>
              </>
            )}
          </p>
        </div>
        <div class="lesson-side">
          <h2>{say("Search result")}</h2>
          <Thoughts thought={replay.thoughts[at] ?? null} replay={replay} played={replay.moves[at]?.action} />
          <h2>{say(charted(replay.values).evaluation ? "evaluation" : "Win rates over the game")}</h2>
          <Rates replay={replay} at={at} />
          <ol class="replay-moves">
            {replay.moves.map((move, index) => (
              <li key={index}>
                <button type="button" class="quiet small" aria-current={index + 1 === at ? "step" : undefined} onClick={() => go(index + 1)}>
                  {index + 1}. <Sign player={move.by} look={look} /> {moveTitle(move.name)}
                </button>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </>
  );
}

function Rates({ replay, at }: { replay: Replay; at: number }) {
  const count = Math.max(replay.moves.length, 1);
  const { values } = charted(replay.values);
  if (values.filter(Boolean).length < 2) return <p class="faint">{say("No position of this game has enough visits for a win rate.")}</p>;
  const lines = playerNames(replay).map((name, player) => ({
    name: replay.labels[player] === undefined ? name : `${name} ${replay.labels[player]}`,
    look: player,
    points: values.flatMap((value, index): [number, number][] => (value ? [[index, value.chances[player] ?? 0]] : [])),
  }));
  if (values.some(hasDraw)) {
    const points = values.flatMap((value, index): [number, number][] => (value ? [[index, value.draw ?? 0]] : []));
    lines.push({ name: say(drawWord(values.find(hasDraw))), look: DRAW, points });
  }
  const known = values[at];
  const told = known ? chancesText(known, playerNames(replay), say(drawWord(known))) : "";
  return <Chart lines={lines} label={`${say("Win rates over the game")} ${told}`} x={{ from: 0, to: count, ticks: roundTicks(count), name: "" }} y={{ from: 0, to: 1, ticks: [0, 0.5, 1], name: "" }} />;
}

function Thoughts({ thought, replay, played }: { thought: StoredThought | null; replay: Replay; played: number | undefined }) {
  if (!thought) return <p class="faint">{say("No search result was stored for this position.")}</p>;
  const candidates = (thought.candidates ?? []).slice(0, LISTED);
  const names = playerNames(replay);
  const draw = candidates.some((each) => isKnown(each.value) && hasDraw(each.value));
  const evaluated = isEvaluation(thought.value) || candidates.some((each) => isEvaluation(each.value));
  const columns = [...names, ...(draw ? [say(drawWord(candidates.map((each) => each.value).find(hasDraw)))] : [])];
  const most = Math.max(1, ...candidates.map((each) => each.visits));
  return (
    <>
      <p class="faint">
        {say("{iterations} iterations, depth {depth}", { iterations: counted(thought.iterations ?? 0), depth: thought.depth ?? 0 })}
        {isKnown(thought.value) && ` · ${evaluated ? `${say("evaluation")} ` : ""}${chancesText(thought.value, names, say(drawWord(thought.value)))}`}
        {thought.value?.few && ` · ${say("first guess")}`}
      </p>
      {candidates.length > 0 && (
        <table class="replay-candidates">
          <caption>{say(evaluated ? "evaluation" : "win rate")}</caption>
          <thead>
            <tr>
              <th scope="col">{say("move")}</th>
              <th scope="col">{say("count|visits")}</th>
              {columns.map((name) => (
                <th key={name} scope="col">{name}</th>
              ))}
              <th scope="col" aria-label={say("count|visits")} />
            </tr>
          </thead>
          <tbody>
            {candidates.map((each) => (
              <tr key={each.action} class={each.action === played ? "chosen" : ""}>
                <th scope="row">
                  {moveTitle(each.name)}
                  {each.action === played && <small> {say("played")}</small>}
                </th>
                <td>{counted(each.visits)}</td>
                {columns.map((name, index) => (
                  <td key={name}>{isKnown(each.value) ? partTexts(each.value, draw)[index] : "–"}</td>
                ))}
                <td>
                  <i class="visit-bar" style={{ width: `${(100 * each.visits) / most}%` }} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {(thought.variation ?? []).length > 0 && <p>{say("Expected: {line}", { line: lineTitle(thought.variation!) })}</p>}
    </>
  );
}

/** How the game ended. */
function endText(replay: Replay, result: number[]): string {
  const names = winners(result).map((player) => playerName(replay, player));
  return names.length ? say("{who} wins", { who: names.join(", ") }) : say("draw");
}
