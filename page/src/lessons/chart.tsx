/** A small chart of lines, drawn by hand: linear or logarithmic axes, each line with a dash of its own. */
export interface Line {
  name: string;
  points: [x: number, y: number][];
  look: number; // which colour and dash
}

export interface ChartProps {
  lines: Line[];
  label: string; // for who can't see it
  x: Axis;
  y: Axis;
}

export interface Axis {
  from: number;
  to: number;
  ticks: number[];
  logarithmic?: boolean;
  name: string;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [420, 250, 46, 34, 10, 12];

/** Where a value lies along an axis, from 0 to 1. */
export function along(axis: Axis, value: number): number {
  const scale = axis.logarithmic ? Math.log : (one: number) => one;
  const part = (scale(value) - scale(axis.from)) / (scale(axis.to) - scale(axis.from));
  return Math.min(1, Math.max(0, part));
}

/** Round numbers to write at an axis that begins at 0. */
export function roundTicks(to: number, count = 4): number[] {
  const rough = to / count;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-9)));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  return Array.from({ length: Math.floor(to / step + 1e-9) + 1 }, (_, index) => index * step);
}

export function Chart({ lines, label, x, y }: ChartProps) {
  const across = (value: number) => LEFT + along(x, value) * (WIDTH - LEFT - RIGHT);
  const up = (value: number) => HEIGHT - BOTTOM - along(y, value) * (HEIGHT - BOTTOM - TOP);
  return (
    <figure class="lesson-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
        {y.ticks.map((tick) => (
          <g key={tick}>
            <path class="chart-grid" d={`M${LEFT} ${up(tick)}H${WIDTH - RIGHT}`} />
            <text class="chart-tick" x={LEFT - 6} y={up(tick) + 4} text-anchor="end">{short(tick)}</text>
          </g>
        ))}
        {x.ticks.map((tick) => (
          <text key={tick} class="chart-tick" x={across(tick)} y={HEIGHT - BOTTOM + 16} text-anchor="middle">{short(tick)}</text>
        ))}
        <path class="chart-axis" d={`M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}`} />
        <text class="chart-tick" x={WIDTH - RIGHT} y={HEIGHT - 4} text-anchor="end">{x.name}</text>
        <text class="chart-tick" x={LEFT + 6} y={TOP + 8}>{y.name}</text>
        {lines.map((line) => (
          <polyline key={line.name} class={`chart-line look-${line.look}`} points={line.points.map(([at, value]) => `${across(at).toFixed(1)},${up(value).toFixed(1)}`).join(" ")} />
        ))}
      </svg>
      <figcaption>
        {lines.map((line) => (
          <span key={line.name}>
            <svg width="30" height="10" aria-hidden="true">
              <path class={`chart-line look-${line.look}`} d="M1 5H29" />
            </svg>
            {line.name}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`;
  if (value >= 1e4) return `${value / 1e3} k`;
  return String(Number(value.toPrecision(3)));
}
