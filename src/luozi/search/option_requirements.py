"""Requirements of options: methods that a game must define."""

from __future__ import annotations

import random

from luozi.evaluators.networks import network_kind
from luozi.messages import LuoziError, Message
from luozi.rules.game import Game
from luozi.rules.state import State
from luozi.search.option_conflicts import at_odds_with_board_network, at_odds_with_network, at_odds_with_priors
from luozi.search.options import Options

LOOKED_AT, LONG = 3, 500  # random games to see whose turn it is, and the most moves of each
TRIES = 20  # to draw a legal action before all are listed


def refuse_missing(game: Game, options: Options, valued_outside: bool = False, compiled: bool = True) -> None:
    """Raise LuoziError if an option needs a method that the game does not define.

    With `valued_outside` an external evaluator gives values and priors."""
    needs = {
        "anti_decisive_moves": ("winning_actions", options.anti_decisive_moves),
        "prior_visits": ("priors", options.prior_visits > 0),
        "selection=puct": (
            "priors",
            options.selection == "puct" and not (options.network or valued_outside or assesses(game, options)),
        ),
        "threat_search": ("threatening_actions", options.threat_search),
        "candidates_only": ("candidates", options.candidates_only),
    }
    reason = against_network(game, options)
    if reason:
        raise LuoziError("mcts: {reason}", reason=Message(reason))
    by_leaf = options.network or valued_outside or assesses(game, options)
    if options.is_on("fpu_reduction") and not by_leaf:
        idle = Message("{name} has no effect without {value}", name="fpu_reduction", value="network or an evaluator")
        raise LuoziError("mcts: {reason}", reason=idle)
    for option, (method, wanted) in needs.items():
        if wanted and getattr(type(game), method) is getattr(Game, method):
            raise LuoziError(
                "mcts: {name} needs a game that has {text}, and {game} has none",
                name=option,
                text=method,
                game=game.spelling,
            )
    if options.playout_policy and not game.has_policy():
        raise LuoziError(
            "mcts: playout_policy needs a game that has policy_action, and {game} has none", game=game.spelling
        )
    if options.ownership and not game.points:
        raise LuoziError(
            "mcts: ownership needs a game that has points and point_owners, unlike {game}", game=game.spelling
        )
    if valued_outside and options.evaluation != "playout":
        raise LuoziError(
            "mcts: an evaluator outside values every leaf. Remove evaluation={value}.", value=options.evaluation
        )
    known = callable(getattr(game, "evaluate", None)) or (assesses(game, options) and options.selection == "puct")
    if options.evaluation != "playout" and not known:
        raise LuoziError(
            "mcts: evaluation={evaluation} needs a game that has evaluate, and {game} has none",
            evaluation=options.evaluation,
            game=game.spelling,
        )
    if options.is_raced and options.mcts_solver != "none" and game.single_winner is None:
        raise LuoziError(
            "mcts: mcts_solver with several threads in one tree needs a game that says single_winner = True or False, "
            "and {game} says nothing",
            game=game.spelling,
        )
    if options.threads > 1 and not (compiled and game.compilable):
        raise LuoziError(
            "mcts: threads need compiled rules, and those of {game} run as plain Python here", game=game.spelling
        )
    if valued_outside:
        refuse_beside_evaluator(options)
    if options.anti_decisive_moves and not moves_in_turn(game):
        raise LuoziError(
            "mcts: anti_decisive_moves needs a game in which everybody moves in turn, unlike {game}", game=game.spelling
        )
    if options.exact_solver_nodes and game.players != 2:
        raise LuoziError(
            "mcts: exact_solver_nodes needs a game of two players, and {game} has {count}",
            game=game.spelling,
            count=game.players,
        )
    if options.opponent_blunder_rate and game.players < 3:
        raise LuoziError(
            "mcts: opponent_blunder_rate is for three and more players, and {game} has {count}",
            game=game.spelling,
            count=game.players,
        )
    if options.resign_threshold and game.players != 2:
        raise LuoziError(
            "mcts: resign_threshold ends a game of two players, and {game} has {players}",
            game=game.spelling,
            players=game.players,
        )
    if options.transpositions and game.no_transpositions:
        raise LuoziError(
            "mcts: transpositions finds no equal positions in {game}, where {text}",
            game=game.spelling,
            text=game.no_transpositions,
        )
    seats = len(options.playing_style.split("+"))
    if seats > game.players:
        raise LuoziError(
            "mcts: playing_style is for {seats} seats, and {game} has {count}",
            seats=seats,
            game=game.spelling,
            count=game.players,
        )


def against_network(game: Game, options: Options) -> str:
    """Return why options cannot be combined with the game's kind of network, or an empty string.

    >>> import luozi
    >>> against_network(luozi.game("go"), Options(network="any", prior_visits=20, rave="fuego"))
    ''
    """
    kind = network_kind(game, options.network)
    if kind == "board" and (reason := at_odds_with_board_network(options)):
        return reason
    if kind == "lines" and options.gumbel_candidates:
        return Message("gumbel_candidates is for networks of any board, and this one is of line patterns. Remove it.")
    return at_odds_with_priors(options) if kind == "priors" else at_odds_with_network(options)


def refuse_beside_evaluator(options: Options) -> None:
    """Raise LuoziError for an option about playouts or threads beside an external evaluator."""
    for name in ("playout_policy", "max_playout_moves", "playout_discount", "keep_playout_win", "ownership", "threads"):
        if options.is_on(name):
            raise LuoziError(
                "mcts: an evaluator of your own values every leaf, a batch at a time. Remove {name}.", name=name
            )


def assesses(game: Game, options: Options) -> bool:
    """Return whether the game returns priors with the value of a position, and the options use them."""
    return options.evaluation == "static" and callable(getattr(game, "priors_and_values", None))


_IN_TURN: dict[tuple[type, str], bool] = {}  # what was found out, by class and spelling


def moves_in_turn(game: Game) -> bool:
    """Return whether in a few random games everybody moves in turn, one move each.

    >>> import luozi
    >>> moves_in_turn(luozi.game("tictactoe"))
    True
    """
    key = type(game), game.spelling
    if key not in _IN_TURN:
        _IN_TURN[key] = all(_game_is_in_turn(game, random.Random(seed)) for seed in range(LOOKED_AT))
    return _IN_TURN[key]


def _game_is_in_turn(game: Game, rng: random.Random) -> bool:
    state, player = game.new_state(), None
    for _ in range(LONG):
        action = random_action(game, state, rng)
        if action is None:
            return True
        if player is not None and game.current_player(state) != (player + 1) % game.players:
            return False
        player = int(game.current_player(state))
        game.apply_action(state, action)
    return True


def random_action(game: Game, state: State, rng: random.Random) -> int | None:
    """Return a random legal action, or None after the end of the game.

    A full list takes uncompiled rules 10 ms on a board of 900 cells, so a few single actions are tried first.
    """
    if game.is_terminal(state):
        return None
    if hasattr(game, "is_legal"):
        for _ in range(TRIES):
            action = rng.randrange(game.actions)
            if game.is_legal(state, action):
                return action
    legal = game.legal_list(state)
    return rng.choice(legal) if legal else None
