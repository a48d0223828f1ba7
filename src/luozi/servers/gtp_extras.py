"""Commands beyond GTP 2 that KataGo's friends, GoGui, KGS and regression suites use."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from luozi.games.go.points import score_text
from luozi.messages import LuoziError
from luozi.protocols.gtp import COLOURS
from luozi.servers.gtp_base import command
from luozi.servers.gtp_moves import Moves
from luozi.servers.gtp_position import Play
from luozi.util.parsing import json_value, plain

Words = Sequence[str]
RULE_NAMES = {
    **dict.fromkeys(("chinese", "chinese-ogs", "chinese-kgs", "area"), "chinese"),
    **dict.fromkeys(("japanese", "korean", "territory"), "japanese"),
    **dict.fromkeys(("tromp-taylor", "tromp_taylor", "tromptaylor", "new_zealand", "new-zealand"), "tromp_taylor"),
}
TIME_KINDS = ("none", "absolute", "byoyomi", "canadian")
GOGUI_COMMANDS = (
    "dboard/Ownership/luozi-ownership",
    "string/Final Score/final_score",
    "plist/Final Status: Dead/final_status_list dead",
    "plist/Final Status: Undecided/final_status_list seki",
    "plist/Black Territory/final_status_list black_territory",
    "plist/White Territory/final_status_list white_territory",
    "string/Rules/kata-get-rules",
    "none/Clear Tree/clear_cache",
)


class Extras(Moves):
    """The commands of others."""

    # KataGo -------------------------------------------------------------------------------------------------------

    @command("kata-get-rules", "", "KataGo")
    def get_rules(self, words: Words) -> str:
        """The rules as JSON."""
        game = self.position.game
        told = {
            "ko": "POSITIONAL" if game.superko else "SIMPLE",
            "scoring": "TERRITORY" if game.ruleset.territory else "AREA",
            "suicide": game.suicide,
            "tax": "NONE",
            "whiteHandicapBonus": "N" if game.handicap_bonus and not game.ruleset.territory else "0",
            "friendlyPassOk": game.ruleset.removes_dead,
            "hasButton": False,
        }
        return json.dumps(told)

    @command("kata-set-rules", "RULES", "KataGo")
    def set_rules(self, words: Words) -> str:
        """Play by other rules: chinese, japanese, tromp-taylor, or JSON as kata-get-rules gives it."""
        text, bonus = " ".join(words).strip(), None
        if text.startswith("{"):
            wanted = json_value(text, "this text")
            bonus = handicap_bonus(wanted)
            territory = str(wanted.get("scoring", "AREA")).upper() == "TERRITORY"
            name = "japanese" if territory else "tromp-taylor" if wanted.get("suicide") else "chinese"
        else:
            name = text.lower()
        if name not in RULE_NAMES:
            raise LuoziError(
                "there are no rules '{name}' here; choose chinese, japanese or tromp-taylor", name=plain(name)
            )
        self.position.change_terms(replace(self.position.terms, rules=RULE_NAMES[name], compensation=bonus))
        return ""

    @command("kata-list_time_settings", "", "KataGo")
    def list_time_settings(self, words: Words) -> str:
        """The kinds of clocks that kata-time_settings takes."""
        return " ".join(TIME_KINDS)

    @command("kata-time_settings", "KIND NUMBER...", "KataGo")
    @command("kgs-time_settings", "KIND NUMBER...", "KGS")
    def set_kind_of_time(self, words: Words) -> str:
        """none, absolute MAIN, byoyomi MAIN PERIOD PERIODS or canadian MAIN PERIOD STONES."""
        kind = words[0].lower() if words else ""
        if kind == "none":
            self.clock.limited = False
        elif kind == "absolute":
            self.clock.set(self.duration(words, 1), 0, 0)
        elif kind == "byoyomi":
            self.clock.set(self.duration(words, 1), self.duration(words, 2), 1, self.whole(words, 3, 1, 10**6))
        elif kind == "canadian":
            self.clock.set(self.duration(words, 1), self.duration(words, 2), self.whole(words, 3, 1, 10**6))
        else:
            raise LuoziError("syntax error: the kind of time is one of {names}", names=", ".join(TIME_KINDS))
        return ""

    @command("get_komi", "", "KataGo")
    def get_komi(self, words: Words) -> str:
        """What White gets for moving second."""
        return f"{self.position.terms.komi:g}"

    @command("set_position", "COLOUR POINT...", "KataGo")
    def set_position(self, words: Words) -> str:
        """Set up stones on an empty board; nothing of the game before is left."""
        self.set_stones(self.plays_in(words), 0)
        self.position.set_terms(self.position.terms, 0)
        return ""

    def plays_in(self, words: Words) -> list[Play]:
        """Colours and points in turn."""
        if len(words) % 2:
            raise LuoziError("syntax error: name a colour and a point for each stone")
        places = range(0, len(words), 2)
        return [Play(self.colour(words, place), self.point(words, place + 1)) for place in places]

    def set_stones(self, stones: list[Play], to_move: int) -> None:
        """Begin anew from stones."""
        if any(stone.action == self.position.game.points for stone in stones):
            raise LuoziError("syntax error: a stone can't pass")
        self.position.begin(stones, to_move)
        self.hopeless = [0, 0]

    @command("clear_cache", "", "KataGo")
    def clear_cache(self, words: Words) -> str:
        """Forget the tree."""
        self.position.forget_searches()
        return ""

    @command("cputime", "", "regression")
    def cpu_time(self, words: Words) -> str:
        """The processor's seconds so far."""
        return f"{time.process_time():.3f}"

    @command("luozi-ownership", "", "Luozi")
    def tell_ownership(self, words: Words) -> str:
        """Whose each point is after dead stones are gone: 1 Black's, -1 White's, 0 nobody's; row by row."""
        size, owners = self.position.terms.size, self.judge().owners
        rows = [owners[row * size : (row + 1) * size] for row in range(size)]
        return "\n".join(" ".join(("0", "1", "-1")[owner] for owner in row) for row in rows)

    # GoGui --------------------------------------------------------------------------------------------------------

    @command("gogui-analyze_commands", "", "GoGui")
    def gogui_commands(self, words: Words) -> str:
        """What GoGui's menu of analyses offers."""
        return "\n".join(GOGUI_COMMANDS)

    @command("gogui-interrupt", "", "GoGui")
    def gogui_interrupt(self, words: Words) -> str:
        """Tells that a line `# interrupt` ends thinking."""
        return ""

    @command("gogui-title", "", "GoGui")
    def gogui_title(self, words: Words) -> str:
        """The title of the window."""
        return "Luozi"

    @command("gogui-play_sequence", "COLOUR POINT...", "GoGui")
    def gogui_play_sequence(self, words: Words) -> str:
        """Many moves at once; all of them or none."""
        plays, before = self.plays_in(words), len(self.position.plays)
        try:
            for player, action in plays:
                self.position.play(player, action)
        except LuoziError:
            while len(self.position.plays) > before:
                self.position.undo()
            raise
        return ""

    @command("gogui-setup", "COLOUR POINT...", "GoGui")
    def gogui_setup(self, words: Words) -> str:
        """More stones for the position as it is; the moves before can't be taken back."""
        board = self.position.state.board
        kept = [Play(int(board[point]) - 1, point) for point in range(self.position.game.points) if board[point]]
        self.set_stones([*kept, *self.plays_in(words)], self.position.to_move)
        return ""

    @command("gogui-setup_player", "COLOUR", "GoGui")
    def gogui_setup_player(self, words: Words) -> str:
        """Who is to move after a setup."""
        self.position.give_turn(self.colour(words))
        return ""

    @command("gogui-rules_game_id", "", "GoGui")
    def gogui_game_id(self, words: Words) -> str:
        """The game: Go."""
        return "Go"

    @command("gogui-rules_board_size", "", "GoGui")
    def gogui_board_size(self, words: Words) -> str:
        """Lines of the board."""
        return str(self.position.terms.size)

    @command("gogui-rules_board", "", "GoGui")
    def gogui_board(self, words: Words) -> str:
        """The board row by row: X, O and dots."""
        size, board = self.position.terms.size, self.position.state.board
        return "\n".join(" ".join(".XO"[board[row * size + column]] for column in range(size)) for row in range(size))

    @command("gogui-rules_legal_moves", "", "GoGui")
    def gogui_legal_moves(self, words: Words) -> str:
        """All legal moves of the side to move; nothing after two passes."""
        if self.position.has_ended:
            return ""
        return " ".join(map(self.position.name, self.position.turn_of(self.position.to_move).actions))

    @command("gogui-rules_side_to_move", "", "GoGui")
    def gogui_side_to_move(self, words: Words) -> str:
        """Who is to move."""
        return COLOURS[self.position.to_move]

    @command("gogui-rules_final_result", "", "GoGui")
    def gogui_final_result(self, words: Words) -> str:
        """The score in words, or that there is none yet."""
        return score_text(self.judge().score) if self.position.has_ended else "the game goes on"

    # KGS ----------------------------------------------------------------------------------------------------------

    @command("kgs-genmove_cleanup", "COLOUR", "KGS")
    def kgs_cleanup(self, words: Words) -> str:
        """A move that captures what is dead; pass when nothing is. Never resign."""
        player = self.colour(words)
        name, _thought = self.choose(player, cleanup=True)
        self.make(player, name)
        return name

    @command("kgs-rules", "RULES", "KGS")
    def kgs_rules(self, words: Words) -> str:
        """Play by other rules: chinese, japanese, new_zealand, or aga, as chinese: White gets one point more there."""
        name = words[0].lower() if words else ""
        return self.set_rules(["chinese"] if name == "aga" else words)

    @command("kgs-game_over", "", "KGS")
    def kgs_game_over(self, words: Words) -> str:
        """The game is over."""
        return ""

    @command("kgs-chat", "KIND NAME WORD...", "KGS")
    def kgs_chat(self, words: Words) -> str:
        """An answer to somebody who talks to the engine."""
        return "I am Luozi, and I only play."


def handicap_bonus(wanted: Mapping[str, Any]) -> bool | None:
    """Whether White gets a point for each handicap stone, as rules in JSON say; None where they say nothing."""
    known = {"": None, "0": False, "N": True}
    bonus = str(wanted.get("whiteHandicapBonus", ""))
    if bonus not in known:
        raise LuoziError("whiteHandicapBonus '{bonus}' is not known here; choose 0 or N", bonus=plain(bonus))
    return known[bonus]
