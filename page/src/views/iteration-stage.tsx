/** One iteration on the stage: the tree with its lit path, the small board, the scores, and what happens in words. */
import { PHASE_NAMES, TERMS } from "./names";
import { useEffect, useMemo, useState } from "preact/hooks";
import { lookOf, Sign } from "../boards/piece";
import type { Board, Piece } from "../protocol";
import { lineTitle } from "../state/format";
import { piecesAfter, placesOf, ROOT, type Branch, type Change, type Place, type Selection, type Step } from "./tree-data";
import { say } from "../messages";
import { creditLabels, litPlaces, momentsOf, nextPhase, PHASES, treeAt, type Moment } from "./iteration-phases";
import { Picture } from "./tree-picture";
import { counted, percent } from "./numbers";
import { SmallBoard } from "./mini-board";
import { byVisits, scaleOf, termsOf } from "./score-terms";
import { Bar, number } from "./compare-moves";

export interface StageProps {
  board: Board | null;
  names: string[];
  start: Piece[]; // what stands on the board at the root
  count: number; // which iteration it is
  step: Step;
  before: Branch | null;
  after: Branch;
  onDone: () => void; // the next iteration is wanted
  waiting?: boolean;
  extra?: preact.ComponentChildren; // further buttons
}

const PAUSE = { selection: 900, expansion: 1100, simulation: 260, "back-propagation": 650 };
const LONG_GAME = 30; // moves of a simulation from which it is played faster

export function Stage(props: StageProps) {
  const { step, before, after, names } = props;
  const moments = useMemo(() => momentsOf(step), [step]);
  const [at, setAt] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [folded, setFolded] = useState<ReadonlySet<Place>>(new Set());
  useEffect(() => setAt(0), [step]);
  const moment = moments[Math.min(at, moments.length - 1)]!;
  const isLast = at >= moments.length - 1;
  const forward = () => (isLast ? props.onDone() : setAt(at + 1));

  useEffect(() => {
    if (!playing || props.waiting) return undefined;
    const pause = PAUSE[moment.phase] / (moment.phase === "simulation" && step.simulation.length > LONG_GAME ? 4 : 1);
    const timer = setTimeout(forward, isLast ? 2 * pause : pause);
    return () => clearTimeout(timer);
  }, [playing, at, step, props.waiting]);

  function onKeyDown(event: KeyboardEvent) {
    if ((event.target as Element).closest("[role=tree], select, input")) return;
    if (event.key === "ArrowRight" || event.key === "n") forward();
    else if (event.key === "ArrowLeft" || event.key === "b") setAt(Math.max(0, at - 1));
    else return;
    event.preventDefault();
  }

  const tree = useMemo(() => treeAt(before, after, step, moment), [before, after, step, moment]);
  const mover = step.path[0]?.player ?? 0;
  const fold = (place: Place) => setFolded(toggled(folded, place));
  return (
    <section class="stage" onKeyDown={onKeyDown} aria-label={say("Iteration {count}", { count: counted(props.count) })}>
      <ol class="phases">
        {PHASES.map((phase, index) => (
          <li key={phase} class={phase === moment.phase ? "now" : PHASES.indexOf(moment.phase) > index ? "done" : ""} aria-current={phase === moment.phase ? "step" : undefined}>
            <b>{index + 1}</b> {say(PHASE_NAMES[phase])}
          </li>
        ))}
      </ol>
      <p class="told" aria-live="polite">{toldAt(step, moment, names)}</p>
      <div class="stage-tools">
        <button type="button" onClick={() => setAt(Math.max(0, at - 1))} disabled={at === 0}>{say("step|Back")}</button>
        <button type="button" class="primary" onClick={forward} disabled={props.waiting}>{isLast ? say("Next iteration") : say("Next")}</button>
        <button type="button" onClick={() => setAt(nextPhase(moments, Math.min(at, moments.length - 1)))} disabled={isLast}>{say("Next phase")}</button>
        <button type="button" onClick={() => setPlaying(!playing)} aria-pressed={playing}>{playing ? say("Pause") : say("replay|Play")}</button>
        {props.extra}
        <span class="stage-count">{say("Iteration {count}", { count: counted(props.count) })}</span>
      </div>
      <div class="stage-split">
        <Picture
          tree={tree}
          players={names}
          perspective={mover}
          lesson
          folded={folded}
          selected={placesOf(step)[moment.depth] ?? ROOT}
          lit={litPlaces(step, moment)}
          labels={creditLabels(step, moment, names)}
          options={STAGE_OPTIONS}
          onSelect={() => undefined}
          onFold={fold}
        />
        <div class="stage-side">
          <StageBoard {...props} moment={moment} />
          {moment.phase === "selection" && moment.depth < step.path.length && <Scores step={step} depth={moment.depth} />}
          {moment.phase === "back-propagation" && <Credit step={step} names={names} />}
        </div>
      </div>
    </section>
  );
}

const STAGE_OPTIONS = { most: 160, level: 80, largest: 22, smallest: 5, aside: 70 };

function toggled(set: ReadonlySet<Place>, place: Place): ReadonlySet<Place> {
  const next = new Set(set);
  if (!next.delete(place)) next.add(place);
  return next;
}

