/** Who sits at a place: a person, a level, a player of Luozi, an outside program. */
import { PLAYERS } from "../state/names";
import { useId } from "preact/hooks";
import type { PlayerOffer, Seat } from "../protocol";
import { players } from "../state/catalog";
import { called, say, type Word } from "../messages";

const HIGHEST_LEVEL = 10;
const SECONDS = [0.2, 0.5, 1, 2, 5, 10, 30];

interface SeatFormProps {
  seat: Seat;
  onSeat: (seat: Seat) => void;
  label: string;
}

export function SeatForm({ seat, onSeat, label }: SeatFormProps) {
  const id = useId();
  const offer = offerOf(seat);
  return (
    <div class="seat-form">
      <label class="hidden" for={`${id}who`}>
        {label}
      </label>
      <select id={`${id}who`} value={keyOf(seat)} onChange={(event) => onSeat(seatOf(event.currentTarget.value, seat))}>
        <option value="person">{say("Person")}</option>
        {players.value?.some((each) => each.name === "level") !== false && <option value="level">{say("Level")}</option>}
        {(players.value ?? [])
          .filter((each) => each.name !== "level")
          .map((each) => (
            <option value={`${each.kind} ${each.name}`} title={each.meaning}>
              {called(PLAYERS, each.name)}
            </option>
          ))}
      </select>
      {seat.kind !== "person" && seat.name === "level" && (
        <select
          aria-label={say("Level")}
          value={String(seat.level ?? 3)}
          onChange={(event) => onSeat({ ...seat, level: Number(event.currentTarget.value) })}
        >
          {Array.from({ length: HIGHEST_LEVEL }, (_, level) => (
            <option value={String(level + 1)}>{levelTitle(level + 1)}</option>
          ))}
        </select>
      )}
      {seat.kind === "player" && seat.name !== "level" && (offer?.budget.length ?? 0) > 0 && <Budget seat={seat} onSeat={onSeat} offer={offer!} />}
    </div>
  );
}

function Budget({ seat, onSeat, offer }: { seat: Seat; onSeat: (seat: Seat) => void; offer: PlayerOffer }) {
  const value = seat.iterations ? `iterations ${seat.iterations}` : `seconds ${seat.seconds ?? 1}`;
  const seconds = offer.budget.includes("seconds") ? withValue(SECONDS, seat.seconds) : [];
  const counts = offer.budget.includes("iterations") ? withValue([100, 1000, 10_000, 100_000], seat.iterations) : [];
  const choose = (text: string): void => {
    const [unit, amount] = text.split(" ");
    const { seconds: _s, iterations: _i, ...rest } = seat;
    onSeat(unit === "seconds" ? { ...rest, seconds: Number(amount) } : { ...rest, iterations: Number(amount) });
  };
  return (
    <select aria-label={say("Time a move")} value={value} onChange={(event) => choose(event.currentTarget.value)}>
      {seconds.map((each) => (
        <option value={`seconds ${each}`}>{say("{seconds} s a move", { seconds: each })}</option>
      ))}
      {counts.map((each) => (
        <option value={`iterations ${each}`}>{say("{count} simulations a move", { count: each.toLocaleString("en") })}</option>
      ))}
    </select>
  );
}

function withValue(usual: number[], value: number | undefined): number[] {
  return value === undefined || usual.includes(value) ? usual : [...usual, value].sort((one, other) => one - other);
}

function levelTitle(level: number): string {
  const word = ({ 1: "beginner", 4: "casual", 7: "skilled", 10: "near strong" } as Record<number, Word>)[level];
  return word ? `${level} (${say(word)})` : String(level);
}

function offerOf(seat: Seat): PlayerOffer | undefined {
  return players.value?.find((each) => each.name === seat.name);
}

function keyOf(seat: Seat): string {
  if (seat.kind === "person") return "person";
  return seat.name === "level" ? "level" : `${seat.kind} ${seat.name}`;
}

/** The seat that is chosen by its key; a budget stays as it was. */
function seatOf(key: string, now: Seat): Seat {
  if (key === "person") return { kind: "person" };
  if (key === "level") return { kind: "player", name: "level", level: now.level ?? 3 };
  const [kind, ...name] = key.split(" ");
  const seat: Seat = { kind: kind as Seat["kind"], name: name.join(" ") };
  const budget = players.value?.find((each) => each.name === seat.name)?.budget ?? [];
  if (kind === "player" && budget.includes("iterations") && now.iterations) return { ...seat, iterations: now.iterations };
  return kind === "player" && budget.includes("seconds") ? { ...seat, seconds: now.seconds ?? 1 } : seat;
}
