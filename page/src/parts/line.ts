/** The line of the candidate that one points at: the server tells what its moves change on the board. */
import { computed, effect, signal } from "@preact/signals";
import type { Change, LineAnswer } from "../protocol";
import { isGuess } from "../state/chances";
import { askQuietly, connection, number, table, view } from "../state/store";
import { pointedAction, visibleThought } from "./hint-visibility";

const LONGEST = 9; // moves on the board; the text has more
const CHOICE = 2; // the choice of a piece, and where it goes

interface Line {
  position: string; // the table, the position and the candidate
  moves: (number | string)[];
  pointed: boolean;
}

/** The line to show: of the candidate that one points at, or of the best one if it only chooses a piece; else null. */
const wanted = computed<Line | null>(() => {
  const thinking = visibleThought.value;
  if (!thinking || !table.value?.board || thinking.move !== number.value || connection.value !== "open") return null;
  const { action, candidates, variation } = thinking.thought;
  if (isGuess(thinking.thought)) return null;
  const pointed = candidates.find((each) => each.action === pointedAction.value);
  const found = pointed ?? candidates.find((each) => each.action === action && choosesPiece(action, thinking.thought.player));
  if (!found) return null;
  const expected = found.action === action && variation.length > 0 ? variation : [found.action];
  const moves = found.line.length > 0 ? found.line : expected; // kept thoughts have one line
  return { position: `${table.value.table} ${number.value} ${found.action}`, moves: moves.slice(0, pointed ? LONGEST : CHOICE), pointed: Boolean(pointed) };
});

/** Whether a move is one click on a piece of the player's own. */
function choosesPiece(action: number, player: number): boolean {
  const clicks = view.value?.moves.find((move) => move.action === action)?.clicks ?? [];
  return clicks.length === 1 && (view.value?.pieces ?? []).some((piece) => piece[0] === clicks[0] && piece[1] === player);
}

const known = signal<{ position: string; changes: Change[] } | null>(null);

const changes = computed<Change[]>(() => (wanted.value && known.value?.position === wanted.value.position ? known.value.changes : []));

/** What the moves of the line that one points at change, one after the other; empty as long as it is not known. */
export const pointedLine = computed<Change[]>(() => (wanted.value?.pointed ? changes.value : []));
/** The same of a hint that only chooses a piece. */
export const hintLine = computed<Change[]>(() => (wanted.value?.pointed ? [] : changes.value));

let asked = "";
let underWay = false;

/** Ask for one line at a time: thoughts change faster than they are answered. */
async function askForIt(): Promise<void> {
  const line = wanted.value;
  const key = JSON.stringify(line);
  if (underWay || key === asked) return;
  asked = key;
  if (!line) return;
  underWay = true;
  const answer = await askQuietly<LineAnswer>("line", { move: number.value, moves: line.moves });
  underWay = false;
  known.value = answer && { position: line.position, changes: answer.changes };
  void askForIt();
}

effect(() => {
  void wanted.value;
  void askForIt();
});
