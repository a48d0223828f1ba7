/** One of a few choices, side by side: a group of radio buttons that arrow keys go through. */
import type { ComponentChildren } from "preact";

interface SegmentsProps<Choice extends string | number> {
  label: string;
  choices: Choice[];
  value: Choice;
  onChoice: (choice: Choice) => void;
  show: (choice: Choice) => ComponentChildren;
}

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

export function Segments<Choice extends string | number>({ label, choices, value, onChoice, show }: SegmentsProps<Choice>) {
  const onKey = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const place = (choices.indexOf(value) + step + choices.length) % choices.length;
    onChoice(choices[place]!);
    ((event.currentTarget as HTMLElement).children[place] as HTMLElement).focus();
  };
  return (
    <div class="segments" role="radiogroup" aria-label={label} onKeyDown={onKey}>
      {choices.map((each) => (
        <button key={each} type="button" role="radio" aria-checked={value === each} tabIndex={value === each ? 0 : -1} onClick={() => onChoice(each)}>
          {show(each)}
        </button>
      ))}
    </div>
  );
}
