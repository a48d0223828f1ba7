"""Plain classes as native code: what compiled rules can use, what they mean, and when they are compiled again."""

from __future__ import annotations

import importlib.util
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from numba.core.codegen import JITCodeLibrary

import luozi
from luozi.compiled import apart, inline, kernel
from luozi.compiled.cache import cached_kernels
from luozi.compiled.digest import digest_of
from luozi.compiled.explaining import compile_errors, explain_exception
from luozi.compiled.object_type import Compilable, PlainArray
from luozi.compiled.references import by_reference

LIMIT = 7
PAIR = (3, 4)
WEIGHTS = np.array([1, 2, 4])


def doubled(number):
    return 2 * tripled(number)


def tripled(number):
    return 3 * number


def factorial(number):
    if number < 2:
        return 1
    return number * factorial(number - 1)


def is_even(number):
    return number == 0 or is_odd(number - 1)


def is_odd(number):
    return number != 0 and is_even(number - 1)


@luozi.inline
def marked(number):
    return number + LIMIT


@kernel
def ask(thing, record, number):
    return thing.answer(record[0], number)


def states(*fields):
    return np.zeros(1, np.dtype(list(fields), align=True)).view(np.recarray)


RECORD = states(("board", "u1", 4), ("total", "i4"))


class Thing(Compilable):
    """One of everything that compiled rules can use."""

    scale = 3
    share = 0.25
    strict = True
    steps = (1, 10, 100)

    def __init__(self, offset=5):
        self.offset = offset
        self.table = np.array([[1, 2], [3, 4]], np.int8)
        self.names = ["not", "compiled"]
        self.small = np.int16(300)

    def weighted(self, first, second, third=1):
        return first * WEIGHTS[0] + second * WEIGHTS[1] + third * WEIGHTS[2]

    def answer(self, state, number):
        total = self.scale * number + self.offset + self.table[1, 1] + self.small + LIMIT + PAIR[1]
        for step in self.steps:
            total += step
        if self.strict:
            total += self.weighted(number, 2) + self.weighted(1, 2, 3)
        total += doubled(number) + marked(number)
        state.total = total
        return total + self.share


class Heir(Thing):
    """Inherits attributes and methods, and replaces one of each."""

    scale = 1000

    def weighted(self, first, second, third=1):
        return 0


@pytest.mark.parametrize("thing", [Thing(), Thing(offset=-1), Heir()])
def test_compiled_rules_use_attributes_tables_tuples_globals_and_helpers(thing):
    compiled, plain = RECORD.copy(), RECORD.copy()
    assert ask(thing, compiled, 4) == ask.py_func(thing, plain, 4)
    assert compiled.total[0] == plain.total[0] != 0


def test_objects_of_one_class_share_their_code():
    before = len(ask.overloads)
    for offset in range(10, 15):
        assert ask(Thing(offset), RECORD.copy(), 1) == Thing(offset).answer(RECORD.copy()[0], 1)
    assert len(ask.overloads) <= before + 1


def named_counter(step):
    class Counter(Compilable):
        def answer(self, state, number):
            return number + step

    return Counter()


def test_two_classes_of_the_same_name_do_not_meet():
    assert [ask(named_counter(step), RECORD, 1) for step in (1, 20, 1)] == [2, 21, 2]


def test_helpers_of_another_module(tmp_path, monkeypatch):
    (tmp_path / "my_helpers.py").write_text(
        "SCALE = 5\n\ndef scaled(x):\n    return inner(x) * SCALE\n\ndef inner(x):\n    return x + 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import my_helpers

    class Uses(Compilable):
        def answer(self, state, number):
            return my_helpers.scaled(number) + my_helpers.SCALE

    assert ask(Uses(), RECORD, 3) == 25


def test_arithmetic_is_the_same_uncompiled():
    class Sums(Compilable):
        def answer(self, state, number):
            state.board[0] = 200
            return state.board[0] + state.board[0] + self.bytes[0] * 2 + (self.bytes[0] - 255)

    sums = Sums()
    sums.bytes = np.array([250, 3], np.uint8)
    assert isinstance(sums.bytes, PlainArray)
    record = np.zeros(1, np.dtype((luozi.State, [("board", "u1", 4)])))  # as of a game
    assert ask(sums, record.copy(), 0) == sums.answer(record[0], 0) == 895


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "i8", "u8", "f4"])
def test_elements_of_plain_arrays_are_pythons_numbers(dtype):
    array = np.array([[100, 2], [3, 4]], dtype).view(PlainArray)
    assert type(array[0, 0]) in (int, float)
    assert array[0, 0] * array[0, 0] == 10_000
    assert [type(item) for item in array[0]] == [type(array[0, 0])] * 2


def test_checked_objects_report_an_index_out_of_bounds():
    class Reads(Compilable):
        def answer(self, state, number):
            return picked(state.board, number)

    reads = Reads()
    reads.checked = True
    assert ask(reads, RECORD, 3) == 0
    with pytest.raises(IndexError):
        ask(reads, RECORD, 4)


def picked(board, number):
    return board[number]


# Digests -----------------------------------------------------------------------------------------------------------

