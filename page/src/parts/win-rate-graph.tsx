/** Every player's win rate and that of a draw over the game, with a line where one looks; a click looks there. */
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import type { Table } from "../protocol";
import { charted, chancesText, hasDraw } from "../state/chances";
import { playerNames } from "../state/format";
import { dark } from "../state/theme";
import { lookAt, number } from "../state/store";
import { say } from "../messages";

const HEIGHT = 132;

export function Graph({ table }: { table: Table }) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const { values, evaluation } = charted(table.values);
  const draw = values.some(hasDraw);
  const here = number.value;
  const empty = values.filter(Boolean).length < (table.over ? 2 : 1); // the result alone makes no chart
  const moved = useRef(here);
  moved.current = here;

  useEffect(() => {
    let gone = false;
    if (empty || !frame.current) return;
    const holder = frame.current;
    void import("uplot").then(({ default: Chart }) => {
      if (gone) return;
      chart.current = new Chart(options(table, draw, holder, moved), dataOf(table), holder);
    });
    const observer = new ResizeObserver(() => chart.current?.setSize({ width: holder.clientWidth, height: HEIGHT }));
    observer.observe(holder);
    return () => {
      gone = true;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, [empty, draw, table.table, table.players, dark.value]);
  useEffect(() => chart.current?.setData(dataOf(table)), [table.values, table.moves.length]);
  useEffect(() => chart.current?.redraw(false), [here]);
  return (
    <section class="card graph" aria-label={say("Win rates")}>
      <div class="card-head">
        <h2>{say(evaluation ? "Evaluation" : "Win rates")}</h2>
        {draw && <span class="graph-draw">{say("Draw")}</span>}
      </div>
      {empty ? <p class="empty">{say("Drawn move by move, from the searches of programs and the analysis.")}</p> : <div class="chart" ref={frame} role="img" aria-label={graphSentence(table)} />}
    </section>
  );
}

function graphSentence(table: Table): string {
  const last = charted(table.values).values.findLast(Boolean);
  return last ? chancesText(last, playerNames(table), say("Draw")) : "";
}

function dataOf(table: Table): uPlot.AlignedData {
  const length = Math.max(table.moves.length + 1, 2);
  const places = Array.from({ length }, (_, index) => index);
  const { values } = charted(table.values);
  const draws = values.some(hasDraw) ? [places.map((place) => (values[place] ? 100 * (values[place].draw ?? 0) : null))] : [];
  const rates = Array.from({ length: table.players }, (_, player) =>
    places.map((place) => (values[place] ? 100 * (values[place].chances[player] ?? 0) : null)),
  );
  return [places, ...rates, ...draws] as uPlot.AlignedData;
}

function options(table: Table, draw: boolean, holder: HTMLElement, here: { current: number }): uPlot.Options {
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
      ...Array.from({ length: table.players + Number(draw) }, (_, line) => ({
        stroke: line < table.players ? colour(`--player-${line}-line`) || colour(`--player-${line}`) : colour("--neutral"),
        width: line < table.players ? 2 : 1.5,
        dash: line < table.players ? dashes[line % dashes.length]! : [1, 3],
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
