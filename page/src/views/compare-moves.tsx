/** Why this move and not that one: two candidates side by side, each term of the formula. */
import { TERMS, TERMS_ABOUT } from "./names";
import { useState } from "preact/hooks";
import type { Choice } from "./tree-data";
import { say } from "../messages";
import { counted } from "./numbers";
import { byVisits, nextChoice, partsOf, scaleOf, scoreOf, standing, termsOf, type Summand } from "./score-terms";

export interface WhyProps {
  choices: Choice[];
  visits: number; // of the position
  who: string; // is to move
}

const LISTED = 10;

export function Why({ choices, visits, who }: WhyProps) {
  const sorted = byVisits(choices);
  const [picked, pick] = useState<[number | null, number | null]>([null, null]);
  const first = sorted.find((choice) => choice.action === picked[0]) ?? sorted[0];
  const second = sorted.find((choice) => choice.action === picked[1] && choice !== first) ?? sorted.find((each) => each !== first);
  if (!first || !second) return <p class="looking-empty">{say("There are no two visited moves to compare yet. Search the position first.")}</p>;
  const chooser = (place: 0 | 1, chosen: Choice) => (
    <select
      aria-label={say(place === 0 ? "This move" : "That move")}
      value={chosen.action}
      onChange={(event) => {
        const action = Number(event.currentTarget.value);
        pick(place === 0 ? [action, second.action === action ? first.action : second.action] : [first.action === action ? second.action : first.action, action]);
      }}
    >
      {sorted.map((choice) => (
        <option key={choice.action} value={choice.action}>
          {`${choice.name} · ${counted(choice.visits)}`}
        </option>
      ))}
    </select>
  );
  return (
    <section class="why" aria-label={say("Why this move and not that one")}>
      <p class="why-lead">{say("{who} to move, {visits} iterations. Each iteration selects the move with the highest score. At the end, the most visited move is played.", { who, visits: counted(visits) })}</p>
      <div class="why-pair">
        <Card choice={first} all={[first, second]} other={second}>{chooser(0, first)}</Card>
        <Card choice={second} all={[first, second]} other={first}>{chooser(1, second)}</Card>
      </div>
      <Verdict first={first} second={second} all={sorted} />
      <h3>{say("All moves, by visits")}</h3>
      <ul class="why-list">
        {sorted.slice(0, LISTED).map((choice) => (
          <li key={choice.action}>
            <button type="button" class="why-row" aria-pressed={choice === first || choice === second} onClick={() => pick([first.action, choice.action === first.action ? second.action : choice.action])}>
              <b>{choice.name}</b>
              <span class="why-visits">{counted(choice.visits)}</span>
              <Bar choice={choice} scale={scaleOf(sorted.slice(0, LISTED))} />
            </button>
          </li>
        ))}
      </ul>
      <Key terms={termsOf(sorted)} />
    </section>
  );
}

function Card({ choice, all, other, children }: { choice: Choice; all: Choice[]; other: Choice; children: preact.ComponentChildren }) {
  const terms = termsOf(all);
  const factors = ["prior", "rave"].filter((name) => typeof choice.terms[name] === "number");
  return (
    <article class="why-card">
      <header>{children}</header>
      <p class="why-count">
        <strong>{counted(choice.visits)}</strong> {say(choice.visits === 1 ? "visit" : "count|visits")}
      </p>
      {standing(choice) === "untried" ? (
        <p>{say("Not visited: such a move is selected before all others.")}</p>
      ) : (
        <>
          <Bar choice={choice} scale={scaleOf(all)} />
          <table>
            <tbody>
              {terms.map((term) => (
                <tr key={term} class={leads(choice, other, term) ? "leads" : ""}>
                  <th scope="row">
                    <i class={`term-${term}`} aria-hidden="true" />
                    {say(TERMS[term])}
                  </th>
                  <td>{number(choice.terms[term])}</td>
                </tr>
              ))}
              <tr class="why-total">
                <th scope="row">{say("tree|score")}</th>
                <td>{standing(choice) === "certain" ? say("tree|certain") : number(scoreOf(choice))}</td>
              </tr>
              {factors.map((name) => (
                <tr key={name} class="why-factor">
                  <th scope="row">{say(name === "prior" ? "prior value before the first visit" : "mean when played later (RAVE)")}</th>
                  <td>{number(choice.terms[name])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </article>
  );
}

function leads(choice: Choice, other: Choice, term: Summand): boolean {
  return (choice.terms[term] ?? 0) > (other.terms[term] ?? 0);
}

export function number(value: number | null | undefined): string {
  return typeof value === "number" ? value.toFixed(3) : "–";
}

/** A score as a bar of its terms. */
export function Bar({ choice, scale }: { choice: Choice; scale: number }) {
  const told = partsOf(choice).map((part) => `${say(TERMS[part.term])} ${number(part.to - part.from)}`);
  return (
    <svg class="why-bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={told.join(", ") || say("Not visited: such a move is selected before all others.")}>
      <rect class="why-ground" width="100" height="10" />
      {partsOf(choice).map((part) => (
        <rect key={part.term} class={`term-${part.term}`} x={(100 * part.from) / scale} width={(100 * (part.to - part.from)) / scale} height="10" />
      ))}
    </svg>
  );
}

function Key({ terms }: { terms: Summand[] }) {
  return (
    <dl class="why-key">
      {terms.map((term) => (
        <div key={term}>
          <dt>
            <i class={`term-${term}`} aria-hidden="true" />
            {say(TERMS[term])}
          </dt>
          <dd>{say(TERMS_ABOUT[term])}</dd>
        </div>
      ))}
    </dl>
  );
}

/** In words: what makes the difference. */
function Verdict({ first, second, all }: { first: Choice; second: Choice; all: Choice[] }) {
  const [one, other] = first.visits >= second.visits ? [first, second] : [second, first];
  const names = { one: one.name, other: other.name };
  const said: string[] = [];
  const gap = (term: Summand) => (one.terms[term] ?? 0) - (other.terms[term] ?? 0);
  if (other.visits === 0) said.push(say("{other} was not visited yet.", names));
  else {
    const times = one.visits / other.visits;
    said.push(times < 1.05 ? say("{one} and {other} were visited about equally often.", names) : say("{one} was visited {times} times as often as {other}.", { ...names, times: times.toFixed(1) }));
    const mean = gap("mean");
    if (Math.abs(mean) >= 0.0005) said.push(say(mean > 0 ? "The mean result of {one} is better by {gap}." : "The mean result of {one} is lower by {gap}: its visits change only slowly.", { ...names, gap: Math.abs(mean).toFixed(3) }));
    if (gap("exploration") < -0.0005) said.push(say("The exploration term of {other} is larger by {gap}, because it has fewer visits. So the two scores are close.", { ...names, gap: Math.abs(gap("exploration")).toFixed(3) }));
  }
  const next = nextChoice(all);
  if (next) said.push(say("The next iteration selects {next}, which has the highest score now.", { next: next.name }));
  return (
    <ul class="why-verdict">
      {said.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}
