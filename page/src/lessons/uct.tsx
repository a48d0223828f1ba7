/** UCT on the smallest board: a real search, from its first iteration on. */
import { useEffect, useState } from "preact/hooks";
import type { Board, Position } from "../protocol";
import type { Branch, Step } from "../views/branch";
import { Stage } from "../views/stage";
import { fetched } from "../state/fetched";
import { sayTrouble } from "../state/told";
import { say } from "./words";

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
  const [trouble, setTrouble] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => {
    setAt(0);
    fetched<Lesson>(`api/lessons/uct?seed=${seed}`).then(setLesson, (error: Error) => setTrouble(error.message));
  }, [seed]);
  const step = lesson?.steps[at];
  return (
    <article class="lesson wide">
      <p>{say("uct_1")}</p>
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
              <button type="button" disabled={at === 0} onClick={() => setAt(at - 1)}>{say("uct_previous")}</button>
              <button type="button" onClick={() => setSeed(seed + 1)}>{say("uct_other")}</button>
            </>
          }
        />
      )}
      <p>{say(at < 4 ? "uct_first" : at < 16 ? "uct_second" : "uct_third")}</p>
      <p>{say("uct_2")}</p>
    </article>
  );
}
