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

    iterations: int = option(0, "Stop after this number of iterations; 0 means no limit.", 0, 10**15, source=BUDGET)
    seconds: float = option(0.0, "Stop after this number of seconds; 0 means no limit.", 0, 10**6, source=BUDGET)
    nodes: int = option(0, "Stop when the tree holds this number of nodes; 0 means no limit.", 0, 10**10, source=BUDGET)
    selection: str = option(
        "uct",
        "Selection policy: the score of a child with n of its parent's N visits and w wins, as listed below.",
        choices=tuple(FORMULAS),
        source=UCB,
    )
    c: float | None = option(
        None,
        "Exploration constant of the selection policy. Default: that of the policy. Raise it when the search "
        "overlooks good moves.",
        0,
        100,
        source=UCB,
    )
    rewards: str = option(
        "zero_one",
        "Scale of results. zero_one: win 1, draw 0.5, loss 0. plus_minus: 1, 0 and -1; this halves the weight of c.",
        choices=("zero_one", "plus_minus"),
        source="Browne et al. 2012",
    )
    own_weight: float = option(
        1.0, "Weight A of the mover's own mean value in the selection score.", 0, 100, source=SUPPRESSION
    )
    opponent_weight: float = option(
        0.0, "Weight B of 1 minus the best other player's mean value.", 0, 100, source=SUPPRESSION
    )
    playing_style: str = option(
        "",
        "own_weight and opponent_weight by name: bold, balanced or cautious. Join the names of several seats by +: "
        "bold+cautious.",
        source=SUPPRESSION,
        names=playing_style_names,
        joined=True,
    )
    fpu: float | None = option(
        None,
        "First-play urgency: the score of an unvisited move, or its mean value with puct. Default: unvisited moves "
        "first; 0 with puct.",
        -10,
        math.inf,
        source=FPU,
    )
    rave: str = option(
        "none",
        "AMAF statistics of moves played later. fuego: weighted by visits, at most rave_weight. hand_selected: weight"
        " sqrt(w / (3 N + w)). min_mse: minimum squared error with bias b, where rave_weight is 1 / (4 b^2). "
        "Exploration becomes k sqrt(ln N / (n + 1)).",
        choices=RAVES,
        source=RAVE,
    )
    rave_weight: float = option(1000.0, "Visits that AMAF statistics count for; w above.", 0.001, 10**9, source=RAVE)
    rave_prior_visits: float = option(
        0.0, "AMAF visits that the game's prior of a move counts for.", 0, 10**6, source=RAVE
    )
    grandfather: str = option(
        "none",
        "Grandfather heuristic: the value of the same move at the nearest position above with the same player to "
        "move. order: sort unvisited moves by it. start: count it as grandfather_visits visits.",
        choices=ANCESTORS,
        source=FPU,
    )
    grandfather_visits: float = option(
        10.0, "Visits that the grandfather value of a move counts for.", 0.001, 10**6, source=FPU
    )
    prior_visits: float = option(
        0.0, "Visits that the game's prior of a move counts for; 0 turns priors off.", 0, 10**6, source=RAVE
    )
    prior_power: float = option(
        1.0,
        "Power of the prior: P of puct is the game's prior to this power. Larger values search fewer moves.",
        0,
        100,
        source=PUCT_SOURCE,
    )
    progressive_history: float = option(
        0.0,
        "Progressive history: weight W of a move's mean result anywhere in the search; 0 turns it off.",
        0,
        10**6,
        source=MANY_PLAYERS,
    )
    opponent_model: str = option(
        "max_n",
        "max_n: every player maximises its own result. paranoid: all others minimise the result of the player who "
        "searches.",
        choices=("max_n", "paranoid"),
        source=MANY_PLAYERS,
    )
    mcts_solver: str = option(
        "none",
        "MCTS-Solver: back up proven values. If the best moves differ for other players only, standard proves "
        "nothing, paranoid takes the worst for the player who searches, first_winner the best for the next player.",
        choices=PROOFS,
        source=MANY_PLAYERS,
    )
    backup_discount: float = option(
        1.0,
        "Discount for each ply up the tree: h plies above the leaf, result x becomes 0.5 + discount^h (x - 0.5).",
        0.01,
        1,
        source=CONNECT_FOUR,
    )
    playout_discount: float = option(
        1.0,
        "Discount for each playout move: after m moves the result is multiplied by discount^m.",
        0.01,
        1,
        source=SUPPRESSION,
    )
    keep_proven_win: bool = option(False, "A move that wins prunes all other moves of its node.", source=SUPPRESSION)
    keep_playout_win: bool = option(
        False, "If the first playout move wins, it becomes the only move of the new node.", source=SUPPRESSION
    )
    decisive_moves: bool = option(
        False,
        "A player who can win at once does, in the tree and in playouts (decisive moves: Teytaud and Teytaud 2010).",
        source=CONNECT_FOUR,
    )
    anti_decisive_moves: bool = option(
        False, "A player who can't win at once blocks the player who could win next.", source=CONNECT_FOUR
    )
    avoid_immediate_loss: bool = option(
        False, "Prune moves after which the next player wins at once.", source=CONNECT_FOUR
    )
    decisive_scope: str = option(
        "everywhere",
        "Where decisive_moves, anti_decisive_moves and avoid_immediate_loss apply: everywhere, or in the tree only.",
        choices=("everywhere", "tree"),
    )
    threat_search: bool = option(
        False,
        "Threat-space search before the search: play a win by continuous threats, and prune root moves that allow the"
        " next player one.",
        source=THREATS,
    )
    exact_solver_nodes: int = option(
        0,
        "Positions that the exact solver may search first; 0 turns it off. If it solves every root move, only the "
        "best remain.",
        0,
        10**12,
        source=HYBRIDS,
    )
    candidates_only: bool = option(False, "Give new nodes only the game's candidate moves.", source=GROUPS)
    territory_playouts: int = option(
        0,
        "Playouts of each root move for territory pruning; 0 turns it off. Moves that change the ownership of the "
        "board much less or more than others are pruned.",
        0,
        10**6,
        source=GROUPS,
    )
    territory_min_share: float = option(
        0.25,
        "Least share M of all change that a move must have, in multiples of an even share.",
        0,
        1000,
        source=GROUPS,
    )
    territory_max_share: float = option(
        4.0,
        "Greatest share N of all change that a move may have, in multiples of an even share.",
        0,
        1000,
        source=GROUPS,
    )
    prune_ratio: float = option(
        0.0,
        "Prune children with a mean value below this share of the best child's; 0 turns it off.",
        0,
        1,
        source=SUPPRESSION,
    )
    prune_after: float = option(
        0.5, "Share of the iterations or seconds after which prune_ratio applies.", 0, 1, source=SUPPRESSION
    )
    prune_min_visits: int = option(30, "Visits that a child must have for prune_ratio.", 1, 10**9, source=SUPPRESSION)
    expand_after: int = option(
        1, "Expansion threshold: visits of a move before its replies enter the tree.", 1, 10**9, source="Coulom 2006"
    )
    transpositions: bool = option(
        False, "Equal positions share one node, however they arise.", source="Childs et al. 2008"
    )
    max_playout_moves: int = option(
        0,
        "Playout length limit, in moves: a longer playout counts as a draw; 0 means no limit.",
        0,
        10**6,
        source=CUT_OFF,
    )
    playout_policy: bool = option(False, "Playouts follow the game's playout policy.")
    heuristic_weights: str = option(
        "",
        "Weights of the game's heuristics for playout_policy, prior_visits and puct: pattern:0.9+save:1, or one "
        "alone: heuristic_weights.pattern=0.9. 'luozi games go' lists them.",
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
        "With a network of two players: threats that the threat-space search tries at each new position, and 20 times"
        " as many at positions with many visits; 0 turns it off.",
        0,
        10**6,
        source=THREATS,
    )
    network_vct_nodes: int = option(
        0,
        "With a network of two players: positions that the search for a win by threes and fours (VCT) looks at, for"
        " each position with 30 visits; four times as many at 120 visits, and so on. Not with gravity. 0 turns it off.",
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
        "With a network: growth of c with the visits N of a position, as c (1 + c_growth ln(1 + N / 2000)).",
        0,
        10,
        source=PUCT_GROWTH,
    )
    opponent_blunder_rate: float = option(
        0.0,
        "With a network of three or more players: probability that an opponent misses a block.",
        0,
        1,
    )
    dirichlet_fraction: float = option(
        0.0,
        "With a network: share of Dirichlet noise in the priors of the root, for self-play.",
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
    batch_size: int = option(1, "Leaves selected before the first of them is evaluated.", 1, 4096, source=WAITING)
    virtual_loss: int = option(
        1, "Virtual loss: lost visits that a leaf counts for while it waits for its value.", 1, 1000, source=WAITING
    )
    threads: int = option(
        1,
        "Threads. A seed can't repeat a search of several threads in one tree. Default: 1, or all cores where one "
        "person or program waits and no seed is given.",
        1,
        MOST_THREADS,
        source=LOCK_FREE,
    )
    parallel: str = option(
        "tree",
        "Parallelization. tree: all threads search one tree. root: each searches its own tree, and the roots are "
        "added up. leaf: one thread searches, and all play a playout from its leaf.",
        choices=("tree", "root", "leaf"),
        source=THREE_WAYS,
    )
    locks: str = option(
        "free",
        "How threads share the tree. free: without locks, except edges with transpositions. node: a lock for each "
        "node. global: one lock for the tree.",
        choices=("free", "node", "global"),
        source=LOCK_FREE,
    )
    counters: str = option(
        "atomic",
        "Counters without locks. atomic: exact. plain: of two visits at the same moment one may be lost, and many "
        "with more threads than cores.",
        choices=("atomic", "plain"),
        source=LOCK_FREE,
    )
    ownership: bool = option(False, "Playouts count the owner of each point at the end.")
    evaluation: str = option(
        "playout",
        "Value of a new position. playout: the result of a playout. static: the game's static evaluation, as "
        "alphabeta uses it. mix: both, with static_weight.",
        choices=("playout", "static", "mix"),
        source="Lorentz 2008; Winands and Bjornsson 2010",
    )
    static_weight: float = option(0.5, "Weight of the static evaluation with evaluation=mix.", 0.01, 0.99)
    final: str = option(
        "robust",
        "Final move selection. robust: most visits. max: best mean value. margin: best mean minus the best "
        "opponent's. max_robust: search on until the most visited move has the best mean too.",
        choices=("robust", "max", "margin", "max_robust"),
        source=ERICA,
    )
    extra_budget: float = option(
        1.0, "Most extra search with final=max_robust, in multiples of the limits.", 0, 100, source=ERICA
    )
    early_stop: bool = option(
        False,
        "Stop early if no other move can become the most visited one. Also stop after 1/8 of the limits if all moves "
        "have the same mean.",
        source="Baier and Winands 2016",
    )
    random_move_rate: float = option(
        0.0, "Probability of playing any legal move but a pass instead, for weaker opponents.", 0, 1
    )
    resign_threshold: float = option(
        0.0,
        "Resign a game of two when the chosen move's win rate is below this three times running; 0 means never.",
        0,
        0.5,
    )
    reuse_tree: bool = option(True, "Keep the tree from move to move.")
    self_play_tree: bool = option(
        False, "Seats of one game with the same player share its tree, as in self-play.", source=SUPPRESSION
    )
    pool_size: int = option(5_000_000, "Size of the node pool, in nodes.", 16, 500_000_000)
    max_memory_mb: float = option(0.0, "Most memory of the node pool, in MB; 0 means no limit.", 0, 10**6)
    seed: int | None = option(
        None, "Seed of random numbers: the same seed repeats the search. Default: drawn at random.", 0, 2**63 - 1
    )