function StageBoard({ board, names, start, step, moment }: StageProps & { moment: Moment }) {
  const changes = step.changes ?? [];
  const inTree = Math.min(moment.moves, step.path.length);
  const standing = piecesAfter(start, changes, moment.moves);
  const simulated = simulatedCells(changes.slice(0, moment.moves), inTree);
  const pieces = standing.filter((piece) => !simulated.has(piece[0]));
  const ghosts = standing
    .filter((piece) => simulated.has(piece[0]) && piece[1] >= 0)
    .map((piece) => ({ cell: piece[0], player: piece[1], text: String(simulated.get(piece[0])! - inTree) }));
  const last = moment.moves > 0 ? (changes[moment.moves - 1]?.clicks ?? []).slice(-1) : [];
  const moves = lineTitle([...step.path.map((each) => each.name), ...step.simulation].slice(0, moment.moves));
  const label = say("Board after {moves}", { moves: moves || say("root position") });
  return (
    <figure class="stage-board">
      <SmallBoard board={board} players={names.length} pieces={pieces} ghosts={ghosts} last={ghosts.length ? [] : last} label={label} text={moves} />
      <figcaption>
        {names.map((name, player) => (
          <span key={name}>
            <Sign player={player} look={lookOf(board, names.length)} /> {name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

/** The cells that the simulation filled, each with the number of its move. */
function simulatedCells(changes: Change[], from: number): Map<number, number> {
  const found = new Map<number, number>();
  changes.forEach((change, index) => {
    if (index >= from) for (const piece of change.add) found.set(piece[0], index + 1);
  });
  return found;
}

/** The scores by which selection went on from a node. */
function Scores({ step, depth }: { step: Step; depth: number }) {
  const selection = step.path[depth]!;
  const choices = byVisits(selection.choices).slice(0, 9);
  const chosen = selection.choices.find((choice) => choice.action === selection.chosen);
  if (chosen && !choices.includes(chosen)) choices.push(chosen);
  const terms = termsOf(choices);
  return (
    <div class="scores">
      <h2>{say("Scores at this node")}</h2>
      {choices.length === 0 ? (
        <p>{say("No child has been visited here yet.")}</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">{say("move")}</th>
              <th scope="col">n</th>
              {terms.map((term) => (
                <th key={term} scope="col">{say(TERMS[term])}</th>
              ))}
              <th scope="col">{say("tree|score")}</th>
              <th scope="col" aria-label={say("tree|score")} />
            </tr>
          </thead>
          <tbody>
            {choices.map((choice) => (
              <tr key={choice.action} class={choice.action === selection.chosen ? "chosen" : ""}>
                <th scope="row">{choice.action === selection.chosen ? `▸ ${choice.name}` : choice.name}</th>
                <td>{counted(choice.visits)}</td>
                {terms.map((term) => (
                  <td key={term}>{number(choice.terms[term])}</td>
                ))}
                <td>{number(choice.terms["score"])}</td>
                <td>
                  <Bar choice={choice} scale={scaleOf(choices)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Credit({ step, names }: { step: Step; names: string[] }) {
  return (
    <ul class="credit">
      {names.map((name, player) => (
        <li key={name}>
          <b>{name}</b> <meter min={0} max={1} value={step.credit[player] ?? 0} aria-label={name} /> {percent(step.credit[player] ?? 0)}
        </li>
      ))}
    </ul>
  );
}

/** What happens at a moment, in one sentence. */
export function toldAt(step: Step, moment: Moment, names: string[]): string {
  const at = step.path[moment.depth];
  const credit = names.map((name, player) => `${name} ${number(step.credit[player]).replace(/\.?0+$/, "")}`).join(", ");
  if (moment.phase === "back-propagation") return say("The result goes up the path: {credit}. Every node of the path gets one more visit.", { credit });
  if (moment.phase === "expansion") return say("{name} becomes a new node of the tree.", { name: step.path[moment.depth - 1]!.name });
  if (moment.phase === "simulation") {
    const done = moment.moves - step.path.length;
    if (step.judged) return say("A network evaluates the position instead of a playout: {credit}.", { credit });
    if (step.simulation.length === 0) return say("The result is certain here: no playout is needed.");
    const reason = step.reasons[done - 1] ? ` (${step.reasons[done - 1]})` : "";
    return say("A playout from there: {move}, move {number} of {count}.", { move: `${step.simulation[done - 1]}${reason}`, number: done, count: step.simulation.length });
  }
  if (!at) return say("The game is over here: nothing to select.");
  const root = moment.depth === 0 ? `${say("Begin at the root. {who} is to move.", { who: names[at.player] ?? "" })} ` : "";
  return root + say(selectionWord(at), { name: at.name });
}

/** Why selection went where it did: a move that nobody tried comes first, unless a guess gives it a score as well. */
function selectionWord({ choices, chosen, new: fresh }: Selection): "Some moves were not visited yet: {name} comes next." | "All moves were visited: select {name}, which has the highest score." | "{name} has the highest score: select it. The score of an unvisited move comes from its prior." {
  if (fresh && !choices.some((each) => each.action === chosen)) return "Some moves were not visited yet: {name} comes next.";
  return fresh || choices.some((each) => each.visits === 0) ? "{name} has the highest score: select it. The score of an unvisited move comes from its prior." : "All moves were visited: select {name}, which has the highest score.";
}
