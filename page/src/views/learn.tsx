/** The lessons: a list, and the one that the address names. */
import { ABOUT, TITLES } from "../lessons/names";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { welcome } from "../state/store";
import { say } from "../messages";
import type { ViewProps } from ".";

const LESSONS = [
  { name: "pi", load: () => import("../lessons/monte-carlo-view") },
  { name: "bandit", load: () => import("../lessons/bandit-view") },
  { name: "uct", load: () => import("../lessons/uct") },
  { name: "alliance", load: () => import("../lessons/alliance") },
] as const;

export default function LearnView({ rest }: ViewProps) {
  const index = LESSONS.findIndex((lesson) => lesson.name === rest);
  const lesson = LESSONS[index];
  const [part, setPart] = useState<{ name: string; Part: ComponentType } | null>(null);
  useEffect(() => {
    if (lesson) void lesson.load().then((found) => setPart({ name: lesson.name, Part: found.default }));
  }, [rest]);
  if (!lesson)
    return (
      <div class="looking">
        <header class="looking-head">
          <h1>{say("Lessons")}</h1>
          <p>{say("Four short lessons to try out: from random points to a search for three players.")}</p>
        </header>
        <ol class="lesson-list">
          {LESSONS.map((each, number) => (
            <li key={each.name}>
              <a href={`#learn/${each.name}`}>
                <Emblem name={each.name} />
                <b>
                  {number + 1}. {say(TITLES[each.name])}
                </b>
                <span>{say(ABOUT[each.name])}</span>
              </a>
            </li>
          ))}
        </ol>
        {welcome.value?.docs && (
          <p>
            <a href="docs/">{say("Documentation")}</a>
          </p>
        )}
      </div>
    );
  const [before, after] = [LESSONS[index - 1], LESSONS[index + 1]];
  const Part = part?.name === lesson.name ? part.Part : null;
  return (
    <div class="looking">
      <nav class="lesson-where" aria-label={say("Lessons")}>
        <a href="#learn">{say("All lessons")}</a>
      </nav>
      <h1>
        {index + 1}. {say(TITLES[lesson.name])}
      </h1>
      {Part ? <Part /> : <p class="looking-empty">{say("One moment …")}</p>}
      <nav class="lesson-next" aria-label={say("Next and previous lesson")}>
        {before ? <a class="button" href={`#learn/${before.name}`}>← {say(TITLES[before.name])}</a> : <span />}
        {after ? <a class="button" href={`#learn/${after.name}`}>{say(TITLES[after.name])} →</a> : <a class="button" href="#walk">{say("Walk through a search on any game")} →</a>}
      </nav>
    </div>
  );
}

function Emblem({ name }: { name: (typeof LESSONS)[number]["name"] }) {
  return (
    <svg class="lesson-emblem" viewBox="0 0 96 56" aria-hidden="true">
      {name === "pi" && (
        <>
          <rect x="24" y="4" width="48" height="48" class="line" />
          <circle cx="48" cy="28" r="24" class="line" />
          {[[40, 20], [55, 35], [47, 44], [33, 30], [58, 18]].map(([x, y]) => <circle key={x} cx={x} cy={y} r="2.4" class="one" />)}
          {[[28, 8], [69, 48]].map(([x, y]) => <rect key={x} x={x! - 2} y={y! - 2} width="4.4" height="4.4" class="two" />)}
        </>
      )}
      {name === "bandit" && [34, 22, 46, 28, 16].map((height, arm) => <rect key={arm} x={12 + 15 * arm} y={52 - height} width="10" height={height} class={arm === 2 ? "one" : "three"} />)}
      {name === "uct" && (
        <>
          <path class="line" d="M48 10 24 30M48 10V30M48 10 72 30M24 30 14 48M24 30 30 48M72 30V48" />
          {[[48, 10, 8], [24, 30, 6.5], [48, 30, 3], [72, 30, 4], [14, 48, 3], [30, 48, 5], [72, 48, 3]].map(([x, y, r], index) => <circle key={index} cx={x} cy={y} r={r} class={index % 3 ? "three" : "one"} />)}
        </>
      )}
      {name === "alliance" && (
        <>
          <path class="line" d="M10 28H86" />
          {[28, 41, 54, 67].map((x) => <path key={x} d={`M${x - 4} 24l8 8m0-8l-8 8`} class="stroke" />)}
          <circle cx="15" cy="28" r="5" class="line two-line" />
          <path d="M81 22l6 11h-12z" class="three" />
        </>
      )}
    </svg>
  );
}
