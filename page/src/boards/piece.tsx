/** One piece: a stone, a disc with its player's sign, the sign alone, or a figure. */
import type { Look } from "./stone-style";
import { FIGURES, signOf } from "./player-symbols";

export { type Look, lookOf } from "./stone-style";

interface PieceProps {
  x: number;
  y: number;
  radius: number;
  player: number;
  kind?: string;
  look: Look;
  class?: string;
  fall?: number; // how far it has fallen, in cells
}

export function PieceShape({ x, y, radius, player, kind = "", look, class: extra = "", fall }: PieceProps) {
  const names = `piece player-${player < 0 ? "none" : player} ${extra}`;
  const style = fall ? { "--fall": `${-fall}px` } : {};
  return (
    <g transform={`translate(${x} ${y}) scale(${radius})`}>
      <g class={`${names} ${fall ? "falling" : ""}`} style={style}>
        {shapeOf(player, kind, look)}
      </g>
    </g>
  );
}

function shapeOf(player: number, kind: string, look: Look) {
  if (kind === "arrow") return <path class="arrow" d="M-.7-.7H.7V.7H-.7ZM-.45-.45.45.45M.45-.45-.45.45" />;
  if (kind) return <Figure player={player} kind={kind} />;
  if (player < 0) return <circle class="neutral" r=".9" />;
  if (look === "stone") return <circle class={`stone stone-${player}`} r="1" />;
  if (look === "sign") return <path class="sign" d={signOf(player)} />;
  if (look === "blank") return <circle class="disc" r="1" />;
  return (
    <>
      <circle class="disc" r="1" />
      <path class="emboss" d={signOf(player)} transform="scale(.5)" />
    </>
  );
}

function Figure({ player, kind }: { player: number; kind: string }) {
  const path = FIGURES[kind];
  return (
    <>
      <circle class={player < 0 ? "neutral" : "disc"} r="1" />
      {path ? (
        <path class="figure" d={path} transform="translate(0 -.02) scale(.74)" />
      ) : (
        <text class="figure letter" dy=".37" text-anchor="middle" font-size="1.1">
          {kind[0]?.toUpperCase()}
        </text>
      )}
    </>
  );
}

/** A player's sign beside a name. */
export function Sign({ player, look, kind = "", size = "1.1em" }: { player: number; look: Look; kind?: string; size?: string }) {
  return (
    <svg class="player-sign" viewBox="-1.15 -1.15 2.3 2.3" width={size} height={size} aria-hidden="true">
      <PieceShape x={0} y={0} radius={1} player={player} kind={kind} look={look} />
    </svg>
  );
}
