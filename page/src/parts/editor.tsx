/** A position of one's own: pieces are put and taken by clicks, then it is played on. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { BoardPicture } from "../boards/board";
import { nameOf } from "../boards/geometry";
import { lookOf, Sign } from "../boards/piece";
import type { Board, GameLook, Piece } from "../protocol";
import { kindTitle, playerName } from "../state/format";
import { begin, edit, speak } from "../state/store";
import { say } from "../messages";
import { Refusal } from "./error-message";
import { Segments } from "./radio-group";
import { chosenSeats, Who, WhoNotes } from "./player-setup";

const EMPTY = -1; // what takes away

export function Editor({ look }: { look: GameLook }) {
  return look.editable && look.board ? <BoardEditor look={look} board={look.board} /> : <ByMoves look={look} />;
}

function BoardEditor({ look, board }: { look: GameLook; board: Board }) {
  const [pieces, setPieces] = useState<Piece[]>(look.view.pieces);
  const [brush, setBrush] = useState(0);
  const [toMove, setToMove] = useState<number | null>(null);
  const put = (cell: number): void => {
    if (board.forbidden.includes(cell) || board.missing.includes(cell)) return;
    const [player, kind] = look.kinds[brush] ?? [EMPTY, ""];
    const others = pieces.filter((piece) => piece[0] !== cell);
    const same = pieces.some((piece) => piece[0] === cell && piece[1] === player && piece[2] === kind);
    const taken = brush === EMPTY || same;
    setPieces(taken ? others : [...others, [cell, player, kind]]);
    speak(`${nameOf(board, cell)} ${taken ? say("empty") : kindTitle(look, player, kind)}`);
  };
  return (
    <div class="editor">
      <Tools look={look} brush={brush} onBrush={setBrush} toMove={toMove} onToMove={setToMove}>
        <button type="button" class="small" disabled={pieces.length === 0} onClick={() => setPieces([])}>
          {say("Clear")}
        </button>
        {look.view.pieces.length > 0 && (
          <button type="button" class="small" disabled={pieces === look.view.pieces} onClick={() => setPieces(look.view.pieces)}>
            {say("Start position")}
          </button>
        )}
      </Tools>
      <BoardPicture board={board} position={{ pieces, winning: [], threats: [] }} players={look.players} label={say("Board to set up. Arrow keys move, Enter puts or takes a stone.")} onCell={put} onSay={speak} />
      <div class="who">
        <Who look={look} />
        <button
          type="button"
          class="primary"
          disabled={pieces.length === 0}
          onClick={() => void edit(look.game, pieces, toMove, chosenSeats(look)).then((answer) => answer && (location.hash = "#play"))}
        >
          {say("Play on from here")}
        </button>
        <Refusal at="begin" />
        <WhoNotes look={look} />
      </div>
    </div>
  );
}

interface ToolsProps {
  look: GameLook;
  brush: number;
  onBrush: (brush: number) => void;
  toMove: number | null;
  onToMove: (player: number | null) => void;
  children: ComponentChildren;
}

function Tools({ look, brush, onBrush, toMove, onToMove, children }: ToolsProps) {
  const sign = lookOf(look.board, look.players);
  return (
    <div class="editor-tools">
      <Segments
        label={say("What a click puts")}
        choices={[...look.kinds.keys(), EMPTY]}
        value={brush}
        onChoice={onBrush}
        show={(each) => {
          const [player, kind] = look.kinds[each] ?? [EMPTY, ""];
          return each === EMPTY ? say("Empty") : [<Sign player={player} kind={kind} look={sign} />, kindTitle(look, player, kind)];
        }}
      />
      <label>
        {say("To move")}{" "}
        <select value={String(toMove ?? "")} onChange={(event) => onToMove(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))}>
          <option value="">{say("as usual")}</option>
          {look.player_names.map((_, player) => (
            <option value={String(player)}>{playerName(look, player)}</option>
          ))}
        </select>
      </label>
      {children}
    </div>
  );
}

/** A game that can't be given a position is played to it. */
function ByMoves({ look }: { look: GameLook }) {
  const persons = look.player_names.map(() => ({ kind: "person" as const }));
  return (
    <div class="by-moves">
      <p class="notice">{say("Positions of this game can't be set up. Play the moves that lead there for all players, then choose who plays on.")}</p>
      <button type="button" class="primary" onClick={() => void begin(look.game, persons).then((answer) => answer && (location.hash = "#play"))}>
        {say("Play the moves there")}
      </button>
      <Refusal at="begin" />
    </div>
  );
}
