/** The start: choose a game, its parameters and who plays; or set up, paste or load a position. */
import { GAME_ABOUT, GAMES } from "../state/names";
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { BoardPicture } from "../boards/board";
import { Editor } from "../parts/editor";
import { GameIcon } from "../parts/game-icon";
import { ParameterForm } from "../parts/parameter-form";
import { PasteForm } from "../parts/paste-form";
import { Refusal, Unconnected } from "../parts/error-message";
import { Segments } from "../parts/radio-group";
import { chosenSeats, Who, WhoNotes } from "../parts/player-setup";
import type { GameLook, GameOffer } from "../protocol";
import { gameTitle, presetTitle, seatTitle } from "../state/format";
import { chosenOffer, games, loadOffers, lookOfGame, ownFirst, spell, unspell } from "../state/catalog";
import { type Place, places, playersOf, standOf } from "../state/recent-games";
import { begin, busy, connection, returnTo } from "../state/store";
import { sayTrouble, type Sentence, sentenceOf } from "../state/told";
import { called, say, type Word } from "../messages";

export type Mode = "play" | "edit" | "paste";

const BEGIN = { play: "Play", edit: "Set up", paste: "Paste" } as const satisfies Record<Mode, Word>;

const chosen = signal(""); // not yet: a game of the user's own, or Gomoku
const values = signal<Record<string, string>>({});
const mode = signal<Mode>("play");
const SHOWN = 3; // kept games that are seen at once

/** Choose a game by its spelling. */
export function chooseGame(spelling: string): void {
  const { name, values: given } = unspell(spelling);
  [chosen.value, values.value] = [name, given];
}

/** A game of the list; where its form is below the list, go there. */
function choose(name: string): void {
  chooseGame(name);
  if (matchMedia("(max-width: 900px)").matches) document.querySelector(".set-up")?.scrollIntoView();
}

export default function New({ rest }: { rest: string }) {
  useEffect(() => void loadOffers(), [connection.value]); // again, if there was no server
  useEffect(() => {
    if (rest) chooseGame(decodeURIComponent(rest));
  }, [rest]);
  const offer = games.value && chosenOffer(games.value, chosen.value);
  if (!offer) return <p class="empty page-empty">{say("Connecting …")}</p>;
  return (
    <div class="new">
      <section class="choose" aria-labelledby="choose-title">
        <h1 id="choose-title">{say("Choose a game")}</h1>
        <Continue />
        <ul class="games">
          {ownFirst(games.value!).map((each) => (
            <li>
              <button type="button" aria-pressed={each.name === offer.name} onClick={() => choose(each.name)}>
                <GameIcon name={each.name} />
                <strong>{called(GAMES, each.name)}</strong>
                <span>{called(GAME_ABOUT, each.name, each.meaning)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      <SetUp offer={offer} />
    </div>
  );
}

/** Games that were left are still there. */
function Continue() {
  const kept = places();
  if (kept.length === 0) return null;
  return (
    <div class="continue">
      <h2>{say("Continue")}</h2>
      <Refusal at="kept" />
      <KeptGames kept={kept.slice(0, SHOWN)} />
      {kept.length > SHOWN && (
        <details>
          <summary>{say("Older games ({count})", { count: kept.length - SHOWN })}</summary>
          <KeptGames kept={kept.slice(SHOWN)} />
        </details>
      )}
    </div>
  );
}

function KeptGames({ kept }: { kept: Place[] }) {
  return (
    <ul class="kept-games">
      {kept.map((place) => (
        <li key={place.table}>
          <button type="button" onClick={() => void returnTo(place).then((found) => found && (location.hash = "#play"))}>
            <GameIcon name={unspell(place.game).name} />
            <strong>{gameTitle(place.game)}</strong>
            <span>{playersOf(place)}</span>
            <span class="faint">{standOf(place)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function SetUp({ offer }: { offer: GameOffer }) {
  const spelling = spell(offer, values.value);
  const { look, trouble } = useLook(spelling);
  const modes: Mode[] = ["play", "paste", "edit"];
  const now = mode.value;
  return (
    <section class="set-up card" aria-labelledby="game-title">
      <div class="set-up-head">
        <h2 id="game-title">{called(GAMES, offer.name)}</h2>
        <Segments
          label={say("How to begin")}
          choices={modes}
          value={now}
          onChoice={(each) => (mode.value = each)}
          show={(each) => say(BEGIN[each])}
        />
      </div>
      {offer.presets.length > 1 && <Presets offer={offer} spelling={spelling} />}
      {offer.parameters.length > 0 && (
        <details open={offer.parameters.length <= 5}>
          <summary>{say("Rules and size")}</summary>
          <ParameterForm
            parameters={offer.parameters}
            values={values.value}
            onValue={(name, value) => (values.value = { ...values.value, [name]: value })}
          />
        </details>
      )}
      {trouble && (
        <p class="notice warn" role="alert">
          {sayTrouble(trouble)}
        </p>
      )}
      {look && now === "play" && <Beginning look={look} spelling={spelling} />}
      {look && now === "edit" && <Editor look={look} key={look.game} />}
      {now === "paste" && <PasteForm spelling={spelling} editable={look?.editable ?? true} />}
    </section>
  );
}

function Presets({ offer, spelling }: { offer: GameOffer; spelling: string }) {
  return (
    <div class="buttons presets" role="group" aria-label={say("Sizes")}>
      {offer.presets.map((each) => (
        <button type="button" class="small" aria-pressed={spell(offer, unspell(each).values) === spelling} onClick={() => chooseGame(each)}>
          {presetTitle(each)}
        </button>
      ))}
    </div>
  );
}

function Beginning({ look, spelling }: { look: GameLook; spelling: string }) {
  return (
    <form
      class="beginning"
      data-game={look.game}
      onSubmit={(event) => {
        event.preventDefault();
        void begin(spelling, chosenSeats(look)).then((answer) => answer && (location.hash = "#play"));
      }}
    >
      <div class="preview" aria-hidden="true">
        {look.board ? (
          <BoardPicture board={look.board} position={look.view} players={look.players} label={spelling} />
        ) : (
          <pre>{look.view.text}</pre>
        )}
      </div>
      <fieldset class="who">
        <legend>{say("Who plays")}</legend>
        <Who look={look} />
        <div class="start-bar">
          <button type="submit" class="primary" disabled={busy.value || connection.value !== "open"}>
            {say("Start")}
          </button>
          <p class="start-what" aria-hidden="true">
            <strong>{gameTitle(spelling)}</strong> <span>{chosenSeats(look).map(seatTitle).join(" – ")}</span>
          </p>
          <Refusal at="begin" />
          <Unconnected />
        </div>
        <WhoNotes look={look} />
      </fieldset>
    </form>
  );
}

/** The empty board of a spelling, or the sentence why there is none. */
function useLook(spelling: string): { look: GameLook | null; trouble: Sentence | null } {
  const [found, setFound] = useState<{ look: GameLook | null; trouble: Sentence | null }>({ look: null, trouble: null });
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(
      () =>
        void lookOfGame(spelling).then(
          (look) => gone || setFound({ look, trouble: null }),
          (error: Error) => gone || setFound({ look: null, trouble: sentenceOf(error) }),
        ),
      found.look ? 150 : 0,
    );
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [spelling, found.trouble && connection.value]); // again, if there was no server
  return found;
}
