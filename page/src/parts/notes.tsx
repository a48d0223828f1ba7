import { asSentence, sayAgain } from "../state/told";

/** Sentences of the server about what nobody has measured. */
export function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="faint notes">
      {notes.map((note) => (
        <li>{asSentence(sayAgain(note))}</li>
      ))}
    </ul>
  );
}
