/** What shapes, outlines and colours of the tree mean. */
import { dark } from "../state/theme";
import { colourOf } from "./colours";
import { say } from "../messages";
import { classOf, Shape, stateWord, type Shaped } from "./tree-picture";

const STATES: Shaped[] = [
  { state: "visited", proven: false, cut: false },
  { state: "not fully expanded", proven: false, cut: false },
  { state: "fully expanded", proven: false, cut: false },
  { state: "terminal", proven: false, cut: false },
];
const MARKS = [
  ["proven", { state: "fully expanded", proven: true, cut: false }],
  ["cut", { state: "visited", proven: false, cut: true }],
] as const;

export function Legend({ who, even }: { who: string; even: number }) {
  const sample = (shaped: Shaped, text: string) => (
    <li key={text}>
      <svg width="26" height="26" viewBox="-13 -13 26 26" class={`tree-knot ${classOf(shaped)}`} aria-hidden="true">
        <Shape branch={shaped} radius={8} colour={colourOf(even, even, dark.value)} />
      </svg>
      {text}
    </li>
  );
  const stops = [0, 0.25, 0.5, 0.75, 1].map((part) => {
    const mean = part < 0.5 ? 2 * part * even : even + (2 * part - 1) * (1 - even);
    return `${colourOf(mean, even, dark.value)} ${100 * part}%`;
  });
  return (
    <div class="tree-legend">
      <ul>
        {STATES.map((shaped) => sample(shaped, say(stateWord(shaped))))}
        {MARKS.map(([word, shaped]) => sample(shaped, say(word)))}
      </ul>
      <p class="tree-scale">
        <span>{say("bad for {who}", { who })}</span>
        <i style={{ background: `linear-gradient(to right, ${stops.join(", ")})` }} aria-hidden="true" />
        <span>{say("good for {who}", { who })}</span>
      </p>
    </div>
  );
}
