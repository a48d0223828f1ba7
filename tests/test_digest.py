"""The digest tells all code apart that compiles to something else."""

from __future__ import annotations

import itertools
import sys
import types

import pytest

from luozi.compiled.digest import digest_of


def rule(source: str, **scope):
    """A function `rule` out of source text."""
    scope["__name__"] = "own"
    exec(source, scope)
    return scope["rule"]


def module(name: str, **members):
    made = types.ModuleType(name)
    vars(made).update(members)
    return made


def nested(weight):
    return module("pk", sub=module("pk.sub", W=weight))


BODY = "def rule(x):\n    return x + {}\n"
PAIRS = {
    "a constant": [(BODY.format("A"), {"A": 1}), (BODY.format("A"), {"A": 2})],
    "the kind of a constant": [
        (BODY.format("A"), {"A": 1}),
        (BODY.format("A"), {"A": 1.0}),
        (BODY.format("A"), {"A": True}),
    ],
    "aliases": [
        ("A = (1, 2); B = (3, 4); C = A\n" + BODY.format("A[0] + B[0] + C[0]"), {}),
        ("A = (1, 2); B = (3, 4); C = B\n" + BODY.format("A[0] + B[0] + C[0]"), {}),
    ],
    "aliases of functions": [
        ("def f(): return 1\ndef g(): return 2\nh = f\n" + BODY.format("f() + g() + h()"), {}),
        ("def f(): return 1\ndef g(): return 2\nh = g\n" + BODY.format("f() + g() + h()"), {}),
    ],
    "an enum": [
        ("from enum import Enum\nclass P(Enum):\n    A = 3\n" + BODY.format("P.A.value"), {}),
        ("from enum import Enum\nclass P(Enum):\n    A = 4\n" + BODY.format("P.A.value"), {}),
    ],
    "a module in a module": [
        (BODY.format("pk.sub.W"), {"pk": nested(3)}),
        (BODY.format("pk.sub.W"), {"pk": nested(4)}),
    ],
    "a function of a library": [
        ("import math\nf = math.floor\n" + BODY.format("f(x)"), {}),
        ("import math\nf = math.ceil\n" + BODY.format("f(x)"), {}),
        ("import numpy\nf = numpy.floor\n" + BODY.format("f(x)"), {}),
        ("import numpy\nf = numpy.ceil\n" + BODY.format("f(x)"), {}),
    ],
    "a keyword's default": [
        ("def f(*, s=1): return s\n" + BODY.format("f()"), {}),
        ("def f(*, s=2): return s\n" + BODY.format("f()"), {}),
    ],
    "an object nobody knows": [(BODY.format("A"), {"A": object()}), (BODY.format("A"), {"A": object()})],
    "a class's constant": [
        ("class K:\n    W = 1\n" + BODY.format("K.W"), {}),
        ("class K:\n    W = 2\n" + BODY.format("K.W"), {}),
    ],
}


@pytest.mark.parametrize("name", PAIRS)
def test_different_code_has_different_digests(name):
    digests = [digest_of(rule(source, **scope)) for source, scope in PAIRS[name]]
    assert all(one != other for one, other in itertools.combinations(digests, 2))


def test_the_same_code_has_the_same_digest():
    for name, pairs in PAIRS.items():
        if name != "an object nobody knows":
            source, scope = pairs[0]
            assert digest_of(rule(source, **scope)) == digest_of(rule("# moved\n\n" + source, **scope))


def test_every_kernel_of_ours_is_known_through_and_through():
    from luozi.search.loop import search

    assert "luozi.search.loop" in sys.modules
    assert digest_of(search) == digest_of(search)
