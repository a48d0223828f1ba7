/** A position of one's own: stones are put and taken by clicks, then it is played on. */
import { useState } from "preact/hooks";
import { BoardPicture } from "../boards/board";
import { lookOf, Sign } from "../boards/piece";
import type { GameLook, Piece } from "../protocol";
import { playerName } from "../state/format";
import { edit, speak } from "../state/store";
import { nameOf } from "../boards/geometry";
import { say } from "../words";
import { Segments } from "./segments";

export function Editor({ look, spelling }: { look: GameLook; spelling: string }) {
  const [pieces, setPieces] = useState<Piece[]>([]);
  const [brush, setBrush] = useState(0); // -1 takes away
  const [toMove, setToMove] = useState(0);
  const board = look.board;
  if (!board) return null;
  const sign = lookOf(board, look.players);
  const put = (cell: number): void => {
    if (board.forbidden.includes(cell)) return;
    const others = pieces.filter((piece) => piece[0] !== cell);
    const same = pieces.some((piece) => piece[0] === cell && piece[1] === brush);
    setPieces(brush < 0 || same ? others : [...others, [cell, brush, ""]]);
    speak(`${nameOf(board, cell)} ${brush < 0 || same ? say("spoken_empty") : playerName(look, brush)}`);
  };
  const all = Array.from({ length: look.players }, (_, player) => player);
  return (
    <div class="editor">
      <div class="editor-tools">
        <Segments
          label={say("brush")}
          choices={[...all, -1]}
          value={brush}
          onChoice={setBrush}
          show={(player) => (player < 0 ? say("eraser") : [<Sign player={player} look={sign} />, playerName(look, player)])}
        />
        <label>
          {say("to_move")}{" "}
          <select value={String(toMove)} onChange={(event) => setToMove(Number(event.currentTarget.value))}>
            {all.map((player) => (
              <option value={String(player)}>{playerName(look, player)}</option>
            ))}
          </select>
        </label>
        <button type="button" class="small" disabled={pieces.length === 0} onClick={() => setPieces([])}>
          {say("clear")}
        </button>
      </div>
      <BoardPicture board={board} position={{ pieces, winning: [], threats: [] }} players={look.players} label={say("editor_board")} onCell={put} onSay={speak} />
      <button
        type="button"
        class="primary"
        disabled={pieces.length === 0}
        onClick={() =>
          void edit(spelling, pieces.map(([cell, player]) => [cell, player]), toMove).then((answer) => answer && (location.hash = "#play"))
        }
      >
        {say("play_on")}
      </button>
    </div>
  );
}
