"""All options of the search, in one place: meaning, range, default and source of each.

Command-line help, spellings such as `mcts:iterations=10000,c=0.7`, forms and tuning ranges come from here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from luozi.evaluators.networks import network_names
from luozi.search.as_numbers import ANCESTORS, FORMULAS, PROOFS, RAVES, playing_style_names
from luozi.util.machine import MOST_THREADS
from luozi.util.parameters import option

# Sources of the options.
SUPPRESSION = "a student's report on 3-D five-in-a-row, 2016"
CONNECT_FOUR = "a student's report on Connect Four, 2019"
UCB = "Auer et al. 2002; Kocsis and Szepesvari 2006"
BUDGET = "Browne et al. 2012"
GROUPS = "a student's report on Go"
ERICA = "agreement: Erica, Huang 2011"
CUT_OFF = "Lorentz 2008"  # early playout termination
FPU = "Gelly and Wang 2006"
RAVE = "Gelly and Silver 2007, 2011; Fuego"
PUCT_SOURCE = "Rosin 2011; Silver et al. 2017"
PUCT_GROWTH = "AlphaZero: Silver et al. 2018"
THREATS = "threat-space search: Allis, van den Herik and Huntjens 1994"
NETWORK = "Silver et al. 2017; patterns of lines as in Gomoku programs"
HYBRIDS = "minimax hybrids: Baier and Winands 2015"
WAITING = "Chaslot, Winands and van den Herik 2008"
THREE_WAYS = "Cazenave and Jouandeau 2007; Chaslot et al. 2008"
LOCK_FREE = "Chaslot et al. 2008; Enzenberger and Mueller 2009"
MANY_PLAYERS = "Nijssen and Winands 2010, 2011, 2013"


@dataclass(frozen=True)
class Fields:
    """What can be said of a search, in the order in which it is listed; `Options` checks it."""

    iterations: int = option(0, "stop after so many iterations; 0 is no limit", 0, 10**15, source=BUDGET)
    seconds: float = option(0.0, "stop after so many seconds; 0 is no limit", 0, 10**6, source=BUDGET)
    nodes: int = option(0, "stop when the tree holds so many nodes; 0 is no limit", 0, 10**10, source=BUDGET)
    selection: str = option(
        "uct",
        "how a child is scored: w/n + k sqrt(ln N / n), N and n the parent's and the child's visits, k as below",
        choices=tuple(FORMULAS),
        source=UCB,
    )
    c: float | None = option(None, "the formula's constant; not given, the formula's own", 0, 100, source=UCB)
    rewards: str = option(
        "zero_one",
        "zero_one: win 1, draw 0.5, loss 0; plus_minus: +1, 0, -1, which doubles the scale and so halves k",
        choices=("zero_one", "plus_minus"),
        source="Browne et al. 2012",
    )
    own_weight: float = option(1.0, "A: the weight of the mover's own mean", 0, 100, source=SUPPRESSION)
    opponent_weight: float = option(
        0.0, "B: the weight of 1 minus the best other player's mean", 0, 100, source=SUPPRESSION
    )
    playing_style: str = option(
        "",
        "own_weight and opponent_weight by name: bold, balanced or cautious; for different seats joined by +, as "
        "in bold+cautious",
        source=SUPPRESSION,
        names=playing_style_names,
        joined=True,
    )
    fpu: float | None = option(
        None,
        "the whole score of an unvisited move; not given or inf, all of them come first. With puct its mean; not "
        "given, 0",
        -10,
        math.inf,
        source=FPU,
    )
    rave: str = option(
        "none",
        "moves that came later count as if they had come first: fuego: weighed by their counts, at most "
        "rave_weight; hand_selected: sqrt(w / (3 N + w)); min_mse: as if both means varied as coins do and these "
        "were off by b, where rave_weight is 1 / (4 b^2). Exploration is then k sqrt(ln N / (n + 1)) for all",
        choices=RAVES,
        source=RAVE,
    )
    rave_weight: float = option(1000.0, "how many visits these statistics are worth", 0.001, 10**9, source=RAVE)
    rave_prior_visits: float = option(
        0.0, "how many of these visits the game's own estimate of a move is worth", 0, 10**6, source=RAVE
    )
    grandfather: str = option(
        "none",
        "the same move at the nearest position above with the same mover: order: sorts the unvisited moves; "
        "start: its mean counts as grandfather_visits visits",
        choices=ANCESTORS,
        source=FPU,
    )
    grandfather_visits: float = option(10.0, "how many visits that is worth", 0.001, 10**6, source=FPU)
    prior_visits: float = option(
        0.0, "how many visits the game's own estimate of a move is worth; 0 is none", 0, 10**6, source=RAVE
    )
    prior_power: float = option(
        1.0,
        "with selection=puct, P is the game's estimate to this power: larger is narrower",
        0,
        100,
        source=PUCT_SOURCE,
    )
    progressive_history: float = option(
        0.0, "progressive history: the weight of a move's results anywhere; 0 is none", 0, 10**6, source=MANY_PLAYERS
    )
    opponent_model: str = option(
        "max_n",
        "max_n: everybody plays for themselves; paranoid: all others play against the one who searches",
        choices=("max_n", "paranoid"),
        source=MANY_PLAYERS,
    )
    mcts_solver: str = option(
        "none",
        "carry certain results up the tree; where the best moves differ only for others: standard: nothing is "
        "certain; paranoid: the worst for the one who searches; first_winner: the best for who is next to move",
        choices=PROOFS,
        source=MANY_PLAYERS,
    )
    backup_discount: float = option(
        1.0, "an ancestor h moves up gets 0.5 + discount^h (x - 0.5)", 0.01, 1, source=CONNECT_FOUR
    )
    playout_discount: float = option(
        1.0, "results are multiplied by decay^m after m random moves", 0.01, 1, source=SUPPRESSION
    )
    keep_proven_win: bool = option(False, "a move that wins cuts all other moves of its node", source=SUPPRESSION)
    keep_playout_win: bool = option(
        False, "if the first random move wins, it becomes the new node's only move", source=SUPPRESSION
    )
    decisive_moves: bool = option(
        False, "a player who can win at once does, in the tree and in simulations", source=CONNECT_FOUR
    )
    anti_decisive_moves: bool = option(
        False, "a player who can't win at once blocks whoever will win before the others can", source=CONNECT_FOUR
    )
    avoid_immediate_loss: bool = option(
        False, "moves after which the next player wins at once are avoided", source=CONNECT_FOUR
    )
    decisive_scope: str = option(
        "everywhere",
        "where decisive_moves, anti_decisive_moves and avoid_immediate_loss hold: everywhere, or in the tree and "
        "not in simulations",
        choices=("everywhere", "tree"),
    )
    threat_search: bool = option(
        False,
        "before the search look for a win by uninterrupted threats to win at once (fours, where five win), and "
        "leave out moves that allow the next player one",
        source=THREATS,
    )
    exact_solver_nodes: int = option(
        0,
        "let the exact solver look at so many positions before the search; if it finds the result of every move, "
        "only those that keep it stay; 0 is off",
        0,
        10**12,
        source=HYBRIDS,
    )
    candidates_only: bool = option(
        False, "new nodes get only the moves that the game thinks worth a look", source=GROUPS
    )
    territory_playouts: int = option(
        0,
        "before the search play so many simulations of each move, and cut those that change whose the points are "
        "much less or more than others; 0 is off",
        0,
        10**6,
        source=GROUPS,
    )
    territory_min_share: float = option(
        0.25, "M: a move's least share of all change, in multiples of an even share", 0, 1000, source=GROUPS
    )
    territory_max_share: float = option(4.0, "N: and its greatest", 0, 1000, source=GROUPS)
    prune_ratio: float = option(
        0.0, "cut children whose mean is below this share of the best one's; 0 is off", 0, 1, source=SUPPRESSION
    )
    prune_after: float = option(0.5, "after this share of the iterations or seconds", 0, 1, source=SUPPRESSION)
    prune_min_visits: int = option(30, "only children with so many visits", 1, 10**9, source=SUPPRESSION)
    expand_after: int = option(
        1, "a move gets replies in the tree after so many visits", 1, 10**9, source="Coulom 2006"
    )
    transpositions: bool = option(
        False, "equal positions share one node, however they are reached", source="Childs et al. 2008"
    )
    max_playout_moves: int = option(
        0, "a simulation that lasts longer than so many moves counts as a draw; 0 is off", 0, 10**6, source=CUT_OFF
    )
    playout_policy: bool = option(False, "simulations follow the game's own policy")
    heuristic_weights: str = option(
        "",
        "weights in what the game knows, which playout_policy, prior_visits and puct use, as 'luozi games go' "
        "lists them: "
        "pattern:0.9+save:1; one alone: heuristic_weights.pattern=0.9",
        parts=True,
    )
    network: str = option(
        "",
        "a network evaluates positions and gives priors for moves, by puct and without playouts; a model of Go "
        "moves gives priors alone: the name of one that comes with Luozi, or a file that 'luozi learn' wrote",
        source=NETWORK,
        names=network_names,
    )
    network_threat_nodes: int = option(
        30,
        "with a network of two players: look for a win by fours at every new position, so many of them tried at "
        "most, and later 20 times as many where the search comes often; 0 is off",
        0,
        10**6,
        source=THREATS,
    )
    fpu_reduction: float = option(
        0.15,
        "with a network: an unvisited move is worth what its position is, less by this times the square root of "
        "the chances of those visited",
        0,
        10,
        source="KataGo: Wu 2019",
    )
    c_growth: float = option(
        0.0,
        "with a network: c grows with the visits N of a position, by this times ln(1 + N / 2000)",
        0,
        10,
        source=PUCT_GROWTH,
    )
    opponent_blunder_rate: float = option(
        0.0,
        "with a network of three and more players: how often others are taken to miss a block that is theirs; 0: "
        "they never do",
        0,
        1,
    )
    dirichlet_fraction: float = option(
        0.0,
        "with a network: the share of chance in the priors of the root, for games to learn from",
        0,
        1,
        source=PUCT_SOURCE,
    )
    gumbel_candidates: int = option(
        0,
        "with a network of any board and a limit in iterations: so many moves are drawn at the root by Gumbel "
        "noise, and sequential halving finds the best of them; 0 is off, 16 is usual",
        0,
        4096,
        source="Danihelka et al. 2022",
    )
    batch_size: int = option(1, "so many leaves are chosen before the first of them is valued", 1, 4096, source=WAITING)
    virtual_loss: int = option(
        1, "so many lost visits stand for a leaf while it waits for its value", 1, 1000, source=WAITING
    )
    threads: int = option(
        1,
        "threads; an answer of more than one in one tree can't be repeated. Not given, 1; where one person or "
        "program waits, and no seed is given, all cores",
        1,
        MOST_THREADS,
        source=LOCK_FREE,
    )
    parallel: str = option(
        "tree",
        "what threads do: tree: all search one tree; root: each searches one of its own, and what the roots say is "
        "added up; leaf: one searches, and all simulate from the same new position",
        choices=("tree", "root", "leaf"),
        source=THREE_WAYS,
    )
    locks: str = option(
        "free",
        "how threads share the tree: free: nobody waits, but with transpositions for who is at the same edge; "
        "node: a lock "
        "for each node; global: one for the tree",
        choices=("free", "node", "global"),
        source=LOCK_FREE,
    )
    counters: str = option(
        "atomic",
        "without locks: atomic: no visit is lost; plain: of two at the same moment one may be, and of many with "
        "more threads than cores",
        choices=("atomic", "plain"),
        source=LOCK_FREE,
    )
    ownership: bool = option(False, "simulations count whose each point of the board was at the end")
    evaluation: str = option(
        "playout",
        "what a new position is worth: playout: what a random game ends with; static: the game's own estimate, "
        "as alphabeta uses it; mix: both, the estimate with the weight static_weight",
        choices=("playout", "static", "mix"),
        source="Lorentz 2008; Winands and Bjornsson 2010",
    )
    static_weight: float = option(0.5, "with evaluation=mix, the weight of the estimate", 0.01, 0.99)
    final: str = option(
        "robust",
        "the move played: robust: the most visited; max: the best mean; margin: the best mean minus the best "
        "opponent's; max_robust: search on until the most visited is the best mean too",
        choices=("robust", "max", "margin", "max_robust"),
        source=ERICA,
    )
    extra_budget: float = option(
        1.0, "with final=max_robust, the most extra search, in multiples of the budget", 0, 100, source=ERICA
    )
    early_stop: bool = option(
        False,
        "stop as soon as no other move can become the most visited one, or when after an eighth of the budget all "
        "moves have the same mean, as where every game is drawn",
        source="Baier and Winands 2016",
    )
    random_move_rate: float = option(
        0.0, "how often any legal move but a pass is played instead, for opponents that are to be beaten", 0, 1
    )
    resign_threshold: float = option(
        0.0, "give a game of two up when the move chosen promised less than this three times in a row; 0: never", 0, 0.5
    )
    reuse_tree: bool = option(True, "keep the tree from move to move")
    self_play_tree: bool = option(
        False, "seats of one game that have the same player share its tree, as in self-play", source=SUPPRESSION
    )
    pool_size: int = option(5_000_000, "room in the node pool, in nodes", 16, 500_000_000)
    max_memory_mb: float = option(0.0, "the most megabytes the node pool may take; 0 is no cap", 0, 10**6)
    seed: int | None = option(None, "the same seed gives the same search; not given, one is drawn", 0, 2**63 - 1)
