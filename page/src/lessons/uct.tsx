/** UCT on the smallest board: a real search, from its first iteration on. */
import { useEffect, useState } from "preact/hooks";
import type { Board, Position } from "../protocol";
import type { Branch, Step } from "../views/tree-data";
import { Stage } from "../views/iteration-stage";
import { fetched } from "../state/fetched";
import { sayTrouble, type Sentence, sentenceOf } from "../state/told";
import { say } from "../messages";

interface Lesson {
  board: Board | null;
  player_names: string[];
  view: Position;
  steps: Step[];
  trees: Branch[];
}

export default function UctLesson() {
  const [seed, setSeed] = useState(1);
  const [lesson, setLesson] = useState<Lesson | null>(null);
  const [trouble, setTrouble] = useState<Sentence>("");
  const [at, setAt] = useState(0);
  useEffect(() => {
    setAt(0);
    fetched<Lesson>(`api/lessons/uct?seed=${seed}`).then(setLesson, (error: Error) => setTrouble(sentenceOf(error)));
  }, [seed]);
  const step = lesson?.steps[at];
  return (
    <article class="lesson wide">
      <p>{say("In UCT, every node of the tree is a bandit: the moves are the arms, and an iteration is a pull. Here is a search on a 2×2 board, where two in a row win. Go through it step by step.")}</p>
      <p class="formula">UCT = X̄ⱼ + 2 Cₚ √(2 ln n / nⱼ)</p>
      {trouble && <p class="looking-trouble" role="alert">{sayTrouble(trouble)}</p>}
      {lesson && step && (
        <Stage
          board={lesson.board}
          names={lesson.player_names}
          start={lesson.view.pieces}
          count={at + 1}
          step={step}
          before={lesson.trees[at - 1] ?? null}
          after={lesson.trees[at]!}
          onDone={() => setAt(Math.min(at + 1, lesson.steps.length - 1))}
          extra={
            <>
              <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>{say("Previous iteration")}</button>
              <button type="button" onClick={() => setSeed(seed + 1)}>{say("Another search")}</button>
            </>
          }
        />
      )}
      <p>{say(at < 4 ? "The first four iterations: the root is not fully expanded, so each of its four moves is visited once." : at < 16 ? "Now the root is fully expanded, and the score selects the move. Each child of the root is expanded in turn." : "The third level appears: terminal nodes, drawn as squares. Nothing is simulated there, since the result is certain: X has two in a row with the second stone, wherever it is.")}</p>
      <p>{say("n is the number of visits of the node, nⱼ that of a child, X̄ⱼ the child's mean for the player to move, and Cₚ = 1/√2. The score of an unvisited child is infinite, so every child is visited once before any is visited twice. With more and more iterations, the values converge to those of minimax.")}</p>
    </article>
  );
}
