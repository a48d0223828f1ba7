/** Colours of values: orange for bad, blue for good, safe for the colour-blind, on light and on dark ground. */

const BAD = [213, 94, 0] as const; // Okabe and Ito's vermilion
const EVEN = { light: [236, 234, 228], dark: [88, 90, 96] } as const;
const GOOD = [0, 114, 178] as const; // and their blue

/** The colour of a mean result; `even` is the mean that is neither good nor bad, such as a third with three players. */
export function colourOf(mean: number, even: number, dark: boolean): string {
  const middle = dark ? EVEN.dark : EVEN.light;
  const value = Math.min(Math.max(mean, 0), 1);
  const part = value >= even ? (value - even) / Math.max(1 - even, 1e-9) : (even - value) / Math.max(even, 1e-9);
  const end = value >= even ? GOOD : BAD;
  const eased = Math.sqrt(part); // most means are near the middle
  return `rgb(${middle.map((from, index) => Math.round(from + (end[index]! - from) * eased)).join(" ")})`;
}
