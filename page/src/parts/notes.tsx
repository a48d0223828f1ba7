import { asSentence, type Sentence, tell } from "../state/told";

/** Sentences of the server about what nobody has measured. */
export function Notes({ notes }: { notes: Sentence[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="faint notes">
      {notes.map((note) => (
        <li>{asSentence(tell(note))}</li>
      ))}
    </ul>
  );
}
