/** The bandit: arms to pull by hand, beside UCB1, and what each has lost so far. */
import { useRef, useState } from "preact/hooks";
import { counted, percent } from "../views/numbers";
import { anyArm, drawChances, newPuller, pull, regretBound, ucb1, upperBound, type Arm, type Puller } from "./bandit";
import { Chart, roundTicks } from "./chart";
import { randomFrom } from "./random";
import { say } from "../messages";

const ARMS = 5;
const SHOWN = 200; // points of a curve

interface State {
  chances: number[];
  you: Puller;
  machine: Puller;
  blind: Puller;
}

function newState(seed: number): State {
  const chances = drawChances(ARMS, randomFrom(seed));
  return { chances, you: newPuller(ARMS), machine: newPuller(ARMS), blind: newPuller(ARMS) };
}

export default function BanditLesson() {
  const [seed, setSeed] = useState(7);
  const [state, setState] = useState(() => newState(7));
  const [revealed, reveal] = useState(false);
  const [last, setLast] = useState("");
  const random = useRef(randomFrom(seed + 1000));

  function byHand(arm: number) {
    const before = state.you.arms[arm]!.wins;
    const you = pull(state.you, arm, state.chances, random.current);
    setState(others({ ...state, you }, you.regret.length - 1));
    setLast(say(you.arms[arm]!.wins > before ? "{arm} pays." : "{arm} pays nothing.", { arm: letter(arm) }));
  }
  function machines(many: number) {
    setState(others(state, state.machine.regret.length - 1 + many));
  }
  /** UCB1 and the blind one pull until they have pulled so often. */
  function others(now: State, pulls: number): State {
    let { machine, blind } = now;
    while (machine.regret.length <= pulls) machine = pull(machine, ucb1(machine.arms, random.current), now.chances, random.current);
    while (blind.regret.length <= pulls) blind = pull(blind, anyArm(blind.arms, random.current), now.chances, random.current);
    return { ...now, machine, blind };
  }
  function again() {
    setSeed(seed + 1);
    setState(newState(seed + 1));
    reveal(false);
    setLast("");
  }

  const pulls = state.machine.regret.length - 1;
  const most = Math.max(1, ...[state.you, state.machine, state.blind].map((each) => each.regret.at(-1)!));
  return (
    <article class="lesson">
      <p>{say("A machine has five arms. Each arm pays with its own probability, which you do not know. Pull any arm. Each pull of a worse arm costs the difference to the best one. UCB1 plays the same machine: one pull for each of yours.")}</p>
      <div class="bandit-arms">
        {state.you.arms.map((arm, index) => (
          <button key={index} type="button" class="bandit-arm" onClick={() => byHand(index)}>
            <span class="hidden">{say("Pull arm {arm}", { arm: letter(index) })}</span>
            <b aria-hidden="true">{letter(index)}</b>
            <span>{say("{wins} of {pulls}", { wins: arm.wins, pulls: arm.pulls })}</span>
            <meter min={0} max={1} value={arm.pulls ? arm.wins / arm.pulls : 0} aria-hidden="true" />
            {revealed && <em>{percent(state.chances[index]!)}</em>}
          </button>
        ))}
      </div>
      <p class="bandit-last" aria-live="polite">{last || say("Pull an arm.")}</p>
      <div class="buttons">
        {[1, 10, 100, 1000].map((many) => (
          <button key={many} type="button" onClick={() => machines(many)}>{say("UCB1 +{count}", { count: counted(many) })}</button>
        ))}
        <button type="button" aria-pressed={revealed} onClick={() => reveal(!revealed)}>{say(revealed ? "Hide the chances" : "Show the chances")}</button>
        <button type="button" onClick={again}>{say("Another machine")}</button>
      </div>
      <div class="lesson-split">
        <Bounds arms={state.machine.arms} chances={revealed ? state.chances : null} pulls={pulls} />
        <div class="lesson-side">
          <h2>{say("What was lost (regret)")}</h2>
          <Chart
            label={say("Curves of what was lost: you {you}, UCB1 {machine}", { you: state.you.regret.at(-1)!.toFixed(1), machine: state.machine.regret.at(-1)!.toFixed(1) })}
            x={{ from: 0, to: Math.max(10, pulls), ticks: roundTicks(Math.max(10, pulls)), name: say("pulls") }}
            y={{ from: 0, to: most * 1.08, ticks: roundTicks(most * 1.08), name: say("lost") }}
            lines={[
              { name: say("you"), look: 0, points: thinned(state.you.regret) },
              { name: "UCB1", look: 1, points: thinned(state.machine.regret) },
              { name: say("any arm"), look: 2, points: thinned(state.blind.regret) },
            ]}
          />
          {pulls >= 1000 && <p class="faint">{say("After {pulls} pulls the theorem promises at most {bound} on average; in practice it is far less.", { pulls: counted(pulls), bound: regretBound(state.chances, pulls).toFixed(0) })}</p>}
        </div>
      </div>
      <p>{say("Exploitation uses the arm with the best mean so far. Exploration tries arms with few pulls. The score of UCB1 is the mean plus an exploration term. This term is large for arms with few pulls and grows slowly while other arms are pulled. UCB1 pulls the arm with the highest score.")}</p>
      <p>{say("Worse arms are pulled less and less often, but never stop being pulled. So the loss grows only with the logarithm of the pulls. The moves of a game are such arms: see the next lesson.")}</p>
    </article>
  );
}

