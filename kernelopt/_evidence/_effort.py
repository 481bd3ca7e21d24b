"""The option `effort` of the evidence: how many rows, landmarks and rounds each of its three words stands for."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from kernelopt._families.features._landmark_lists import MANY, WHOLE
from kernelopt._saddle._objective import Growth

Effort = Literal["quick", "normal", "thorough"]

_FEWEST = 40
"""With fewer rows than this, held-out rows could not judge whether a family should grow."""
_ROUNDS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"quick": (0, 1000), "normal": (3, 1000), "thorough": (5, 4000)}
)
"""The largest number of rounds in which a family grows, and the number of rows that a round learns from."""
_SAMPLE: Mapping[str, int] = MappingProxyType({"quick": 2000, "normal": 4000, "thorough": 8000})
"""The number of rows from which the kernel is learned if there are more rows than learn it at once."""
_MANY = 5
"""Outputs: with more of them the sample falls with the root of their number, to 2828 rows of 4000 with ten."""
_AT_ONCE: Mapping[str, int] = MappingProxyType({"quick": 3000, "normal": 6000, "thorough": MANY})
"""The largest number of rows from all of which the kernel is learned: one and a half times the sample, or as many as
Gram matrices are formed of."""
_WHOLE: Mapping[str, int] = MappingProxyType({"quick": 10_000, "normal": WHOLE, "thorough": WHOLE})
"""The largest number of rows that learn with the whole kernel where landmarks leave out too much of it: with little
effort as many as take some seconds."""
_LANDMARKS: Mapping[str, int] = MappingProxyType({"quick": 800, "normal": 1600, "thorough": 3200})
"""The largest number of landmarks that then represent the kernel."""
_FOLDS = ((900, 2), (500, 3), (0, 5))
"""Pairs of a smallest number of rows and the number of parts that are held out in turn: few rows need small parts."""
_FOLDS_OF_MANY = ((900, 2), (300, 3), (0, 5))
"""The same with more than two outputs, where each row says more and each fit takes longer."""


def growth_of(effort: Effort, n: int, outputs: int) -> Growth:
    """In how many rounds a family may grow on n rows with this number of outputs, and how a round is judged."""
    most, rows = _ROUNDS[effort if n >= _FEWEST else "quick"]
    rows = int(rows / math.sqrt(max(0.5 * outputs, 1.0)))
    parts = _FOLDS if outputs <= 2 else _FOLDS_OF_MANY
    return Growth(most, rows, next(folds for least, folds in parts if min(n, rows) >= least))


def sample_of(effort: Effort, outputs: int) -> int:
    """The number of rows from which the kernel is learned if there are more rows than learn it at once; fewer with many
    outputs, where each row says more.
    """
    return int(_SAMPLE[effort] / max(outputs / _MANY, 1.0) ** 0.5)


def at_once_of(effort: Effort) -> int:
    """The largest number of rows from all of which the kernel is learned."""
    return _AT_ONCE[effort]


def whole_of(effort: Effort) -> int:
    """The largest number of rows that learn with the whole kernel where landmarks leave out too much of it."""
    return _WHOLE[effort]


def landmarks_of(effort: Effort) -> int:
    """The largest number of landmarks that represent such a kernel, for 100,000 rows."""
    return _LANDMARKS[effort]
