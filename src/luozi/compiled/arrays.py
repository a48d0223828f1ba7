"""The memory that compiled code works in: allocated by Python, of any kind of number."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

Array = npt.NDArray[Any]
