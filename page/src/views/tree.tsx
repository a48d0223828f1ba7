/** The view of the tree: it grows before one's eyes, by the engine or step by step. */
import { FORMULA_NAMES } from "./names";
import { useEffect, useRef, useState } from "preact/hooks";
import { gameTitle, playerNames } from "../state/format";
import { sayTrouble } from "../state/told";
import { branchAt, lopsidedness, ROOT, wayTo, withBranch, type Branch, type Choice, type Place } from "./tree-data";
import { readBranch, readTree, type Source, type StepAnswer, type WhyAnswer } from "./tree-growth";
import { Legend } from "./legend";
import { say } from "../messages";
import { NodePanel } from "./node-panel";
import { Picture } from "./tree-picture";
import { counted } from "./numbers";
import { MINE, useSeat, type Seat } from "./viewed-game";
import { WHY_EMPTY, whyEmpty } from "./score-terms";
import { Why } from "./compare-moves";

const SPEEDS = [1, 5, 20, 100];
const FORMULAS = ["uct", "ucb1_tuned", "random"] as const;
const ENOUGH = 1000; // visits after which moves of the engine's tree are compared
const TICK = { walk: 420, engine: 600 }; // milliseconds

export default function TreeView() {
  const seat = useSeat("connect4", () => undefined);
  const [source, setSource] = useState<Source>("walk");
  const [running, setRunning] = useState(false);
  const [speed, setSpeed] = useState(20);
  const [formula, setFormula] = useState<(typeof FORMULAS)[number]>("uct");
  const [tree, setTree] = useState<Branch | null>(null);
  const [selected, select] = useState<Place>(ROOT);
  const [folded, setFolded] = useState<ReadonlySet<Place>>(new Set());
  const [opened, setOpened] = useState<ReadonlyMap<Place, Branch>>(new Map());
  const [perspective, setPerspective] = useState<number | null>(null);
  const [zoom, setZoom] = useState(0);
  const [why, setWhy] = useState<{ choices: Choice[]; visits: number; player: number } | null>(null);
  const walking = useRef(false);

  const growth = useRef(0); // counts the trees that were begun: answers about an older one are dropped

  function forget() {
    growth.current++;
    setTree(null);
    setWhy(null);
    select(ROOT);
    setFolded(new Set());
    setOpened(new Map());
    walking.current = false;
  }
  useEffect(forget, [seat.table?.table, source, formula]);
  useEffect(() => {
    if (seat.table) setRunning(true);
  }, [seat.table?.table]);

  async function tick(): Promise<void> {
    const now = growth.current;
    let total = tree?.visits ?? 0;
    if (source === "walk") {
      if (!walking.current) {
        walking.current = true;
        if (!(await seat.ask("walk", { options: { selection: formula }, seed: 1 }))) return setRunning(false);
      }
      const answer = await seat.ask<StepAnswer>("step", { count: speed });
      if (!answer) return setRunning(false);
      const last = answer.steps[answer.steps.length - 1]?.path[0];
      if (last && now === growth.current) setWhy({ choices: last.choices, visits: last.visits, player: last.player });
      total = answer.total;
    }
    const found = await readTree(seat.ask, source, total);
    if (found && now === growth.current) setTree(found);
  }

  useTicks(running && seat.table !== null, TICK[source], tick, [source, speed, formula, seat.table?.table]);
  useEffect(() => {
    if (source !== "engine" || !seat.table) return undefined;
    void seat.ask("analyse", { on: running });
    return () => void seat.ask("analyse", { on: false }, true); // of another game by now, there is nothing to end
  }, [source, running, seat.table?.table]);

  async function askWhy(quiet = false): Promise<void> {
    const now = growth.current;
    const answer = await seat.ask<WhyAnswer>("why", {}, quiet);
    if (answer && now === growth.current) setWhy({ choices: answer.choices, visits: answer.visits, player: answer.player });
  }
  const compared = useRef(-1);
  useEffect(() => {
    if (source !== "engine" || !tree || tree.visits < ENOUGH || whyEmpty(tree) !== "waits" || compared.current === growth.current) return;
    compared.current = growth.current; // once for each tree: later the person asks
    void askWhy(true);
  }, [tree, source]);
  async function more(place: Place): Promise<void> {
    const branch = await readBranch(seat.ask, source, place, 1);
    if (branch) setOpened(new Map([...opened, [place, branch]]));
  }
  const toggle = (place: Place) => {
    const next = new Set(folded);
    if (!next.delete(place)) next.add(place);
    setFolded(next);
  };

  const shown = tree && withOpened(tree, opened);
  const names = seat.table ? playerNames(seat.table) : [];
  const colours = perspective ?? shown?.player ?? 0;
  return (
    <div class="looking tree-view">
      <header class="looking-head">
        <h1>{say("The tree of the search")}</h1>
        <p>{say("Each circle is a position. The search visits promising moves more often, so the tree is deeper below them.")}</p>
      </header>
      <div class="looking-tools">
        <GameChoice seat={seat} />
        <Segments label={say("How the tree grows")} value={source} values={[["walk", say("Grow step by step")], ["engine", say("Watch the engine")]]} onChange={setSource} />
        <button type="button" class="primary" disabled={!seat.table} onClick={() => setRunning(!running)}>
          {running ? say("Pause") : say("Start")}
        </button>
        {source === "walk" && (
          <>
            <label>
              {say("Iterations a tick")}
              <select value={speed} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>
                {SPEEDS.map((each) => <option key={each}>{each}</option>)}
              </select>
            </label>
            <label>
              {say("Choose by")}
              <select value={formula} onChange={(event) => setFormula(event.currentTarget.value as (typeof FORMULAS)[number])}>
                {FORMULAS.map((each) => <option key={each} value={each}>{say(FORMULA_NAMES[each])}</option>)}
              </select>
            </label>
            <button type="button" onClick={forget}>{say("Begin anew")}</button>
          </>
        )}
        {names.length > 0 && (
          <label>
            {say("Colours for")}
            <select value={colours} onChange={(event) => setPerspective(Number(event.currentTarget.value))}>
              {names.map((name, player) => <option key={name} value={player}>{name}</option>)}
            </select>
          </label>
        )}
      </div>
      <Trouble seat={seat} />
      {shown && seat.table ? (
        <>
          <div class="tree-split">
            <div class="tree-main">
              <Numbers tree={shown} />
              <Picture tree={shown} players={names} perspective={colours} folded={folded} selected={selected} zoom={zoom} onSelect={select} onFold={toggle} onMore={(place) => void more(place)} />
              <div class="tree-under">
                <Legend who={names[colours] ?? ""} even={1 / Math.max(names.length, 1)} />
                <span class="zoom">
                  <button type="button" aria-label={say("Smaller")} onClick={() => setZoom(Math.max(0.25, (zoom || 1) / 1.3))}>−</button>
                  <button type="button" onClick={() => setZoom(0)}>{say("Fit")}</button>
                  <button type="button" aria-label={say("Larger")} onClick={() => setZoom(Math.min(3, (zoom || 1) * 1.3))}>+</button>
                  {folded.size > 0 && <button type="button" onClick={() => setFolded(new Set())}>{say("Unfold all")}</button>}
                </span>
              </div>
            </div>
            <NodePanel
              table={seat.table}
              way={wayTo(shown, selected) ?? [shown]}
              place={branchAt(shown, selected) ? selected : ROOT}
              folded={folded.has(selected)}
              ask={seat.ask}
              source={source}
              onFold={() => toggle(selected)}
              onMore={() => void more(selected)}
            />
          </div>
          <h2>{say("Why this move and not that one")}</h2>
          {source === "engine" && (
            <p>
              <button type="button" onClick={() => void askWhy()}>{say("Compare the moves now")}</button>
            </p>
          )}
          {why ? (
            <Why choices={why.choices} visits={why.visits} who={names[why.player] ?? ""} />
          ) : (
            <p class="looking-empty why-empty">{say(WHY_EMPTY[whyEmpty(shown)])}</p>
          )}
        </>
      ) : (
        !seat.trouble && <p class="looking-empty">{seat.table ? say("This position was not searched yet.") : say("One moment …")}</p>
      )}
    </div>
  );
}

