/** What a person can do at the table besides playing a move. */
import type { Table } from "../protocol";
import { connection, hint, looking, moveNow, myTurn, ofTable, pause, resign, save, undo, leave, playText, busy } from "../state/store";
import { say } from "../messages";
import { Refusal } from "./error-message";

const sure = ofTable(false); // resigning takes two clicks

export function Actions({ table }: { table: Table }) {
  const online = connection.value === "open";
  const live = looking.value === null && !table.over && online;
  const programs = table.seats.some((seat) => seat.kind !== "person");
  const persons = table.seats.some((seat) => seat.kind === "person");
  const programTurn = live && !myTurn.value;
  return (
    <section class="card actions" aria-label={say("Actions")}>
      <div class="buttons">
        <button type="button" disabled={!live || busy.value} onClick={() => void hint()}>
          {say("Hint")}
        </button>
        <button type="button" disabled={table.moves.length === 0 || looking.value !== null || !online} onClick={() => void undo()}>
          {say("Undo")}
        </button>
        {programs && (
          <button type="button" disabled={!programTurn} onClick={() => void moveNow()}>
            {say("Move now")}
          </button>
        )}
        {programs && (
          <button type="button" disabled={!live || (!table.paused && !programTurn)} onClick={() => void pause(!table.paused)}>
            {say(table.paused ? "Go on" : "Stop")}
          </button>
        )}
        <button
          type="button"
          class={sure.value ? "danger" : ""}
          disabled={!live || !persons}
          onBlur={() => (sure.value = false)}
          onClick={() => {
            if (sure.value) void resign();
            sure.value = !sure.value;
          }}
        >
          {say(sure.value ? "Really resign?" : "Resign")}
        </button>
        <a class="button" href="#new" onClick={() => void leave()}>
          {say("New game")}
        </a>
      </div>
      <Refusal at="actions" />
    </section>
  );
}

/** A field to type a move into. */
export function TypedMove() {
  return (
    <form
      class="typed"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("typed") as HTMLInputElement;
        const text = field.value.trim();
        if (text) void playText(text).then((answer) => answer && (field.value = ""));
      }}
    >
      <label class="hidden" for="typed">
        {say("Type a move")}
      </label>
      <input id="typed" name="typed" autocomplete="off" autocapitalize="off" spellcheck={false} placeholder={say("Type a move")} disabled={!myTurn.value} />
      <button type="submit" disabled={!myTurn.value}>
        {say("move|Play")}
      </button>
      <Refusal at="typed" />
    </form>
  );
}

/** The record of the game as files. */
export function Downloads({ table }: { table: Table }) {
  return (
    <section class="card downloads" aria-label={say("Record")}>
      <div class="card-head">
        <h2>{say("Record")}</h2>
      </div>
      <div class="buttons">
        {table.formats.map((format) => (
          <button type="button" class="small" onClick={() => void download(format)}>
            {say("Save {format}", { format: formatTitle(format) })}
          </button>
        ))}
      </div>
      <Refusal at="record" />
    </section>
  );
}

function formatTitle(format: string): string {
  return { text: say("text"), sgf: "SGF", json: "JSON", html: say("web page"), gif: "GIF" }[format] ?? format;
}

async function download(format: string): Promise<void> {
  const answer = await save(format);
  if (!answer) return;
  const bytes = answer.base64 === undefined ? (answer.text ?? "") : Uint8Array.from(atob(answer.base64), (each) => each.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes]));
  const link = document.createElement("a");
  [link.href, link.download] = [address, answer.name];
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
