"""What the golden tests ask, each under the name of its transcript."""

from __future__ import annotations

PLAIN = "mcts:iterations=20"
KEPT = "mcts:iterations=24,rave=schedule,prove=standard,settle=true"
SHARED = "mcts:iterations=24,share=true,formula=tuned,first_play=1.1,decay=0.99"
CAREFUL = "mcts:iterations=20,take_wins=true,block_wins=true,avoid_gifts=true,pruning=tree,expand_after=2"
ROUGH = "mcts:iterations=24,keep_won=true,keep_lucky=true,keep=false,final=mean,horizon=30,discount=0.98"
GUIDED = "mcts:iterations=20,formula=puct,c=1.0,prior_power=2.0,rewards=plus_minus"
STYLED = "mcts:iterations=24,history=2,ancestor=order,own=0.9,others=0.1,uncertain=0.3,uncertain_visits=3"
LOOKING = "alphabeta:depth=2"
FLAT = "flat:simulations=40"

# Matches of one pair or rotation, uncompiled: game, players, and what else the command is given.
GAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "tictactoe plain": ("tictactoe", (PLAIN, KEPT)),
    "tictactoe options": ("tictactoe", (SHARED, STYLED)),
    "tictactoe strong": ("tictactoe", ("strong:iterations=20", CAREFUL)),
    "tictactoe full width": ("tictactoe", ("minimax:depth=3", FLAT)),
    "tictactoe three": ("tictactoe:players=3,size=4", (PLAIN, KEPT, "mcts:iterations=20,opponents=paranoid")),
    "gomoku plain": ("gomoku:size=6", (PLAIN, CAREFUL)),
    "gomoku strong": ("gomoku:size=6", ("strong:iterations=8", LOOKING)),
    "gomoku options": ("gomoku:size=6,exactly=true", (SHARED, KEPT)),
    "gomoku priors": ("gomoku:size=6", (GUIDED, "mcts:iterations=20,formula=cp,prior=3")),
    "gomoku cells": ("gomoku:size=6,run=4,forbidden=0.0+2.3", (ROUGH, "mcts:iterations=20,fours=true")),
    "connect4 plain": ("connect4", (PLAIN, STYLED)),
    "connect4 strong": ("connect4", ("strong:iterations=8,solve=0", LOOKING)),
    "connect4 options": ("connect4:rows=5,columns=5", (KEPT, SHARED)),
    "connect4 tactics": ("connect4:rows=5,columns=6,forbidden=1.2", (CAREFUL, ROUGH)),
    "five3d plain": ("five3d:size=3,run=3", (PLAIN, SHARED, FLAT)),
    "five3d options": (
        "five3d:size=3,run=3",
        (
            "mcts:iterations=20,opponents=paranoid,prove=paranoid",
            "mcts:iterations=20,prove=first_winner,personality=bold+cautious+balanced",
            "mcts:iterations=20,policy=true",
        ),
    ),
    "qubic plain": ("qubic", (PLAIN, CAREFUL)),
    "qubic options": ("qubic:gravity=true", (KEPT, ROUGH)),
    "qubic priors": ("qubic", (GUIDED, "random")),
    "go plain": ("go:size=3", (PLAIN, KEPT)),
    "go options": (
        "go:size=4,superko=false",
        ("mcts:iterations=4,policy=true,rave=fuego,prior=5", "mcts:iterations=4,share=true"),
    ),
    "go handicap": ("go:size=5,komi=0.5,handicap=2,rules=japanese", ("mcts:iterations=3", "random")),
    "lines plain": ("lines:rows=3,columns=5,run=4", (PLAIN, ROUGH)),
    "lines four players": ("lines:rows=3,columns=4,run=3,players=4", (PLAIN, KEPT, STYLED, "random")),
    "othello plain": ("othello:size=4", (PLAIN, KEPT)),
    "othello options": ("othello:size=6", ("mcts:iterations=4,evaluation=mix,mix=0.3", "mcts:iterations=4,share=true")),
    "othello looking ahead": ("othello", (LOOKING, "random")),
    "hex plain": ("hex:size=4", (PLAIN, "mcts:iterations=20,rave=fuego,c=0.0")),
    "hex swap": ("hex:size=4,swap=true", (KEPT, STYLED)),
    "hex strong": ("hex:size=3", ("strong:iterations=20", "exact:limit=100000,table=1")),
    "y plain": ("y:size=4", (PLAIN, SHARED)),
    "y options": ("y:size=4", ("mcts:iterations=20,rave=least_error,c=0.0", ROUGH)),
    "breakthrough plain": ("breakthrough:rows=5,columns=4", (PLAIN, KEPT)),
    "breakthrough strong": ("breakthrough:rows=5,columns=4", ("strong:iterations=20", LOOKING)),
    "breakthrough options": (
        "breakthrough:rows=5,columns=4",
        ("mcts:iterations=20,evaluation=static,settle=true", STYLED),
    ),
    "amazons plain": ("amazons:size=4", (PLAIN, SHARED)),
    "amazons looking ahead": ("amazons:size=4", ("alphabeta:depth=1", PLAIN)),
    "nim plain": ("nim:heaps=1.2.3", (PLAIN, KEPT, SHARED)),
    "nim two": ("nim:heaps=2.3,players=2,misere=false", (PLAIN, "exact:table=1")),
    "custom": ("heap.py", (PLAIN, FLAT)),
    "custom with parameters": ("heap.py:heap=7", (KEPT, "mcts:iterations=20,mistakes=0.3,resign=0.1")),
}

