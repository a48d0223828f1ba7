"""The reference page of old names, written from the tables of the program."""

from __future__ import annotations

from collections.abc import Mapping

from luozi.removed import MOVED, REMOVED, RENAMED
from luozi.util.old_names import COMMANDS, EXPERIMENTS, FLAGS, GAME_ATTRIBUTES, KINDS, OPTIONS, SEARCH_VALUES

START = """# Old names

For readers of old scripts, records and results. The first two parts list old names that stay valid. The third part
lists Python names that are gone.

## Names that stay valid

Luozi accepts these names wherever you or a file give options. Help and lists show the new names only. An option that is
given by both names is refused. Ids of matches, seeds and stored data are made from the old names: matches, tunings and
training runs of earlier versions can be continued."""
TITLES = {
    "mcts": "Options of mcts, strong, luozi.Engine and luozi.Options",
    "lines": "Parameters of line games (tictactoe, gomoku, connect4, five3d, lines)",
    "go": "Parameters of go",
    "heuristic_weights": "Weights of heuristic_weights in Go",
    "learn": "Settings of luozi learn",
    "gtp": "Options of external programs (gtp, gomocup, connect4_library)",
}


def old_names_page() -> str:
    """Return the page: options by what has them, then commands, flags, methods of games and removed names."""
    parts, done = [START], list[dict[str, str]]()
    for of in [*(name for name in TITLES if name in OPTIONS), *OPTIONS]:
        if OPTIONS[of] not in done:
            done.append(OPTIONS[of])
            parts += [f"### {TITLES.get(of, f'Options of {of}')}", table(OPTIONS[of])]
    values = {f"{name}={old}": f"{name}={new}" for name, known in SEARCH_VALUES.items() for old, new in known.items()}
    flags = {f"{old} ({of})": f"{new} ({of})" for of, known in FLAGS.items() for old, new in known.items()}
    experiments = {f"luozi experiment {old}": f"luozi experiment {new}" for old, new in EXPERIMENTS.items()}
    commands = {f"luozi {old}": f"luozi {new}" for old, new in COMMANDS.items()}
    parts += ["### Values of options", table(values)]
    parts += ["### Players and commands", table({**KINDS, **commands, **experiments}), "### Flags", table(flags)]
    parts += ["## Methods and attributes of game classes", "A class with an old name gets one warning for each name."]
    parts += [table(GAME_ATTRIBUTES), "## Python names that are gone", "Using one raises an error with this advice."]
    parts += [table(RENAMED | MOVED), table(REMOVED, "write instead")]
    return "\n\n".join(parts) + "\n"


def table(names: Mapping[str, str], head: str = "new") -> str:
    """Return a Markdown table of old and new names."""
    mark = "`" if head == "new" else ""
    rows = [f"| `{old}` | {mark}{new}{mark} |" for old, new in names.items()]
    return "\n".join([f"| old | {head} |", "|---|---|", *rows])
