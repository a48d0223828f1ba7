/** Pi by random points: those in the circle, of all in the square. */
import type { Random } from "./random";

export interface Dart {
  x: number; // -1 to 1
  y: number;
  inside: boolean;
}

/** What is known after so many points. */
export interface Count {
  thrown: number;
  inside: number;
}

export function throwDart(random: Random): Dart {
  const [x, y] = [2 * random() - 1, 2 * random() - 1];
  return { x, y, inside: x * x + y * y <= 1 };
}

export function estimateOf({ thrown, inside }: Count): number {
  return thrown === 0 ? Number.NaN : (4 * inside) / thrown;
}

/** The error to expect: one standard deviation of the estimate, which is 4 sqrt(p (1 - p) / n) with p = pi / 4. */
export function expectedError(thrown: number): number {
  return Math.sqrt((Math.PI * (4 - Math.PI)) / thrown);
}

/** Whether a history that is drawn on a logarithmic scale gains by another point. */
export function isWorthKeeping(last: number, thrown: number): boolean {
  return thrown === 1 || thrown >= last * 1.06 + 0.5;
}