# `luozi think GAME ... --seed 5 --json`, uncompiled.
THOUGHTS: dict[str, tuple[str, ...]] = {
    "tictactoe": ("tictactoe", "--player", "mcts:iterations=200"),
    "tictactoe solved": ("tictactoe", "--player", "mcts:iterations=400,prove=standard", "--moves", "b2 a1 c3"),
    "gomoku": ("gomoku:size=8", "--player", "mcts:iterations=40", "--moves", "d4 e5"),
    "gomoku network": ("gomoku:size=8", "--player", "strong:iterations=12", "--moves", "d4 e5 d5"),
    "gomoku fours": ("gomoku:size=8", "--player", CAREFUL + ",fours=true", "--moves", "d4 a1 e4 a3 f4 h8"),
    "connect4": ("connect4", "--player", KEPT, "--moves", "4 4 3"),
    "connect4 positions": ("connect4", "--player", "alphabeta:depth=3,seed=1", "--moves", "4 4 3"),
    "five3d": ("five3d:size=4,run=4", "--player", "mcts:iterations=60,prove=first_winner"),
    "go": ("go:size=5", "--player", "mcts:iterations=20,ownership=true", "--moves", "C3 B3"),
    "go knowledge": ("go:size=5", "--player", "strong:iterations=12", "--moves", "C3 B3"),
    "othello": ("othello", "--player", "mcts:iterations=12,rave=fuego", "--moves", "f5 d6"),
    "othello static": ("othello", "--player", "mcts:iterations=20,evaluation=static"),
    "hex": ("hex:size=5", "--player", STYLED),
    "breakthrough": ("breakthrough:rows=5,columns=4", "--player", SHARED),
    "nim": ("nim", "--player", ROUGH),
    "custom": ("heap.py:heap=9", "--player", PLAIN),
}

# Compiled, in games that other tests compile too.
COMPILED_THOUGHTS: dict[str, tuple[str, ...]] = {
    "gomoku compiled": ("gomoku:size=9", "--player", "mcts:iterations=3000", "--moves", "e5 e6"),
    "tictactoe compiled": ("tictactoe", "--player", "mcts:iterations=3000"),
}
LONG_THOUGHTS: dict[str, tuple[str, ...]] = {
    f"{game} {name}": (game, "--player", player)
    for game in ("gomoku", "connect4", "five3d", "qubic", "go:size=9", "othello", "hex", "y", "breakthrough", "nim")
    for name, player in (
        ("plain", "mcts:iterations=2000"),
        ("options", "mcts:iterations=2000,rave=schedule,prove=standard,history=1,take_wins=true"),
    )
}
LONG_GAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "gomoku compiled": ("gomoku:size=9", ("mcts:iterations=500", "mcts:iterations=500,c=1.0")),
    "gomoku strong compiled": ("gomoku:size=9", ("strong:iterations=200", "alphabeta:depth=2")),
    "connect4 strong compiled": ("connect4", ("strong:iterations=200", "mcts:iterations=1000")),
    "go compiled": ("go:size=7", ("strong:iterations=200", "mcts:iterations=200")),
    "othello compiled": ("othello", ("mcts:iterations=200", "mcts:iterations=200,rave=fuego")),
    "five3d compiled": ("five3d", ("strong:iterations=200", "mcts:iterations=200", "flat:simulations=500")),
}

