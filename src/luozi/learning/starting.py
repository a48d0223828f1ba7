"""What a command asks for: a new run, or one that goes on; and what is known of runs without joining in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from luozi.games import game as make_game
from luozi.learning.board_learner import BoardLearner
from luozi.learning.board_run import BoardRun
from luozi.learning.checkpoint_eval import Checkpoint, checkpoint_ratings
from luozi.learning.folder import Entry, RunFolder, RunRequest, Say, default_name, folder_of, run_names
from luozi.learning.generations import LearningObserver, LearningRun
from luozi.learning.learner import Learner, kind_of, learner_for
from luozi.learning.settings import BOARD_DEFAULTS, LearningOptions
from luozi.matches.store import Store
from luozi.messages import LuoziError
from luozi.rules.game import Game
from luozi.util.old_names import to_old_names
from luozi.util.parsing import OptionValue, is_file, path_of, plain
from luozi.util.trust import foreign


def start_run(
    game: str | None,
    name: str | None,
    begun_from: str,
    values: Mapping[str, OptionValue],
    watcher: LearningObserver,
    place: Path,
) -> LearningRun:
    """A run from what people write: a new one, or the one of this name, which goes on where it was."""
    if game is None and name is None:
        raise LuoziError("name a game to learn, such as gomoku; 'luozi learn --list' shows all runs")
    board = None if game is None else make_game(game)
    folder = folder_of(place, name or default_name("" if board is None else board.spelling), watcher.say)
    if board is None:
        if not folder.exists:
            raise LuoziError(
                "there is no run '{name}' in '{place}': name a game to begin one", name=plain(folder.name), place=place
            )
        with foreign():
            board = make_game(folder.read_asked().game)
    asked = RunRequest(board.spelling, options_for(board, values), begun_from)
    if folder.exists:
        asked = going_on(folder, asked, values)
    learner = learner_for(board, asked.settings)
    if not folder.exists:
        check_beginning(learner, begun_from)
    folder.take()
    try:
        run = run_of(learner)(folder, board, learner, asked, watcher)
        run.load()
        folder.write_asked(asked)
    except BaseException:
        folder.leave()
        raise
    return run


def options_for(game: Game, values: Mapping[str, OptionValue]) -> LearningOptions:
    """The settings of a new run: those that are given, the others as is usual for the kind of network."""
    settings = LearningOptions.of(values)
    if callable(getattr(game, "learner", None)) or kind_of(game, settings) != "board":
        return settings
    return LearningOptions().changed(BOARD_DEFAULTS).changed(values)


def run_of(learner: Learner) -> type[LearningRun]:
    """What plays and trains by turns for a learner."""
    return BoardRun if isinstance(learner, BoardLearner) else LearningRun


def check_beginning(learner: Learner, begun_from: str) -> None:
    """One sentence if a run can't begin so; nothing is written before that is clear."""
    if begun_from:
        if not is_file(path_of(begun_from)):
            raise LuoziError("there is no file '{name}' with weights", name=plain(begun_from))
        learner.load(path_of(begun_from))
    else:
        learner.trainer(learner.new_weights(0))  # says why where nothing can be learned


def going_on(folder: RunFolder, wanted: RunRequest, values: Mapping[str, OptionValue]) -> RunRequest:
    """What a run that is there is asked to do: as before, but for the settings that are given now."""
    before = folder.read_asked()
    if before.game != wanted.game:
        raise LuoziError(
            "the run '{name}' learns {game}, not {other}: give another --name",
            name=folder.name,
            game=before.game,
            other=wanted.game,
        )
    if wanted.begun_from not in ("", before.begun_from):
        raise LuoziError(
            "the run '{name}' has begun already: give another --name to begin from these weights", name=folder.name
        )
    settings = before.settings.changed(values)
    if settings.kind != before.settings.kind:
        raise LuoziError("the run '{name}' learns another kind of network: give another --name", name=folder.name)
    if settings.seed != before.settings.seed:
        raise LuoziError(
            "the run '{name}' has the seed {seed}: give another --name", name=folder.name, seed=before.settings.seed
        )
    return RunRequest(before.game, settings, before.begun_from)


# Looking on -----------------------------------------------------------------------------------------------------------


def state_of(folder: RunFolder) -> Entry:
    """What is known of a run, as plain data; nothing is written."""
    asked, entries = folder.read_asked(), folder.read_log()
    last: Entry = entries[-1] if entries else {"generation": 0, "games": 0, "positions": 0, "seconds": 0.0}
    final = folder / "final.npz"
    return {
        "name": folder.name,
        "folder": str(folder.path),
        "game": asked.game,
        "command": asked.command(folder.name),
        "from": asked.begun_from,
        **{key: last[key] for key in ("generation", "games", "positions", "seconds")},
        "settings": to_old_names(asked.settings.as_dict(), "learn"),
        "entries": entries,
        "ladder": [one.as_dict() for one in ladder_of(folder)],
        "weights": str(folder.weights_file(last["generation"])),
        "final": str(final) if final.is_file() else None,
        "bytes": folder.bytes,
    }


def ladder_of(folder: RunFolder) -> list[Checkpoint]:
    """The evaluated checkpoints of a run; none if their store is not there or damaged."""
    try:
        store = Store.open(folder / "ladder.db", create=False)
    except LuoziError:
        return []
    try:
        return checkpoint_ratings(store)
    except LuoziError:
        return []
    finally:
        store.close()


def all_states(place: Path, say: Say) -> list[Entry]:
    """All runs of a place; those that can't be read are told of instead."""
    found = []
    for name in run_names(place):
        try:
            found.append(state_of(RunFolder(place / name, say)))
        except LuoziError as error:
            say(error.message)
    return found
