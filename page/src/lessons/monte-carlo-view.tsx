/** The Monte-Carlo method: pi by random points, and how slowly the error shrinks. */
import { useEffect, useRef, useState } from "preact/hooks";
import { dark } from "../state/theme";
import { counted } from "../views/numbers";
import { Chart } from "./chart";
import { estimateOf, expectedError, isWorthKeeping, throwDart, type Count, type Dart } from "./monte-carlo";
import { randomFrom } from "./random";
import { say } from "../messages";

const SIDE = 320;
const MOST = 1_000_000;
const DECADES = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000];
const INSIDE = { light: "#0072b2", dark: "#56b4e9" };
const OUTSIDE = { light: "#d55e00", dark: "#e69f00" };

interface State {
  count: Count;
  history: [number, number][]; // points thrown, and the error then
}

const NOTHING: State = { count: { thrown: 0, inside: 0 }, history: [] };

export default function PiLesson() {
  const [state, setState] = useState(NOTHING);
  const [running, setRunning] = useState(false);
  const [seed, setSeed] = useState(1);
  const random = useRef(randomFrom(seed));
  const canvas = useRef<HTMLCanvasElement>(null);

  function throwMany(many: number) {
    setState((before) => {
      const count = { ...before.count };
      const history = [...before.history];
      const pen = canvas.current?.getContext("2d");
      for (let index = 0; index < many && count.thrown < MOST; index++) {
        const dart = throwDart(random.current);
        count.thrown++;
        if (dart.inside) count.inside++;
        if (pen) draw(pen, dart, count.thrown);
        if (isWorthKeeping(history.at(-1)?.[0] ?? 0, count.thrown))
          history.push([count.thrown, Math.abs(estimateOf(count) - Math.PI)]);
      }
      return { count, history };
    });
  }

  useEffect(() => {
    if (!running) return undefined;
    const timer = setInterval(() => throwMany(Math.max(1, Math.ceil(state.count.thrown / 15))), 60);
    return () => clearInterval(timer);
  }, [running, state.count.thrown > 0 ? Math.ceil(Math.log2(state.count.thrown)) : 0]);
  useEffect(() => {
    if (state.count.thrown >= MOST) setRunning(false);
  }, [state.count.thrown]);

  function clear(next: number) {
    setSeed(next);
    random.current = randomFrom(next);
    setState(NOTHING);
    setRunning(false);
    canvas.current?.getContext("2d")?.clearRect(0, 0, 2 * SIDE, 2 * SIDE);
  }

  const { thrown, inside } = state.count;
  const estimate = estimateOf(state.count);
  const error = Math.abs(estimate - Math.PI);
  return (
    <article class="lesson">
      <p>{say("Throw random points at a square. The circle in it covers π/4 of the square, so about this share of the points is in the circle. Four times the share is an estimate of π.")}</p>
      <div class="lesson-split">
        <div class="pi-square">
          <canvas ref={canvas} width={2 * SIDE} height={2 * SIDE} role="img" aria-label={say("A square with a circle in it: {inside} of {thrown} random points are in the circle", { inside: counted(inside), thrown: counted(thrown) })} />
          <svg viewBox="-1 -1 2 2" aria-hidden="true">
            <circle r="0.995" class="pi-circle" />
          </svg>
        </div>
        <div class="lesson-side">
          <p class="pi-estimate" aria-live="polite">
            <small>{say("4 × {inside} / {thrown} =", { inside: counted(inside), thrown: counted(thrown) })}</small>
            <strong>{thrown ? estimate.toFixed(5) : "?"}</strong>
            <small>{say("off by {error}; to be expected: ±{expected}", { error: thrown ? error.toFixed(5) : "?", expected: thrown ? expectedError(thrown).toFixed(5) : "?" })}</small>
          </p>
          <div class="buttons">
            {[1, 10, 100, 1000].map((many) => (
              <button key={many} type="button" onClick={() => throwMany(many)}>+{counted(many)}</button>
            ))}
            <button type="button" class="primary" onClick={() => setRunning(!running)}>{say(running ? "Pause" : "Let it rain")}</button>
            <button type="button" onClick={() => clear(seed + 1)}>{say("Clear")}</button>
          </div>
          <Chart
            label={say("The error over the number of points, both on logarithmic axes, beside the straight line of 1.64/√n")}
            x={{ from: 1, to: MOST, ticks: DECADES.filter((_, index) => index % 2 === 0), logarithmic: true, name: say("points") }}
            y={{ from: 0.0005, to: 4, ticks: [0.001, 0.01, 0.1, 1], logarithmic: true, name: say("error") }}
            lines={[
              { name: say("expected, 1.64/√n"), look: 1, points: [[1, expectedError(1)], [MOST, expectedError(MOST)]] },
              { name: say("your points"), look: 0, points: state.history },
            ]}
          />
        </div>
      </div>
      <p>{say("The error shrinks as 1/√n: one more digit needs a hundred times as many points. This holds for every estimate that is a mean, also for the value of a position.")}</p>
      <p>{say("A position can be evaluated in the same way, without any knowledge of the game: play many random games to the end and count the wins. The next lesson is about where to spend the next playout.")}</p>
    </article>
  );
}

function draw(pen: CanvasRenderingContext2D, dart: Dart, number: number): void {
  const size = number < 300 ? 9 : number < 3000 ? 5 : 3;
  const looks = dark.peek() ? "dark" : "light";
  pen.fillStyle = dart.inside ? INSIDE[looks] : OUTSIDE[looks];
  const [x, y] = [(dart.x + 1) * SIDE, (dart.y + 1) * SIDE];
  if (dart.inside) {
    pen.beginPath();
    pen.arc(x, y, size / 2, 0, 7);
    pen.fill();
  } else pen.fillRect(x - size / 2, y - size / 2, size, size);
}
