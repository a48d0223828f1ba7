/** The frame: the menu, the view that the address names, complaints, and what is said aloud. */
import { signal, useSignalEffect } from "@preact/signals";
import type { ComponentType } from "preact";
import { StrayRefusal } from "./parts/error-message";
import { OFFLINE } from "./socket";
import { chooseLooks, dark } from "./state/theme";
import { connection, settled, spoken, table } from "./state/store";
import { complain, leaveView } from "./state/errors";
import { VIEWS, type ViewProps } from "./views";
import { chooseLanguage, language, say } from "./messages";

const place = signal(readPlace());
const shown = signal<{ part: ComponentType<ViewProps>; rest: string } | null>(null); // each view with its own place

function readPlace(): { name: string; rest: string } {
  const [name = "", ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  return { name: VIEWS.some((view) => view.name === name) ? name : "play", rest: rest.join("/") };
}

addEventListener("hashchange", () => {
  place.value = readPlace();
  leaveView();
});

async function load({ name, rest }: { name: string; rest: string }): Promise<void> {
  const view = VIEWS.find((each) => each.name === name)!;
  try {
    const part = (await view.load()).default;
    if (place.value.name !== name || place.value.rest !== rest) return;
    const other = shown.value !== null && shown.value.part !== part;
    shown.value = { part, rest };
    if (other) scrollTo(0, 0); // who was far down a long view sees the next one from its top
  } catch {
    complain(OFFLINE); // the server is gone, or has another page now
  }
}

export function App() {
  useSignalEffect(() => void load(place.value));
  useSignalEffect(() => {
    document.documentElement.lang = language.value === "zh" ? "zh-CN" : "en";
  });
  const Part = shown.value?.part;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        {say("To the board")}
      </a>
      <Top />
      <main id="main" tabIndex={-1}>
        {settled.value || shown.value ? Part && <Part rest={shown.value!.rest} /> : <p class="empty page-empty">{say("Connecting …")}</p>}
      </main>
      <StrayRefusal />
      <div class="hidden" aria-live="polite" id="spoken">
        {spoken.value}
      </div>
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  (document.querySelector<HTMLElement>(".board.live") ?? document.getElementById("main"))?.focus();
}

function Top() {
  const menu = VIEWS.filter((view) => view.name !== "play" || table.value);
  return (
    <header class="top">
      <a class="brand" href="#play">
        Luozi <span lang="zh">落子</span>
      </a>
      <nav aria-label={say("Views")}>
        {menu.map((view) => (
          <a href={`#${view.name}`} aria-current={place.value.name === view.name ? "page" : undefined}>
            {say(view.title)}
          </a>
        ))}
      </nav>
      <div class="switches">
        <span class={`dot ${connection.value}`} title={say(connection.value === "open" ? "Connected" : "The connection is lost; trying again …")} />
        <button type="button" class="quiet" lang={language.value === "zh" ? "en" : "zh"} onClick={() => chooseLanguage(language.value === "zh" ? "en" : "zh")}>
          {language.value === "zh" ? "English" : "中文"}
        </button>
        <button type="button" class="quiet icon" aria-label={say(dark.value ? "Light colours" : "Dark colours")} title={say(dark.value ? "Light colours" : "Dark colours")} onClick={() => chooseLooks(dark.value ? "light" : "dark")}>
          <svg viewBox="0 0 20 20" aria-hidden="true">
            {dark.value ? (
              <path d="M10 6.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7ZM10 1v2M10 17v2M1 10h2M17 10h2M3.6 3.6 5 5M15 15l1.4 1.4M3.6 16.4 5 15M15 5l1.4-1.4" />
            ) : (
              <path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7Z" />
            )}
          </svg>
        </button>
      </div>
    </header>
  );
}
