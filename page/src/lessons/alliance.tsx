/** Three players and their short alliances: one scene, played by plain and by improved search. */
import { useEffect, useState } from "preact/hooks";
import { lookOf, Sign } from "../boards/piece";
import type { Board, Position } from "../protocol";
import { ask } from "../state/store";
import { piecesAfter, type Change } from "../views/branch";
import { percent } from "../views/saying";
import { SmallBoard } from "../views/smallboard";
import { fetched } from "../state/fetched";
import { sayTrouble } from "../state/told";
import { say } from "./words";

const ROUNDS = 7; // moves that were played on, if nobody won before

interface SceneMove {
  action: number;
  name: string;
  player: number;
  about: "wins" | "blocks" | "blocks early" | "builds";
  means: number[];
  visits: number;
}

interface Run {
  strategy: "plain" | "improved" | "strong";
  player: string;
  games: number;
  held: number;
  seed: number;
  moves: SceneMove[];
  changes: Change[];
}

interface Act {
  name: "three" | "four";
  start: string[];
  view: Position;
  runs: Run[];
}

interface Lesson {
  game: string;
  board: Board;
  player_names: string[];
  acts: Act[];
}

export default function AllianceLesson() {
  const [lesson, setLesson] = useState<Lesson | null>(null);
  const [trouble, setTrouble] = useState("");
  const [act, setAct] = useState(0);
  const [at, setAt] = useState(0);
  useEffect(() => {
    fetched<Lesson>("api/lessons/alliance").then(setLesson, (error: Error) => setTrouble(error.message));
  }, []);
  if (!lesson) return <p class="looking-empty" role={trouble ? "alert" : undefined}>{trouble ? sayTrouble(trouble) : say("asking")}</p>;
  const scene = lesson.acts[act]!;
  const longest = Math.max(...scene.runs.map((run) => run.moves.length));
  const choose = (next: number) => {
    setAct(next);
    setAt(0);
  };
  async function tryIt() {
    const program = { kind: "player", name: "mcts", iterations: 20_000 };
    const answer = await ask("new", { game: lesson!.game, moves: scene.start, seats: [program, { kind: "person" }, program] });
    if (answer) location.hash = "#play";
  }
  return (
    <article class="lesson wide">
      <p>{say("alliance_1")}</p>
      <div class="buttons" role="group" aria-label={say("alliance_acts")}>
        {lesson.acts.map((each, index) => (
          <button key={each.name} type="button" aria-pressed={index === act} onClick={() => choose(index)}>
            {index + 1}. {say(`act_${each.name}`)}
          </button>
        ))}
      </div>
      <p>{say(`act_${scene.name}_told`)}</p>
      <div class="stage-tools">
        <button type="button" disabled={at === 0} onClick={() => setAt(0)}>{say("alliance_first")}</button>
        <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>{say("alliance_back")}</button>
        <button type="button" class="primary" disabled={at >= longest} onClick={() => setAt(at + 1)}>{say("alliance_next")}</button>
        <span class="stage-count">{say("alliance_move", { number: at, count: longest })}</span>
      </div>
      <div class="alliance-runs">
        {scene.runs.map((run) => (
          <RunBoard key={run.strategy} run={run} at={at} lesson={lesson} scene={scene} />
        ))}
      </div>
      <p class="faint">{say("alliance_key")}</p>
      <p class="buttons">
        <button type="button" onClick={() => void tryIt()}>{say("alliance_try")}</button>
      </p>
      <p>{say("alliance_2")}</p>
      <p class="formula">A · w/n + B · (1 − max w′/n) + C · √(ln N / n)</p>
      <p>{say("alliance_3")}</p>
    </article>
  );
}

function RunBoard({ run, at, lesson, scene }: { run: Run; at: number; lesson: Lesson; scene: Act }) {
  const done = Math.min(at, run.moves.length);
  const move = run.moves[done - 1];
  const look = lookOf(lesson.board, lesson.player_names.length);
  const played = run.moves.slice(0, done);
  const over = played.at(-1)?.about === "wins";
  const winning = over ? winningCells(run, done, scene) : [];
  return (
    <section class="alliance-run" aria-label={say(`strategy_${run.strategy}`)}>
      <h2>{say(`strategy_${run.strategy}`)}</h2>
      <p class="faint"><code>{run.player}</code></p>
      <SmallBoard
        board={lesson.board}
        players={lesson.player_names.length}
        pieces={piecesAfter(scene.view.pieces, run.changes, done)}
        last={move ? (run.changes[done - 1]?.clicks ?? []) : []}
        winning={winning}
        label={say("alliance_board", { moves: played.map((each) => each.name).join(" ") || "-" })}
      />
      <p class="alliance-told" aria-live="polite">
        {move ? (
          <>
            <Sign player={move.player} look={look} />{" "}
            {say(`does_${move.about.replace(" ", "_") as "wins"}`, { who: lesson.player_names[move.player] ?? "", move: move.name })}
          </>
        ) : (
          say("alliance_before")
        )}
      </p>
      <ol class="alliance-moves">
        {run.moves.map((each, index) => (
          <li key={index} class={`${index < done ? "" : "ahead"} ${each.about.replace(" ", "-")}`}>
            <Sign player={each.player} look={look} /> <b>{each.name}</b> <span>{say(`mark_${each.about.replace(" ", "_") as "wins"}`)}</span>{" "}
            <small>{percent(each.means[each.player] ?? 0)}</small>
          </li>
        ))}
      </ol>
      <p class="alliance-held">{say("alliance_held", { held: run.held, games: run.games, moves: ROUNDS })}</p>
    </section>
  );
}

/** The stones of the winner on the line of the last one: five or more that stand side by side. */
function winningCells(run: Run, done: number, scene: Act): number[] {
  const pieces = piecesAfter(scene.view.pieces, run.changes, done);
  const winner = run.moves[done - 1]!.player;
  const cell = run.changes[done - 1]!.clicks?.[0];
  if (cell === undefined) return [];
  return longestLine(new Set(pieces.filter((piece) => piece[1] === winner).map((piece) => piece[0])), cell, 6);
}

/** In a cube of some cells a side, the longest row of these cells through one of them. */
export function longestLine(cells: ReadonlySet<number>, through: number, side: number): number[] {
  const [layer, row, column] = [Math.floor(through / side ** 2), Math.floor(through / side) % side, through % side];
  const inside = (value: number) => value >= 0 && value < side;
  let best: number[] = [];
  for (let index = 14; index < 27; index++) {
    const step = [Math.floor(index / 9) - 1, (Math.floor(index / 3) % 3) - 1, (index % 3) - 1] as const;
    const found = [through];
    for (const sign of [-1, 1])
      for (let far = 1; far < side; far++) {
        const at = [layer + sign * far * step[0], row + sign * far * step[1], column + sign * far * step[2]] as const;
        const cell = (at[0] * side + at[1]) * side + at[2];
        if (!at.every(inside) || !cells.has(cell)) break;
        found.push(cell);
      }
    if (found.length > best.length) best = found;
  }
  return best.sort((one, other) => one - other);
}
