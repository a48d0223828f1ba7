/** Every player's win rate over the game, with a line where one looks; a click looks there. */
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import type { Table } from "../protocol";
import { playerName } from "../state/format";
import { dark } from "../state/looks";
import { lookAt, number } from "../state/store";
import { say } from "../words";

const HEIGHT = 132;

export function Graph({ table }: { table: Table }) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const known = table.win_rates.filter(Boolean).length;
  const here = number.value;
  const empty = known < 1;
  const moved = useRef(here);
  moved.current = here;

  useEffect(() => {
    let gone = false;
    if (empty || !frame.current) return;
    const holder = frame.current;
    void import("uplot").then(({ default: Chart }) => {
      if (gone) return;
      chart.current = new Chart(options(table, holder, moved), dataOf(table), holder);
    });
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: holder.clientWidth, height: HEIGHT }));
    observer.observe(holder);
    return () => {
      gone = true;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [empty, table.table, table.players, dark.value]);
  useEffect(() => chart.current?.setData(dataOf(table)), [table.win_rates, table.moves.length]);
  useEffect(() => chart.current?.redraw(false), [here]);
  return (
    <section class="card graph" aria-label={say("graph")}>
      <div class="card-head">
        <h2>{say("graph")}</h2>
      </div>
      {empty ? <p class="empty">{say("graph_empty")}</p> : <div class="chart" ref={frame} role="img" aria-label={graphSentence(table)} />}
    </section>
  );
}

function graphSentence(table: Table): string {
  const last = table.win_rates.findLast(Boolean) ?? [];
  return last.map((mean, player) => `${playerName(table, player)} ${Math.round(100 * mean)} %`).join(", ");
}

function dataOf(table: Table): uPlot.AlignedData {
  const length = Math.max(table.moves.length + 1, 2);
  const places = Array.from({ length }, (_, index) => index);
  const rates = Array.from({ length: table.players }, (_, player) =>
    places.map((place) => {
      const mean = table.win_rates[place]?.[player];
      return mean === undefined ? null : 100 * mean;
    }),
  );
  return [places, ...rates] as uPlot.AlignedData;
}

function options(table: Table, holder: HTMLElement, here: { current: number }): uPlot.Options {
  const style = getComputedStyle(holder);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const dashes = [[], [6, 3], [2, 2], [8, 2, 2, 2]];
  const axis = { stroke: colour("--faint"), grid: { stroke: colour("--rule"), width: 1 }, ticks: { show: false } };
  return {
    width: holder.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: [0, 100] } },
    axes: [
      { ...axis, size: 24, incrs: [1, 2, 5, 10, 20, 50, 100] },
      { ...axis, size: 34, values: (_chart, values) => values.map((each) => `${each}`), splits: [0, 50, 100] },
    ],
    series: [
      {},
      ...Array.from({ length: table.players }, (_, player) => ({
        stroke: colour(`--player-${player}-line`) || colour(`--player-${player}`),
        width: 2,
        dash: dashes[player % dashes.length]!,
        spanGaps: true,
        points: { show: (chart: uPlot, line: number) => Array.from(chart.data[line]!).filter((each) => each != null).length < 2, size: 6 }, // one point makes no line
      })),
    ],
    hooks: {
      draw: [
        (chart) => {
          const x = chart.valToPos(here.current, "x", true);
          const { top, height } = chart.bbox;
          chart.ctx.save();
          chart.ctx.strokeStyle = colour("--ink");
          chart.ctx.globalAlpha = 0.5;
          chart.ctx.beginPath();
          chart.ctx.moveTo(x, top);
          chart.ctx.lineTo(x, top + height);
          chart.ctx.stroke();
          chart.ctx.restore();
        },
      ],
      ready: [
        (chart) =>
          chart.over.addEventListener("click", () => {
            if (typeof chart.cursor.idx === "number") lookAt(chart.cursor.idx);
          }),
      ],
    },
  };
}