SOURCE = """
CONSTANT = 3

def helper(x):
    return x + CONSTANT

def make(step):
    def closure(x):
        return x + step
    return closure

closure = make(4)

class Counter:
    def answer(self, number):
        return helper(number) + closure(number)
"""


def digest_of_source(source, name="changing"):
    module = {"__name__": name}
    exec(compile(source, f"{name}.py", "exec"), module)
    return digest_of(module["Counter"].answer)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x + CONSTANT", "x - CONSTANT"),
        ("CONSTANT = 3", "CONSTANT = 4"),
        ("make(4)", "make(5)"),
        ("x + step", "x * step"),
        ("helper(number) +", "helper(number) -"),
    ],
)
def test_a_change_that_matters_changes_the_digest(old, new):
    assert old in SOURCE
    assert digest_of_source(SOURCE) != digest_of_source(SOURCE.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [("CONSTANT = 3", "# a comment\n\nCONSTANT = 3"), ("    return x + step", "    # why\n        return x + step")],
)
def test_comments_and_line_numbers_do_not(old, new):
    assert old in SOURCE
    assert digest_of_source(SOURCE) == digest_of_source(SOURCE.replace(old, new))


def test_a_helper_in_another_module_counts(tmp_path):
    def digest(text):
        path = tmp_path / "other_helper.py"
        path.write_text(text)
        spec = importlib.util.spec_from_file_location("other_helper", path)
        sys.modules["other_helper"] = module = importlib.util.module_from_spec(spec)
        exec(compile(text, str(path), "exec"), vars(module))
        return digest_of_source(
            "import other_helper\n\nclass Counter:\n    def answer(self, number):\n"
            "        return other_helper.step(number)\n"
        )

    assert digest("def step(x): return x + 1") != digest("def step(x): return x + 2")
    assert digest("def step(x): return x + 1") == digest("# again\ndef step(x): return x + 1")


# Explanations ------------------------------------------------------------------------------------------------------


TABLE = {1: 2}
NUMBERS = [1, 2]


def missing_field(self, state, number):
    return state.bord[0]


def makes_an_array(self, state, number):
    return np.zeros(3)[0]


def makes_a_list(self, state, number):
    seen = []
    seen.append(number)
    return len(seen)


def makes_a_dict(self, state, number):
    seen = {}
    seen[number] = 1
    return len(seen)


def makes_text(self, state, number):
    return f"{number}" == "1"


def uses_a_generator(self, state, number):
    return any(stone == 1 for stone in state.board)


def uses_a_global_dict(self, state, number):
    return TABLE[number]


def uses_a_global_list(self, state, number):
    return NUMBERS[number]


def tries(self, state, number):
    try:
        return 1 // number
    except ZeroDivisionError:
        return 0


def mixes(self, state, number):
    best = 1
    if number:
        best = state.board
    return best == 1


def reads_a_list(self, state, number):
    return len(self.words)


def reads_nothing(self, state, number):
    return self.widht


def sets_self(self, state, number):
    self.width = number
    return 1


def calls_with_too_few(self, state, number):
    return picked(state.board)


def calls_the_unknown(self, state, number):
    return not_there(number)  # noqa: F821


