/** A small picture for each game of the house, and a plain one for any other. */

const GRID = "M8 2v20M16 2v20M2 8h20M2 16h20";
const ICONS: Record<string, { lines: string; dark?: [number, number][]; light?: [number, number][]; size?: number }> = {
  tictactoe: { lines: `${GRID}M3.5 3.5l3 3M6.5 3.5l-3 3M17.5 17.5l3 3M20.5 17.5l-3 3`, light: [[12, 12]], size: 2.4 },
  gomoku: { lines: GRID, dark: [[8, 16], [16, 8]], light: [[8, 8]], size: 3.4 },
  go: { lines: "M5 2v20M12 2v20M19 2v20M2 5h20M2 12h20M2 19h20", dark: [[5, 12], [12, 5]], light: [[12, 12], [19, 5]], size: 3.2 },
  connect4: { lines: "M2 3h20v18H2Z", dark: [[7, 17], [12, 12]], light: [[12, 17], [17, 17]], size: 2.2 },
  five3d: { lines: "M12 2l9 5v10l-9 5-9-5V7ZM3 7l9 5 9-5M12 12v10" },
  qubic: { lines: "M12 2l9 5-9 5-9-5ZM3 12l9 5 9-5M3 17l9 5 9-5" },
  lines: { lines: "M3 21 21 3", dark: [[5, 19], [12, 12], [19, 5]], size: 3 },
  othello: { lines: "M2 2h20v20H2ZM12 2v20M2 12h20", dark: [[7, 17], [17, 7]], light: [[7, 7], [17, 17]], size: 3.4 },
  hex: { lines: "M12 2l8.7 5v10L12 22l-8.7-5V7Z", dark: [[12, 12]], size: 4 },
  y: { lines: "M2 4h20L12 21Z", dark: [[12, 9.5]], size: 3 },
  breakthrough: { lines: "M12 20V5M6 11l6-6 6 6M3 2h18" },
  amazons: { lines: "M4 8l3.5 5L12 5l4.5 8L20 8l-2 11H6Z" },
  nim: { lines: "M3 22h18", dark: [[6, 18], [12, 18], [12, 12], [18, 18], [18, 12], [18, 6]], size: 2.3 },
};

export function GameIcon({ name }: { name: string }) {
  const icon = ICONS[name] ?? { lines: "M3 3h18v18H3ZM12 3v18M3 12h18" };
  const discs = (places: [number, number][] | undefined, kind: string) =>
    places?.map(([x, y]) => <circle class={kind} cx={x} cy={y} r={icon.size ?? 3} />);
  return (
    <svg class="game-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={icon.lines} />
      {discs(icon.dark, "filled")}
      {discs(icon.light, "hollow")}
    </svg>
  );
}
