/** The walk: selection, expansion, simulation and back-propagation, one iteration at a time, on any game. */
import { useEffect, useRef, useState } from "preact/hooks";
import { playerNames, seatTitle } from "../state/format";
import type { Branch, Step } from "./tree-data";
import { readTree, type StepAnswer } from "./tree-growth";
import { say } from "../messages";
import { MINE, useSeat } from "./viewed-game";
import { PLAIN, searchesAt, type Walked } from "./search-choice";
import { Stage } from "./iteration-stage";
import { GameChoice, Trouble } from "./tree";

interface Shown {
  step: Step;
  before: Branch | null;
  after: Branch;
  count: number;
}

export default function WalkView() {
  const seat = useSeat("tictactoe", () => undefined);
  const [shown, show] = useState<Shown | null>(null);
  const [waiting, setWaiting] = useState(false);
  const [picked, pick] = useState(PLAIN.key);
  const searches = searchesAt(seat.chosen === MINE ? (seat.table?.seats ?? []) : []);
  const search = searches.find((each) => each.key === picked) ?? PLAIN;
  const begun = useRef("");

  async function go(count: number): Promise<void> {
    const table = seat.table;
    if (!table) return;
    setWaiting(true);
    if (begun.current !== table.table) {
      begun.current = table.table;
      await seat.ask("walk", { seed: 1, ...(search.seat && { player: search.seat }) });
    }
    let before = shown && begun.current === table.table ? shown.after : null;
    let skipped: StepAnswer | null = null;
    for (let left = count - 1, total = shown?.count ?? 0; left > 0; ) {
      skipped = await seat.ask<StepAnswer>("step", { count: left });
      if (!skipped) break;
      left -= Math.max(1, skipped.total - total); // a message has a second: it may do less than was asked
      total = skipped.total;
    }
    if (skipped) before = await readTree(seat.ask, "walk", skipped.total);
    const answer = await seat.ask<StepAnswer>("step", { count: 1 });
    const after = answer && (await readTree(seat.ask, "walk", answer.total));
    setWaiting(false);
    if (answer && after) show({ step: answer.steps[answer.steps.length - 1]!, before, after, count: answer.total });
  }
  useEffect(() => {
    show(null);
    begun.current = "";
    void go(1);
  }, [seat.table?.table, seat.table?.moves.length, search.key]);

  return (
    <div class="looking walk-view">
      <header class="looking-head">
        <h1>{say("One iteration at a time")}</h1>
        <p>
          {say("A search repeats four steps. Go through them one by one, on any game.")} {search.seat ? say("This is the search of {who}, with its selection policy and playouts, or with its network.", { who: seatTitle(search.seat) }) : say("This is plain UCT with random playouts, whoever plays the game.")}
        </p>
      </header>
      <div class="looking-tools">
        <GameChoice seat={seat} />
        <SearchChoice searches={searches} chosen={search} onChoice={pick} />
      </div>
      <Trouble seat={seat} />
      {shown && seat.table ? (
        <Stage
          board={seat.table.board}
          names={playerNames(seat.table)}
          start={seat.table.view.pieces}
          count={shown.count}
          step={shown.step}
          before={shown.before}
          after={shown.after}
          waiting={waiting}
          onDone={() => void go(1)}
          extra={[10, 100].map((count) => (
            <button key={count} type="button" disabled={waiting} onClick={() => void go(count)}>
              {say("Skip {count}", { count })}
            </button>
          ))}
        />
      ) : (
        !seat.trouble && <p class="looking-empty">{say("One moment …")}</p>
      )}
    </div>
  );
}

function SearchChoice({ searches, chosen, onChoice }: { searches: Walked[]; chosen: Walked; onChoice: (key: string) => void }) {
  return (
    <label>
      {say("Whose search")}
      <select value={chosen.key} onChange={(event) => onChoice(event.currentTarget.value)}>
        {searches.map((each) => (
          <option key={each.key} value={each.key}>{each.seat ? seatTitle(each.seat) : say("Plain UCT")}</option>
        ))}
      </select>
    </label>
  );
}
