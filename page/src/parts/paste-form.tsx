/** A game or a position as text: typed, pasted or from a file. */
import { useState } from "preact/hooks";
import { paste } from "../state/store";
import { say } from "../messages";
import { Refusal } from "./error-message";

const LARGEST = 1_000_000;

export function PasteForm({ spelling, editable }: { spelling: string; editable: boolean }) {
  const [text, setText] = useState("");
  return (
    <form
      class="paste"
      onSubmit={(event) => {
        event.preventDefault();
        void paste(text, spelling).then((answer) => answer && (location.hash = "#play"));
      }}
    >
      <label for="pasted">{say(editable ? "A record of Luozi, SGF, a board as text, or moves by name" : "A record of Luozi, or moves by name (positions of this game can't be set up)")}</label>
      <textarea id="pasted" rows={10} maxLength={LARGEST} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <div class="buttons">
        <label class="button file">
          {say("From a file …")}
          <input
            type="file"
            accept=".txt,.sgf,.json,text/plain"
            onChange={(event) => void event.currentTarget.files?.[0]?.text().then((read) => setText(read.slice(0, LARGEST)))}
          />
        </label>
        <button type="submit" class="primary" disabled={!text.trim()}>
          {say("Open")}
        </button>
      </div>
      <Refusal at="begin" />
    </form>
  );
}
