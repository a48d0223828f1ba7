"""Calls of kernels that remember the types of their arguments."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from luozi.compiled import Array, Compilable
from luozi.compiled.calling import Caller, are_alike, object_types


class Thing(Compilable):
    """An object with a compiled type, or none yet."""

    def __init__(self, size: int) -> None:
        self.size = size
        vars(self)["_object_type"] = object()


class Pair(NamedTuple):
    thing: Any
    numbers: Array


def test_the_same_values_and_others_of_the_same_types_are_alike() -> None:
    thing = Thing(3)
    before = Pair(thing, np.zeros(3))
    objects = object_types(before)
    assert are_alike(before, before, objects)
    assert are_alike(before, Pair(thing, np.ones(7)), objects)


@pytest.mark.parametrize(
    "numbers", [np.zeros(3, np.float32), np.zeros((3, 3)), np.zeros(6)[::2], np.frombuffer(bytes(24)), [0.0]]
)
def test_arrays_of_other_types_are_not(numbers: Any) -> None:
    thing = Thing(3)
    before = Pair(thing, np.zeros(3))
    assert not are_alike(before, Pair(thing, numbers), object_types(before))


def test_an_object_whose_attribute_was_set_is_looked_at_again() -> None:
    thing = Thing(3)
    before = Pair(thing, np.zeros(3))
    objects = object_types(before)
    assert not are_alike(before, Pair(Thing(3), before.numbers), objects)
    thing.size = 4
    assert not are_alike(before, before, objects)
    vars(thing)["_object_type"] = object()
    assert not are_alike(before, before, objects)


def test_numbers_are_alike_as_far_as_64_bits_hold_them() -> None:
    assert are_alike((1, True, 0.5), (2, False, 1.5), {})
    assert not are_alike((1,), (1.0,), {})
    assert not are_alike((1,), (True,), {})
    assert not are_alike((1,), (2**63,), {})
    assert not are_alike((1,), (1, 2), {})


@pytest.mark.parametrize("callback", ["_raw_object_cache_notify", "_raw_object_cache_getbuffer"])
def test_ctrl_c_in_a_callback_of_the_compiler_is_not_lost_and_breaks_nothing(callback: str) -> None:
    """LLVM drops what its callbacks raise, and goes on without the machine code that they were to keep."""

    @numba.njit
    def double(number):
        return 2 * number

    pressed: list[str] = []

    def press(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_name == callback and not pressed:
            pressed.append(callback)
            signal.raise_signal(signal.SIGINT)

    call, before = Caller(double), signal.getsignal(signal.SIGINT)
    sys.setprofile(press)
    try:
        with pytest.raises(KeyboardInterrupt):
            call(21)
    finally:
        sys.setprofile(None)
    assert pressed
    assert signal.getsignal(signal.SIGINT) is before
    assert call(21) == 42
