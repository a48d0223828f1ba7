/** Three players and their short alliances: one scene, played by plain and by improved search. */
import { ACTS, ACTS_TOLD, DOES, MARKS, STRATEGIES } from "./names";
import { useEffect, useState } from "preact/hooks";
import { lookOf, Sign } from "../boards/piece";
import type { Board, Position } from "../protocol";
import { ask } from "../state/store";
import { piecesAfter, type Change } from "../views/tree-data";
import { percent } from "../views/numbers";
import { SmallBoard } from "../views/mini-board";
import { fetched } from "../state/fetched";
import { sayTrouble, type Sentence, sentenceOf } from "../state/told";
import { say } from "../messages";

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
  const [trouble, setTrouble] = useState<Sentence>("");
  const [act, setAct] = useState(0);
  const [at, setAt] = useState(0);
  useEffect(() => {
    fetched<Lesson>("api/lessons/alliance").then(setLesson, (error: Error) => setTrouble(sentenceOf(error)));
  }, []);
  if (!lesson) return <p class="looking-empty" role={trouble ? "alert" : undefined}>{trouble ? sayTrouble(trouble) : say("One moment …")}</p>;
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
      <p>{say("Five in a row in a cube of 6×6×6, for three: X, O and L. What is bad for X need not be good for O: it may be good for L. So a search for two players does not fit, and this scene shows it. It follows a student's report of 2016; every move below was played by this engine.")}</p>
      <div class="buttons" role="group" aria-label={say("The two acts")}>
        {lesson.acts.map((each, index) => (
          <button key={each.name} type="button" aria-pressed={index === act} onClick={() => choose(index)}>
            {index + 1}. {say(ACTS[each.name])}
          </button>
        ))}
      </div>
      <p>{say(ACTS_TOLD[scene.name])}</p>
      <div class="stage-tools">
        <button type="button" disabled={at === 0} onClick={() => setAt(0)}>{say("To the start")}</button>
        <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>{say("Back")}</button>
        <button type="button" class="primary" disabled={at >= longest} onClick={() => setAt(at + 1)}>{say("Next move")}</button>
        <span class="stage-count">{say("move {number} of {count}", { number: at, count: longest })}</span>
      </div>
      <div class="alliance-runs">
        {scene.runs.map((run) => (
          <RunBoard key={run.strategy} run={run} at={at} lesson={lesson} scene={scene} />
        ))}
      </div>
      <p class="faint">{say("The percentage is what the mover expects of the move: 100 % is a win, 50 % a draw for everybody.")}</p>
      <p class="buttons">
        <button type="button" onClick={() => void tryIt()}>{say("Take O's seat and try it")}</button>
      </p>
      <p>{say("Why does plain search fail? To see that X wins, it must look at O's move, then L's, then X's: some 200 × 200 × 200 positions, and even then a random X misses the win most of the time. The report adds a term to the formula that keeps the strongest other player down, lets a winning move stand alone in the tree, and keeps the tree from move to move:")}</p>
      <p class="formula">A · w/n + B · (1 − max w′/n) + C · √(ln N / n)</p>
      <p>{say("Over whole games that helps: from 0.5 % reasonable games to 26 % with 20,000 iterations a move (luozi experiment reasonable). In this scene, with 100,000, it does not suffice yet: how often nobody won is written under each board. What makes play reliable are two rules that look one move ahead: who can win does, and who must block does. Alliances come from that alone; nobody has promised anything.")}</p>
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
    <section class="alliance-run" aria-label={say(STRATEGIES[run.strategy])}>
      <h2>{say(STRATEGIES[run.strategy])}</h2>
      <p class="faint"><code>{run.player}</code></p>
      <SmallBoard
        board={lesson.board}
        players={lesson.player_names.length}
        pieces={piecesAfter(scene.view.pieces, run.changes, done)}
        last={move ? (run.changes[done - 1]?.clicks ?? []) : []}
        winning={winning}
        label={say("The six layers after {moves}", { moves: played.map((each) => each.name).join(" ") || "-" })}
      />
      <p class="alliance-told" aria-live="polite">
        {move ? (
          <>
            <Sign player={move.player} look={look} />{" "}
            {say(DOES[move.about], { who: lesson.player_names[move.player] ?? "", move: move.name })}
          </>
        ) : (
          say("The position; O is to move.")
        )}
      </p>
      <ol class="alliance-moves">
        {run.moves.map((each, index) => (
          <li key={index} class={`${index < done ? "" : "ahead"} ${each.about.replace(" ", "-")}`}>
            <Sign player={each.player} look={look} /> <b>{each.name}</b> <span>{say(MARKS[each.about])}</span>{" "}
            <small>{percent(each.means[each.player] ?? 0)}</small>
          </li>
        ))}
      </ol>
      <p class="alliance-held">{say("In {held} of {games} games, each from a seed of its own, nobody won within {moves} moves.", { held: run.held, games: run.games, moves: ROUNDS })}</p>
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
