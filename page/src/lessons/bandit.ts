/** The bandit: arms with hidden chances, and ways to choose among them. */
import type { Random } from "./random";

export interface Arm {
  pulls: number;
  wins: number;
}

export type Chooser = (arms: readonly Arm[], random: Random) => number;

/** The upper bound by which UCB1 chooses (Auer, Cesa-Bianchi and Fischer 2002): infinite for an arm never pulled. */
export function upperBound(arm: Arm, total: number): number {
  return arm.pulls === 0 ? Infinity : arm.wins / arm.pulls + Math.sqrt((2 * Math.log(total)) / arm.pulls);
}

export const ucb1: Chooser = (arms) => {
  const total = arms.reduce((sum, arm) => sum + arm.pulls, 0);
  return bestOf(arms.map((arm) => upperBound(arm, total)));
};

/** The best mean so far, after one pull of each: it often stays with the wrong arm. */
export const greedy: Chooser = (arms) => bestOf(arms.map((arm) => (arm.pulls === 0 ? Infinity : arm.wins / arm.pulls)));

export const anyArm: Chooser = (arms, random) => Math.floor(random() * arms.length);

function bestOf(scores: number[]): number {
  return scores.indexOf(Math.max(...scores));
}

/** One who pulls, and what it cost so far not to have pulled the best arm each time. */
export interface Puller {
  arms: Arm[];
  regret: number[]; // after each pull, 0 first
}

export function newPuller(count: number): Puller {
  return { arms: Array.from({ length: count }, () => ({ pulls: 0, wins: 0 })), regret: [0] };
}

export function pull(puller: Puller, arm: number, chances: readonly number[], random: Random): Puller {
  const won = random() < chances[arm]! ? 1 : 0;
  const arms = puller.arms.map((each, index) => (index === arm ? { pulls: each.pulls + 1, wins: each.wins + won } : each));
  const loss = Math.max(...chances) - chances[arm]!;
  return { arms, regret: [...puller.regret, puller.regret[puller.regret.length - 1]! + loss] };
}

/** Chances that are neither all alike nor easy to tell apart at once. */
export function drawChances(count: number, random: Random): number[] {
  return Array.from({ length: count }, () => Math.round(100 * (0.15 + 0.65 * random())) / 100);
}

/** What UCB1 may lose at most on average by its authors' theorem: 8 ln n / gap for each worse arm, and a constant. */
export function regretBound(chances: readonly number[], pulls: number): number {
  const best = Math.max(...chances);
  const gaps = chances.map((chance) => best - chance).filter((gap) => gap > 0);
  const logs = gaps.reduce((sum, gap) => sum + (8 * Math.log(Math.max(pulls, 1))) / gap, 0);
  return logs + (1 + Math.PI ** 2 / 3) * gaps.reduce((sum, gap) => sum + gap, 0);
}
