/** Results of the folder: a list that follows while contests run, their reports, and their games. */
import { KIND_NAMES, STANDING_NAMES } from "./names";
import { useEffect, useState } from "preact/hooks";
import { fixed, gameTitle, hundredfold } from "../state/format";
import { fetched, fetchedText } from "../state/fetched";
import { sayTrouble, type Sentence, sentenceOf } from "../state/told";
import { say } from "../messages";
import { eloText, grouped, kindOf, ranked, wholeTitle, winningSeats, type Contest, type Group, type Listed, type Standing } from "./stored-games";
import { ReplayView } from "./replay";
import { counted, percent } from "./numbers";
import { useTicks } from "./tree";
import type { ViewProps } from ".";

const PAUSE = { running: 2500, idle: 10_000 }; // milliseconds
const PAGE = 100; // games at a time
const KINDS = ["all", "match", "tournament", "tuning", "experiment"] as const;

export default function ResultsView({ rest }: ViewProps) {
  const [id, number] = rest.split("/");
  if (id === "whole" && number) return <WholeReport name={decodeURIComponent(number)} />;
  if (id && number) return <ReplayView contest={decodeURIComponent(id)} number={Number(number)} />;
  if (id) return <ContestView id={decodeURIComponent(id)} />;
  return <ResultList />;
}

/** Data that is asked for again and again. */
function useFollowed<Data>(address: string, isRunning: (data: Data) => boolean): [Data | null, Sentence] {
  const [data, setData] = useState<Data | null>(null);
  const [trouble, setTrouble] = useState<Sentence>("");
  const pause = data && !isRunning(data) ? PAUSE.idle : PAUSE.running;
  useTicks(
    true,
    pause,
    () =>
      fetched<Data>(address).then(
        (found) => {
          setData(found);
          setTrouble("");
        },
        (error: Error) => setTrouble(sentenceOf(error)),
      ),
    [address],
  );
  return [data, trouble];
}