def calls_super(self, state, number):
    return super().answer(state, number)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (missing_field, "state has no field 'bord'; did you mean 'board'?: `return state.bord[0]`"),
        (makes_an_array, "compiled rules can't make a new array; use a field of the state, or a table"),
        (makes_a_list, "compiled rules can't make a list"),
        (makes_a_dict, "compiled rules can't make a dict"),
        (makes_text, "compiled rules can't work with text"),
        (uses_a_generator, "a generator expression can't be compiled; write the loop out"),
        (uses_a_global_dict, "the global TABLE is a dict; make it"),
        (uses_a_global_list, "the global NUMBERS is a list; make it a tuple"),
        (tries, "try can't be compiled"),
        (mixes, "'best' is a whole number here and an array there; make it one kind everywhere"),
        (reads_a_list, "self.words is a list; compiled rules read numbers"),
        (reads_nothing, "self has no attribute 'widht'; did you mean 'width'?"),
        (sets_self, "a rule can't change self.width; keep what changes during a game in a field of the state"),
        (calls_with_too_few, "picked is called with another number of arguments than picked(board, number)"),
        (calls_the_unknown, "the name 'not_there' is not defined"),
        (calls_super, "super() can't be compiled"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_failed_compilation_is_one_sentence_about_the_line(answer, words):
    thing = type("Wrong", (Compilable,), {"answer": answer, "state": [("board", "u1", 4), ("total", "i4")]})()
    thing.width, thing.words = 4, ["a"]
    with pytest.raises(luozi.LuoziError) as caught, compile_errors(thing):
        ask(thing, RECORD.copy(), 1)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.startswith("test_compiled.py, line ")
    assert f", in {answer.__name__}: " in sentence
    assert words in sentence


def size(board):
    return board.size + 1  # the attribute, not the function


def test_an_attribute_with_the_name_of_a_function_is_no_recursion():
    class Sizes(Compilable):
        def answer(self, state, number):
            return size(state.board) + number

    assert ask(Sizes(), RECORD, 4) == 9


@pytest.mark.parametrize("function", [factorial, is_even])
def test_functions_that_call_themselves_are_refused(function):
    class Calls(Compilable):
        def answer(self, state, number):
            return function(number)

    with pytest.raises(luozi.LuoziError, match=f"in {function.__name__}: a function that calls itself"):
        ask(Calls(), RECORD, 4)


def test_methods_that_call_themselves_are_refused():
    class Calls(Compilable):
        def answer(self, state, number):
            return 0 if number == 0 else self.answer(state, number - 1)

    with pytest.raises(luozi.LuoziError, match="in answer: a method that calls itself"), compile_errors(Calls()):
        ask(Calls(), RECORD, 4)


def test_an_exception_of_a_compiled_rule():
    class Raises(Compilable):
        def answer(self, state, number):
            raise ValueError("no such number")

    with (
        pytest.raises(luozi.LuoziError, match=r"test_compiled.py, line \d+, in answer: ValueError: no such number"),
        compile_errors(Raises()),
    ):
        ask(Raises(), RECORD, 1)


def test_an_exception_of_an_uncompiled_rule():
    class Divides(Compilable):
        def answer(self, state, number):
            return 1 // number

    try:
        Divides().answer(None, 0)
    except ZeroDivisionError as error:
        sentence = explain_exception(error, Divides())
    assert sentence.startswith("test_compiled.py, line ")
    assert sentence.endswith("in answer: ZeroDivisionError: integer division or modulo by zero: `return 1 // number`")


# Linking --------------------------------------------------------------------------------------------------------------


@inline
def piece(number):
    return 3 * number


@apart
def piece_and_one(number):
    return piece(number) + 1


@kernel
def whole_twice(number):
    return piece_and_one(piece_and_one(number))


def test_only_kernels_become_machine_code_of_their_own(monkeypatch):
    made = []
    specific = JITCodeLibrary._finalize_specific
    monkeypatch.setattr(JITCodeLibrary, "_finalize_specific", lambda self: (made.append(self), specific(self)))
    for name in [entry.path for entry in cached_kernels() if entry.kernel.startswith("whole_twice")]:
        name.unlink()
    assert whole_twice(5) == 3 * (3 * 5 + 1) + 1
    assert "whole_twice" in {library.name for library in made}
    assert not {"piece", "piece_and_one"} & {library.name for library in made}


def test_other_compiled_code_may_call_what_kernels_are_made_of():
    @njit
    def outside(number):
        return piece_and_one(number) + piece(number)

    assert outside(5) == 31


def test_whoever_calls_is_linked_before_what_it_calls():
    """The linker takes over only what was asked for by then; a library may be called by some that come much later."""
    from luozi.compiled.linking import LinkedFunction, pieces_of

    def piece(*called):
        made = LinkedFunction.__new__(LinkedFunction)
        made._linking_libraries = list(called)
        return made

    last = piece()
    middle = piece(last)
    early, late = piece(last), piece(middle, last)
    whole = piece(last, early, late)
    order = pieces_of(whole)
    assert len(order) == 4
    for caller in order:
        assert all(order.index(caller) < order.index(called) for called in caller._linking_libraries)


class Inner(Compilable):
    def __init__(self, weight):
        self.weight, self.table = weight, np.arange(4)

    def weigh(self, number):
        return self.weight * number + self.table[number % 4]


class Outer(Compilable):
    def __init__(self, weight):
        self.inner, self.offset = Inner(weight), 100

    def answer(self, pair, number):
        return self.inner.weigh(number) + self.offset + pair.many[0] + pair.inner.weigh(1)


class Pair(NamedTuple):
    inner: Inner
    many: np.ndarray


@apart
def far_away(thing, pair, number):
    pair.many[0] += 1
    return thing.answer(pair, number)


@kernel
def ask_by_address(thing, pair, number):
    thing, pair = by_reference(thing), by_reference(pair)
    total = 0
    for _ in range(number):
        total += far_away(thing, pair, number)
    return total


def test_what_is_handed_on_by_its_address_is_read_as_if_it_were_there_whole():
    compiled, plain = Pair(Inner(5), np.array([7])), Pair(Inner(5), np.array([7]))
    assert (
        ask_by_address(Outer(3), compiled, 4) == ask_by_address.py_func(Outer(3), plain, 4) == 4 * (12 + 100 + 6) + 38
    )
    assert compiled.many[0] == plain.many[0] == 11


def test_a_function_apart_stays_a_function_and_a_reference_one_argument(monkeypatch, tmp_path):
    monkeypatch.setenv("LUOZI_CACHE", str(tmp_path))  # what was kept has no code to read
    ask = kernel(ask_by_address.py_func)
    ask(Outer(3), Pair(Inner(5), np.array([7])), 4)
    (compiled,) = ask.overloads.values()
    lines = str(compiled.library._final_module).splitlines()
    (definition,) = (line for line in lines if line.startswith("define") and "far_away" in line)
    assert sum(part.startswith("ptr") for part in definition.split("(", 1)[1].split(", ")) <= 4  # two are Numba's own
