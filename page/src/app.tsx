/** The frame: the menu, the view that the address names, and what is said aloud. */
import { signal, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { VIEWS, type ViewProps } from "./views";
import { say } from "./words";

const place = signal(readPlace());
const shown = signal<{ name: string; part: ComponentType<ViewProps> } | null>(null);

function readPlace(): { name: string; rest: string } {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  return { name: VIEWS.some((view) => view.name === name) ? name : VIEWS[0]!.name, rest: rest.join("/") };
}

addEventListener("hashchange", () => (place.value = readPlace()));

async function load(name: string): Promise<void> {
  const view = VIEWS.find((each) => each.name === name)!;
  const part = (await view.load()).default;
  if (place.value.name === name) shown.value = { name, part };
}

export function App() {
  useSignalEffect(() => void load(place.value.name));
  const Part = shown.value?.part;
  return (
    <>
      <header>
        <nav>
          {VIEWS.map((view) => (
            <a href={`#${view.name}`} aria-current={place.value.name === view.name ? "page" : undefined}>
              {say(view.title)}
            </a>
          ))}
        </nav>
      </header>
      <main>{Part && <Part rest={place.value.rest} />}</main>
    </>
  );
}