# What a controller writes; answers that are sentences are left out.
GTP = """
boardsize 5
komi 3.5
play b C3
genmove w
genmove b
undo
undo
genmove w
play b B2
play b D4
genmove w
get_komi
komi 0.5
genmove b
play w C3
play w Z9
clear_board
fixed_handicap 2
genmove w
clear_board
set_position b A1 b B1 w A2 w C2
genmove b
reg_genmove w
printsgf {folder}/printed.sgf
loadsgf {folder}/game.sgf
genmove b
loadsgf {folder}/game.sgf 3
genmove w
undo
undo
genmove b
play b pass
play w pass
final_score
final_status_list alive
play b A1
genmove w
boardsize 4
genmove b
kata-get-rules
kata-set-rules japanese
genmove w
nonsense
7 name
quit
"""
SGF = "(;GM[1]FF[4]SZ[5]KM[1.5]PB[Ada]PW[Bob];B[cc];W[bc];B[bd];W[cb])"
# Only plain UCT: other searches would be compiled by another process, and begin to answer when that is done.
BY_LINES = {"plain": "mcts:iterations=20,seed=3", "forgetful": "mcts:iterations=20,c=1.1,keep=false,final=mean,seed=4"}

# Lines that begin with a dash get no answer.
GOMOCUP = """
START 7
-INFO timeout_turn 600000
BEGIN
TURN 3,4
TURN 1,1
TAKEBACK 1,1
TURN 5,5
RESTART
-BOARD
-2,2,1
-3,3,2
-2,3,1
-3,4,2
DONE
TURN 0,0
START 8
TURN 2,3
-SWAP2BOARD
DONE
-INFO rule 1
-BOARD
-4,4,2
DONE
START 6
-INFO game_type 1
-INFO rule 2
-BOARD
-1,1,1
-2,2,2
-1,2,1
-2,3,1
DONE
TURN 9,9
RECTSTART 8,6
BEGIN
TURN 1,2
PLAY 5,5
NONSENSE
-END
"""

COURSE = """
new 9 10 3 4 first
go
-move 8 5
go
-move 8 0
-move 8 1
go
move 1 9
new 8 1 3 0 second
-move 7 0
go
new 6 7 -1 -1 first
go
-quit
"""

# A game on the page between two persons: messages with their values; `id` is added.
PAGES: dict[str, tuple[dict[str, object], ...]] = {
    name: (
        {"type": "new", "game": game, "seats": [{"kind": "person"}, {"kind": "person"}]},
        *({"type": "play", "text": move} for move in moves),
        {"type": "undo", "moves": 1},
        {"type": "goto", "move": 1},
        {"type": "play", "text": "no such move"},
    )
    for name, game, moves in (
        ("gomoku", "gomoku", ("h8", "g8", "h9", "g9")),
        ("go", "go:size=9", ("E5", "D5", "pass", "E4")),
        ("othello", "othello", ("f5", "d6", "c3", "d3")),
    )
}

# Matches whose first half was played by commit 4b809c4: `transcripts/NAME.db`.
HALVES: dict[str, tuple[str, ...]] = {
    "custom": ("heap.py:heap=9", "mcts:iterations=12,prove=standard", "random"),
    "spellings": (
        "connect4:rows=4,columns=5,run=3",
        "mcts:iterations=12,formula=tuned,first_play=1.2,rave=least_error,share=false,keep_won=true,settle=true,pool=5000",
        "mcts:iterations=12,take_wins=true,block_wins=true,pruning=tree,ancestor=order,history=1.0,final=mean",
    ),
    "full table": ("tictactoe", "flat:simulations=12", "exact:table=1"),
}
HALF, WHOLE = 4, 8  # games

# Ids of contests: tic-tac-toe from openings of seven moves is soon over, whoever plays.
NAMED = (
    PLAIN, KEPT, SHARED, CAREFUL, ROUGH, STYLED, LOOKING, FLAT,
    "random", "minimax", "exact", "level:number=3", "strong", "strong:seconds=1", "mcts", "mcts:c=0.50,iterations=9",
)  # fmt: skip
