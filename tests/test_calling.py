"""Calls of kernels that remember the types of their arguments."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from luozi.compiled import Array, Compilable, kernel
from luozi.compiled.calling import Binding, bind


class Scale(Compilable):
    """An object with a number that compiled code reads."""

    def __init__(self, factor: int) -> None:
        self.factor = factor


class Pair(NamedTuple):
    scale: Scale
    numbers: Array


@kernel
def first_scaled(pair: Pair, shift: float) -> float:
    """The first number, scaled."""
    return float(pair.numbers[0] * pair.scale.factor + shift)


@pytest.fixture
def binding() -> Binding:
    return bind(first_scaled, (Pair(Scale(3), np.ones(3)), 0.5))


def pair_of(binding: Binding, numbers: Any) -> Pair:
    return Pair(binding.arguments[0].scale, numbers)


def test_machine_code_serves_the_same_arguments_and_others_of_the_same_types(binding: Binding) -> None:
    assert binding.entry_point(*binding.arguments) == 3.5
    other = pair_of(binding, np.full(7, 2.0)), 1.0
    assert binding.fits(binding.arguments)
    assert binding.fits(other)
    assert binding.entry_point(*other) == 7.0


@pytest.mark.parametrize(
    "numbers", [np.zeros(3, np.float32), np.zeros((3, 3)), np.zeros(6)[::2], np.frombuffer(bytes(24)), [0.0]]
)
def test_arrays_of_other_types_do_not_fit(binding: Binding, numbers: Any) -> None:
    assert not binding.fits((pair_of(binding, numbers), 0.5))


def test_another_object_does_not_fit(binding: Binding) -> None:
    assert not binding.fits((Pair(Scale(3), np.ones(3)), 0.5))


def test_an_object_whose_attribute_was_set_is_looked_at_again(binding: Binding) -> None:
    binding.arguments[0].scale.factor = 4
    assert not binding.holds()
    assert not binding.fits(binding.arguments)
    assert bind(first_scaled, binding.arguments).fits(binding.arguments)


def test_numbers_fit_as_far_as_64_bits_hold_them() -> None:
    binding = Binding((1, True, 0.5), [], print)
    assert binding.fits((2, False, 1.5))
    assert not binding.fits((1.0, True, 0.5))
    assert not binding.fits((True, True, 0.5))
    assert not binding.fits((2**63, True, 0.5))
    assert not binding.fits((1, True))
    nested = Binding(((1, 2),), [], print)
    assert nested.fits(((3, 4),))
    assert not nested.fits(((3, 4, 5),))


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

    before = signal.getsignal(signal.SIGINT)
    sys.setprofile(press)
    try:
        with pytest.raises(KeyboardInterrupt):
            bind(double, (21,))
    finally:
        sys.setprofile(None)
    assert pressed
    assert signal.getsignal(signal.SIGINT) is before
    assert bind(double, (21,)).entry_point(21) == 42