function withOpened(tree: Branch, opened: ReadonlyMap<Place, Branch>): Branch {
  let found = tree;
  for (const [place, branch] of opened) {
    const now = branchAt(found, place);
    if (!now) continue;
    const known = new Map(now.children.map((child) => [child.action, child]));
    const children = branch.children.map((child) => known.get(child.action) ?? child);
    found = withBranch(found, place, { ...now, children, hidden: Math.max(0, now.hidden + now.children.length - children.length) });
  }
  return found;
}

function Numbers({ tree }: { tree: Branch }) {
  const deepest = (branch: Branch): number => 1 + Math.max(-1, ...branch.children.map(deepest));
  return (
    <p class="tree-numbers" aria-live="off">
      <strong>{counted(tree.visits)}</strong> {say(tree.visits === 1 ? "visit" : "count|visits")} · {say("depth {depth}", { depth: deepest(tree) })} · <span title={say("Distribution of the visits over the moves at the root: 0 all equal, 1 all on one")}>{say("unevenness {value}", { value: lopsidedness(tree).toFixed(2) })}</span>
    </p>
  );
}

export function GameChoice({ seat }: { seat: Seat }) {
  return (
    <label>
      {say("Game")}
      <select value={seat.chosen} onChange={(event) => seat.choose(event.currentTarget.value)}>
        {[...new Set([...seat.choices, seat.chosen])].map((each) => (
          <option key={each} value={each}>{each === MINE ? say("Your game") : gameTitle(each)}</option>
        ))}
      </select>
    </label>
  );
}

export function Trouble({ seat }: { seat: Seat }) {
  if (!seat.trouble) return null;
  return (
    <p class="looking-trouble" role="alert">
      {sayTrouble(seat.trouble)} <button type="button" onClick={seat.retry}>{say("Try again")}</button>
    </p>
  );
}

interface SegmentsProps<Value extends string> {
  label: string;
  value: Value;
  values: [Value, string][];
  onChange: (value: Value) => void;
}

/** A choice of few, all of them in view. */
export function Segments<Value extends string>({ label, value, values, onChange }: SegmentsProps<Value>) {
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {values.map(([each, text]) => (
        <label key={each} class={each === value ? "chosen" : ""}>
          <input type="radio" name={label} checked={each === value} onChange={() => onChange(each)} />
          {text}
        </label>
      ))}
    </div>
  );
}

/** Do something again and again, never twice at once. */
export function useTicks(on: boolean, pause: number, tick: () => Promise<void>, anew: unknown[]): void {
  const latest = useRef(tick);
  latest.current = tick;
  useEffect(() => {
    if (!on) return undefined;
    let ended = false;
    let timer: ReturnType<typeof setTimeout>;
    const go = async () => {
      await latest.current();
      if (!ended) timer = setTimeout(() => void go(), document.hidden ? 4 * pause : pause);
    };
    void go();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [on, pause, ...anew]);
}

