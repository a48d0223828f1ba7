/** Who plays: a seat for each player, and what nobody has measured of those who sit there. */
import { signal } from "@preact/signals";
import { lookOf, Sign } from "../boards/piece";
import type { GameLook, Seat } from "../protocol";
import { playerName } from "../state/format";
import { usualSeats } from "../state/catalog";
import { say } from "../messages";
import { Notes } from "./notes";
import { SeatForm } from "./seat-form";

const seats = signal<Seat[]>([]);

/** The seats as they are chosen for a game of so many players. */
export const chosenSeats = (look: GameLook): Seat[] => usualSeats(look.players, seats.value);

export function Who({ look }: { look: GameLook }) {
  const now = chosenSeats(look);
  const sign = lookOf(look.board, look.players);
  return now.map((seat, player) => (
    <div class="who-row">
      <span class="who-name">
        <Sign player={player} look={sign} size="1.4em" /> {playerName(look, player)}
      </span>
      <SeatForm
        seat={seat}
        label={say("Who plays {player}", { player: playerName(look, player) })}
        onSeat={(next) => (seats.value = now.map((each, index) => (index === player ? next : each)))}
      />
    </div>
  ));
}

/** What is to be known of those who were chosen, and of nobody else. */
export function WhoNotes({ look }: { look: GameLook }) {
  const names = new Set(chosenSeats(look).map((seat) => (seat.kind === "player" ? (seat.name ?? "") : "")));
  return <Notes notes={Object.entries(look.notes_told).flatMap(([name, note]) => (names.has(name) ? [note] : []))} />;
}