function ResultList() {
  const [listed, trouble] = useFollowed<Listed[]>("api/results", (all) => all.some((each) => each.running));
  const [kind, setKind] = useState<(typeof KINDS)[number]>("all");
  const groups = grouped(listed ?? []).filter((group) => kind === "all" || kindOf(group) === kind);
  return (
    <div class="looking results">
      <header class="looking-head">
        <h1>{say("Results of this folder")}</h1>
        <p>{say("Matches, tournaments, tunings and experiments, the newest first. The list is updated while they run.")}</p>
      </header>
      {trouble && <p class="looking-trouble" role="alert">{sayTrouble(trouble)}</p>}
      {listed && listed.length === 0 && (
        <div class="looking-empty">
          <p>{say("There are no results yet. Start a match in a terminal, and it appears here while it runs:")}</p>
          <pre>luozi match mcts:iterations=2000 mcts:iterations=1000 --game connect4 --visits</pre>
        </div>
      )}
      {listed && listed.length > 0 && (
        <div class="buttons" role="group" aria-label={say("Results of this folder")}>
          {KINDS.map((each) => (
            <button key={each} type="button" class="small" aria-pressed={kind === each} onClick={() => setKind(each)}>{say(KIND_NAMES[each])}</button>
          ))}
        </div>
      )}
      <ul class="result-list" aria-live="off">
        {groups.map((group) => (
          <li key={group.name || group.contests[0]!.id}>
            <GroupLine group={group} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function GroupLine({ group }: { group: Group }) {
  const first = group.contests[0]!;
  if (!group.name) return <ContestLine contest={first} />;
  return (
    <details class="result-group">
      <summary>
        <Kind kind={kindOf(group)} />
        <WholeTitle name={group.name} />
        <Progress finished={group.finished} wanted={group.wanted} running={group.running} asked={group.asked} />
      </summary>
      <p class="result-whole">
        <a class="button" href={`#results/whole/${encodeURIComponent(group.name)}`}>{say("Report")}</a>
      </p>
      <ul class="result-list">
        {group.contests.map((contest) => (
          <li key={contest.id}>
            <ContestLine contest={contest} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function WholeTitle({ name }: { name: string }) {
  const { game, about } = wholeTitle(name);
  return (
    <span class="result-who">
      <b>{game ? gameTitle(game) : about}</b>
      {game && <span>{about}</span>}
    </span>
  );
}

function Kind({ kind }: { kind: string }) {
  const known = KINDS.find((each) => each === kind);
  return <span class={`result-kind ${kind}`}>{known ? say(KIND_NAMES[known]) : kind}</span>;
}

function ContestLine({ contest }: { contest: Listed }) {
  const players = contest.players.map((player, index) => ({ player, score: contest.scores[index] ?? null }));
  if (contest.kind !== "match") players.sort((one, other) => (other.score ?? -1) - (one.score ?? -1));
  return (
    <a class="result-line" href={`#results/${encodeURIComponent(contest.id)}`}>
      <Kind kind={contest.kind === "match" ? "match" : "tournament"} />
      <span class="result-who">
        <b>{gameTitle(contest.game)}</b>
        <span>{players.map(({ player, score }, index) => (
          <>
            {index > 0 && " – "}
            {player} {score !== null && <b class="result-score">{percent(score, 1)}</b>}
          </>
        ))}</span>
      </span>
      <Progress finished={contest.finished} wanted={contest.wanted} running={contest.running} asked={contest.asked} />
    </a>
  );
}

function Progress({ finished, wanted, running, asked }: { finished: number; wanted: number; running: boolean; asked: string }) {
  const state = running ? "running" : finished >= wanted ? "finished" : "stopped";
  return (
    <span class={`result-progress ${state}`}>
      <span>{say(state)}</span>
      <progress max={Math.max(wanted, 1)} value={finished} aria-label={say("{finished} of {wanted} games", { finished: counted(finished), wanted: counted(wanted) })} />
      <small>
        {say("{finished} of {wanted} games", { finished: counted(finished), wanted: counted(wanted) })} · <time dateTime={asked}>{asked.slice(0, 16)}</time>
      </small>
    </span>
  );
}

function ContestView({ id }: { id: string }) {
  const [count, setCount] = useState(PAGE);
  const address = `api/results/${encodeURIComponent(id)}`;
  const [contest, trouble] = useFollowed<Contest>(`${address}?count=${count}`, (found) => found.running);
  const [report, setReport] = useState("");
  useEffect(() => {
    if (!contest) return undefined;
    let left = false;
    void fetch(`${address}/report`).then(async (answer) => {
      if (answer.ok && !left) setReport(await answer.text());
    });
    return () => void (left = true);
  }, [id, contest?.finished]);
  return (
    <div class="looking results">
      <nav class="lesson-where" aria-label={say("Results of this folder")}>
        <a href="#results">← {say("All results")}</a>
      </nav>
      {trouble && <p class="looking-trouble" role="alert">{sayTrouble(trouble)}</p>}
      {!contest ? (
        !trouble && <p class="looking-empty">{say("One moment …")}</p>
      ) : (
        <>
          <header class="result-head">
            <h1>{gameTitle(contest.game)}</h1>
            <p>{contest.players.join(" – ")}</p>
            <Progress finished={contest.finished} wanted={contest.wanted} running={contest.running} asked={contest.asked} />
          </header>
          {contest.summary && contest.finished > 0 && <Standings rows={contest.summary.rows} isDuel={contest.summary.duel !== null} />}
          {contest.finished > 0 && (
            <p>
              <a class="button" href={`${address}/report`} target="_blank" rel="noopener">{say("Report")}</a>
            </p>
          )}
          <h2>{say("Games")}</h2>
          <ul class="game-list">
            {contest.games.map((game) => (
              <li key={game.number}>
                <a href={`#results/${encodeURIComponent(id)}/${game.number}`}>
                  <b>{say("Game {number}", { number: game.number })}</b>
                  <span>{resultText(contest, game.seats, game.results)}</span>
                  <small>
                    {game.seats.map((player) => contest.players[player]).join(" – ")} · {game.forfeit || say("{count} moves", { count: game.moves })}
                  </small>
                </a>
              </li>
            ))}
          </ul>
          {contest.games.length < contest.finished && contest.games.length >= count && (
            <button type="button" onClick={() => setCount(count + PAGE)}>{say("More games")}</button>
          )}
          <h2>{say("Report")}</h2>
          <p>
            <a href={`${address}/report`} target="_blank" rel="noopener">{say("Open in a new window")}</a>
          </p>
          {report ? <iframe class="report" title={say("Report")} sandbox="" srcdoc={report} /> : <p class="looking-empty">{say("One moment …")}</p>}
        </>
      )}
    </div>
  );
}

/** How everybody did so far, the best first; a match of two stays in the order in which it was asked for. */
function Standings({ rows, isDuel }: { rows: Standing[]; isDuel: boolean }) {
  const columns = ["player", "score", "interval", ...(isDuel ? [] : ["elo" as const]), "games", "wins", "draws", "losses"] as const;
  return (
    <div class="standings" tabIndex={0} role="region" aria-label={say("results|Score")}>
      <table>
        <thead>
          <tr>
            {columns.map((each) => (
              <th key={each} scope="col">{say(STANDING_NAMES[each])}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(isDuel ? rows : ranked(rows)).map((row) => (
            <tr key={row.label}>
              <th scope="row">{row.label}</th>
              <td><b>{percent(row.score, 1)}</b></td>
              <td>{row.interval ? row.interval.map((each) => fixed(hundredfold(each), 1)).join(" – ") + " %" : "–"}</td>
              {!isDuel && <td class="standing-elo">{eloText(row)}</td>}
              {[row.games, row.wins, row.draws, row.losses].map((count, index) => (
                <td key={index}>{counted(count)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The report of a tuning or an experiment. */
function WholeReport({ name }: { name: string }) {
  const address = `api/results/whole/${encodeURIComponent(name)}`;
  const [report, setReport] = useState("");
  const [trouble, setTrouble] = useState<Sentence>("");
  useEffect(() => {
    fetchedText(address).then(setReport, (error: Error) => setTrouble(sentenceOf(error)));
  }, [name]);
  return (
    <div class="looking results">
      <nav class="lesson-where" aria-label={say("Results of this folder")}>
        <a href="#results">← {say("All results")}</a>
      </nav>
      <h1>{wholeTitle(name).game && `${gameTitle(wholeTitle(name).game)}: `}{wholeTitle(name).about}</h1>
      {trouble && <p class="looking-trouble" role="alert">{sayTrouble(trouble)}</p>}
      {report && (
        <p>
          <a href={address} target="_blank" rel="noopener">{say("Open in a new window")}</a>
        </p>
      )}
      {report ? <iframe class="report" title={say("Report")} sandbox="" srcdoc={report} /> : !trouble && <p class="looking-empty">{say("One moment …")}</p>}
    </div>
  );
}

function resultText(contest: Contest, seats: number[], results: number[]): string {
  const winners = winningSeats(results).map((seat) => contest.players[seats[seat]!] ?? "");
  if (winners.length > 0) return say("{who} wins", { who: winners.join(", ") });
  return new Set(results).size === 1 ? say("draw") : results.map((result) => percent(result)).join(" – ");
}
