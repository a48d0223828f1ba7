/** The 3-D view beside the layers, with its slider. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Board, Position } from "../protocol";
import { dark } from "../state/theme";
import { say } from "../messages";
import type { Heat } from "./heat";
import type { Space } from "./board-3d";

interface SpaceViewProps {
  board: Board;
  position: Position;
  last: number[];
  earlier: number[];
  cross: number | null;
  heat: Heat[];
  onHover: (cell: number | null) => void;
}

const TURNS: Record<string, [number, number]> = {
  ArrowLeft: [-0.15, 0],
  ArrowRight: [0.15, 0],
  ArrowUp: [0, 0.12],
  ArrowDown: [0, -0.12],
};

export function SpaceView({ board, position, last, earlier, cross, heat, onHover }: SpaceViewProps) {
  const holder = useRef<HTMLDivElement>(null);
  const [space, setSpace] = useState<Space | null>(null);
  const [gap, setGap] = useState(0.6);
  const [spin, setSpin] = useState(false);
  const [failed, setFailed] = useState(false);
  const hover = useRef(onHover);
  hover.current = onHover;

  useEffect(() => {
    let made: Space | null = null;
    let gone = false;
    void import("./board-3d").then(
      ({ Space }) => {
        if (gone || !holder.current) return;
        const style = getComputedStyle(holder.current);
        try {
          made = new Space(holder.current, board, (name) => style.getPropertyValue(name).trim() || "#888888", (cell) => hover.current(cell));
          setSpace(made);
        } catch {
          setFailed(true); // no WebGL here
        }
      },
      () => setFailed(true),
    );
    return () => {
      gone = true;
      made?.dispose();
      setSpace(null);
    };
  }, [board, dark.value]);
  const looks = heat.map((each) => `${each.cell}:${each.share.toFixed(2)}`).join();
  useEffect(() => space?.show({ position, last, earlier, cross, heat }), [space, position, last.join(), earlier.join(), cross, looks]);
  useEffect(() => space?.explode(gap), [space, gap]);
  useEffect(() => space?.spin(spin), [space, spin]);
  const onKey = (event: KeyboardEvent): void => {
    const turn = TURNS[event.key];
    if (!turn) return;
    event.preventDefault();
    event.stopPropagation();
    space?.turn(...turn);
  };
  return (
    <div class="space">
      {failed ? (
        <p class="empty">{say("This browser has no WebGL; the layers show everything.")}</p>
      ) : (
        <div class="space-canvas" ref={holder} tabIndex={0} role="application" aria-label={say("The board in space; arrow keys turn it")} data-ready={space !== null} onKeyDown={onKey} />
      )}
      <div class="space-tools">
        <label>
          {say("Apart")}
          <input type="range" min="0" max="3" step="0.1" value={gap} onInput={(event) => setGap(Number(event.currentTarget.value))} />
        </label>
        <label>
          <input type="checkbox" checked={spin} onChange={(event) => setSpin(event.currentTarget.checked)} /> {say("Turn")}
        </label>
      </div>
    </div>
  );
}
