import { sayAgain } from "../state/told";

/** Sentences of the server about what nobody has measured. */
export function Notes({ notes }: { notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="faint notes">
      {notes.map(sayAgain).map((note) => (
        <li>{`${note.slice(0, 1).toUpperCase()}${note.slice(1)}${/[.!?。]$/.test(note) ? "" : "."}`}</li>
      ))}
    </ul>
  );
}
