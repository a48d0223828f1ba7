/** One node of the tree from near: the board there, its numbers and its state. */
import { useEffect, useState } from "preact/hooks";
import { lookOf, Sign } from "../boards/piece";
import type { Position, Table } from "../protocol";
import { drawWord, hasDraw, isEvaluation, isKnown, partTexts } from "../state/chances";
import { lineTitle, playerName, playerNames } from "../state/format";
import type { Branch, Place } from "./tree-data";
import { readPosition, type Ask, type Source } from "./tree-growth";
import { say } from "../messages";
import { stateWord } from "./tree-picture";
import { counted } from "./numbers";
import { SmallBoard } from "./mini-board";

export interface NodePanelProps {
  table: Table;
  way: Branch[]; // from the root down to the node
  place: Place;
  folded: boolean;
  ask: Ask;
  source: Source;
  onFold: () => void;
  onMore: () => void;
}

export function NodePanel({ table, way, place, folded, ask, source, onFold, onMore }: NodePanelProps) {
  const branch = way[way.length - 1]!;
  const [position, isThere] = usePosition(table, place, ask, source);
  const names = way.slice(1).map((each) => each.name);
  const line = lineTitle(names) || say("root position");
  const look = lookOf(table.board, table.players);
  const value = isKnown(branch.value) ? branch.value : null;
  const parts = value ? [...value.chances, ...(hasDraw(value) ? [value.draw!] : [])] : [];
  const [titles, texts] = [[...playerNames(table), say(drawWord(value))], value ? partTexts(value) : []];
  return (
    <aside class="node-panel" aria-label={say("This position")}>
      <h2>{names.length ? line : say("Root position")}</h2>
      <div class={isThere ? "" : "waiting"}>
        <SmallBoard board={table.board} players={table.players} pieces={position.pieces} winning={position.winning} label={say("Board after {moves}", { moves: line })} text={position.text} />
      </div>
      <dl class="node-facts">
        <div>
          <dt>{say("count|visits")}</dt>
          <dd>{counted(branch.visits)}</dd>
        </div>
        {value &&
          parts.map((part, player) => (
            <div key={player}>
              <dt>
                {player < table.players ? <Sign player={player} look={look} /> : null} {titles[player]}
              </dt>
              <dd>
                <meter min={0} max={1} value={part} aria-label={titles[player]} />
                {texts[player]}
              </dd>
            </div>
          ))}
      </dl>
      {!value && branch.visits > 0 && <p class="faint">{say("Too few visits for a win rate.")}</p>}
      {isEvaluation(value) && <p class="faint">{say("evaluation")}</p>}
      <p class="node-state">
        {say(stateWord(branch))}
        {branch.proven && ` · ${say("proven")}`}
        {branch.cut && ` · ${say("cut")}`}
        {branch.player !== null && ` · ${say("{who} to move", { who: playerName(table, branch.player) })}`}
      </p>
      <p class="node-buttons">
        {branch.children.length > 0 && <button type="button" onClick={onFold}>{say(folded ? "Unfold" : "Fold")}</button>}
        {branch.hidden > 0 && <button type="button" onClick={onMore}>{say("Show {count} more moves", { count: branch.hidden })}</button>}
      </p>
    </aside>
  );
}

/** The position at a place of the tree: asked for, and remembered. */
function usePosition(table: Table, place: Place, ask: Ask, source: Source): [Position, boolean] {
  const [known, setKnown] = useState<ReadonlyMap<string, Position>>(new Map());
  const key = `${table.table} ${table.moves.length} ${place}`;
  useEffect(() => {
    if (place === "" || known.has(key)) return undefined;
    let left = false;
    void readPosition(ask, source, place).then((found) => {
      if (found && !left) setKnown((before) => new Map([...before, [key, found]]));
    });
    return () => void (left = true);
  }, [key]);
  return [known.get(key) ?? table.view, place === "" || known.has(key)];
}