/** What UCB1 sees: each arm's mean, and the bound by which it chooses. */
function Bounds({ arms, chances, pulls }: { arms: Arm[]; chances: number[] | null; pulls: number }) {
  const bounds = arms.map((arm) => upperBound(arm, pulls));
  const scale = Math.max(1.2, ...bounds.filter(Number.isFinite));
  const next = ucb1(arms, Math.random);
  const across = (value: number) => `${(100 * Math.min(value, scale)) / scale}%`;
  return (
    <div class="lesson-side">
      <h2>{say("What UCB1 sees")}</h2>
      <ul class="bandit-bounds">
        {arms.map((arm, index) => (
          <li key={index} class={index === next ? "next" : ""}>
            <b>{letter(index)}</b>
            <span class="bandit-track" role="img" aria-label={say("mean {mean}, bound {bound}", { mean: arm.pulls ? (arm.wins / arm.pulls).toFixed(2) : "?", bound: Number.isFinite(bounds[index]!) ? bounds[index]!.toFixed(2) : "∞" })}>
              {arm.pulls > 0 && <i class="bandit-bonus" style={{ left: across(arm.wins / arm.pulls), width: across(bounds[index]! - arm.wins / arm.pulls) }} />}
              {arm.pulls > 0 && <i class="bandit-mean" style={{ left: across(arm.wins / arm.pulls) }} />}
              {chances && <i class="bandit-true" style={{ left: across(chances[index]!) }} />}
            </span>
            <span class="bandit-count">{counted(arm.pulls)}</span>
            <span class="bandit-bound">{Number.isFinite(bounds[index]!) ? bounds[index]!.toFixed(2) : "∞"}{index === next ? " ◂" : ""}</span>
          </li>
        ))}
      </ul>
      <p class="faint">{say("Mark: the mean. Bar: the bonus up to the bound. Then pulls and bound; ◂ comes next.")}</p>
      <p class="formula">UCB1 = x̄ⱼ + √(2 ln n / nⱼ)</p>
    </div>
  );
}

function letter(arm: number): string {
  return String.fromCharCode(65 + arm);
}

/** A curve with few enough points to draw. */
function thinned(values: number[]): [number, number][] {
  const step = Math.max(1, Math.ceil(values.length / SHOWN));
  const found: [number, number][] = [];
  values.forEach((value, index) => {
    if (index % step === 0 || index === values.length - 1) found.push([index, value]);
  });
  return found;
}
