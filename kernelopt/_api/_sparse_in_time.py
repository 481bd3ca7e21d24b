"""How many sparse rows there is time to read, before any of them is read as coordinates."""

import time
from typing import Any

import attrs
import numpy as np

from kernelopt._api._family_specs import PRECOMPUTED, name_of
from kernelopt._base._sparse_rows import MOST, factored, numbers_of
from kernelopt._base._typing import IntArray
from kernelopt._base.tables._views import is_sparse

_TRIED = 1000
"""So many rows are read to see how long that takes; fewer are never too many."""
_FIRST = 100
"""So many are read before, for the first time takes longer."""
_SHARE = 1.0 / 16.0
"""Of `max_seconds` is for reading, at most. To learn a kernel from rows takes some ten times as long as to read them,
and both times grow with the third power of their number: of 4000 rows with 4 seconds for all, rows that were read in
1.3 seconds left time for a kernel that is no better than chance, which two thousand of them are not.
"""


@attrs.frozen(eq=False)
class Given:
    """What a user passes about rows.

    Attributes:
        X: the rows, (n, d).
        y, sample_weight, groups: what is known of each, or None.
        notes: what the user should know of them.
    """

    X: Any
    y: Any
    sample_weight: Any = None
    groups: Any = None
    notes: tuple[str, ...] = ()

    def in_time(self, family: Any, seconds: float | None, seed: int) -> "Given":
        """All rows; or some that are drawn at random, with a note, where X is sparse and to read all would take more of
        the time limit than it should. Each label keeps its share of the rows.
        """
        if seconds is None or not is_sparse(self.X) or name_of(family) == PRECOMPUTED:
            return self
        n = self.X.shape[0]
        if not _TRIED < n <= MOST or any(len(known) != n for known in self._known):
            return self
        k = max(int(_TRIED * (_SHARE * seconds / _taken(self.X)) ** (1.0 / 3.0)), _TRIED)
        if k >= n:
            return self
        rows = _drawn(self.y, n, k, np.random.default_rng(seed))
        note = (
            f"data: max_seconds is too short to read {n} sparse rows, so the kernel and the machine were learned from "
            f"{len(rows)} rows chosen at random, and the bounds are about these rows; raise max_seconds to learn from "
            "all"
        )
        X, y, weight, groups = (_some(one, rows) for one in (self.X.tocsr(), self.y, self.sample_weight, self.groups))
        return Given(X, y, weight, groups, (note,))

    @property
    def _known(self) -> tuple[Any, ...]:
        """What has a length of its own."""
        given = (self.y, self.sample_weight, self.groups)
        return tuple(one for one in given if one is not None and np.ndim(one) > 0)


def _taken(X: Any) -> float:
    """The seconds that it takes to factor the inner products of some rows of a sparse matrix, which is what takes the
    time of reading most of them; that of a kernel grows like it where few columns are read in less.
    """
    few = numbers_of(X.tocsr()[np.linspace(0, X.shape[0] - 1, _TRIED, dtype=np.intp)], "X")
    factored(few[:_FIRST])
    began = time.monotonic()
    factored(few)
    return max(time.monotonic() - began, 1e-6)


def _drawn(y: Any, n: int, k: int, rng: np.random.Generator) -> IntArray:
    """k of n rows and, where their targets y are labels, one more of each label at most, ascending."""
    order = rng.permutation(n)
    labels = None if y is None or np.ndim(y) != 1 else _numbered(y)
    if labels is None or labels.max() >= k // 2:
        return np.sort(order[:k])
    order = order[np.argsort(labels[order], kind="stable")]
    first = np.unique(labels, return_index=True)[1]
    return np.union1d(order[np.linspace(0, n - 1, k).astype(np.intp)], first)


def _numbered(y: Any) -> IntArray | None:
    """The number of each row's label; None where labels have no order."""
    try:
        return np.asarray(np.unique(np.asarray(y), return_inverse=True)[1])
    except TypeError:
        return None


def _some(known: Any, rows: IntArray) -> Any:
    """What is known of some rows, in the type that it came in."""
    if known is None or np.ndim(known) == 0:
        return known
    if isinstance(known, list | tuple):
        return [known[i] for i in rows]
    return known.iloc[rows] if hasattr(known, "iloc") else known[rows]
