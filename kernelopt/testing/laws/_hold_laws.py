"""Laws of what a family holds: small fields, nothing of earlier calls, answers of their own, sixteen digits."""

import pickle
from collections.abc import Callable

import numpy as np

from kernelopt.plugin import FloatArray, KerneloptError, Part, Query
from kernelopt.testing._family_case import FamilyCase, gram_of
from kernelopt.testing._laws import SINGLE, arrays_in, demand, demand_keeps_nothing
from kernelopt.testing._skip import skip

_STEPS = (1e-7, 3e-7, 1e-6)
"""Steps of rows at which the rounding of float32 is as large as what the step changes, and that of float64 is not."""
_CURVED = 0.05
"""How far the change by two steps may be from twice the change by one, relative to it."""
_ROUNDING = 1e-9
"""Changes below this, relative to the largest entry, are not looked at."""
_SHARE = 0.1
"""Of the entries: so many do not change in proportion by chance."""
_ROWS = (30, 60, 90)
"""On so many rows a family is prepared, to see whether its fields grow each time."""


class HoldLaws(FamilyCase):
    """Laws of the digits of a kernel, of the fields of a family, and of what its methods keep."""

    def test_kernel_has_the_digits_of_doubles(self) -> None:
        """cross changes in proportion to a small step of the rows, which it does not if a part of it is float32."""
        sample = self.sample()
        Z, towards = self.new_rows(sample.rng, sample.X), sample.rng.normal(size=sample.X.shape[1])
        jumps = []
        for step in _STEPS:
            # Codes of categories are none at every one of these rows, so that nothing but the rounding jumps.
            moved = (Z + turn * step * towards for turn in (1.0, 2.0, 3.0))
            try:
                K, once, twice = (sample.family.cross(sample.part, rows, sample.X) for rows in moved)
            except KerneloptError as error:
                skip(f"rows that move a little are refused: {error}")
            room = _ROUNDING * np.abs(K).max() + _CURVED * np.maximum(np.abs(once - K), np.abs(twice - K))
            jumps.append(np.abs(twice - 2.0 * once + K) > room)
        share = float(np.mean(jumps))
        detail = (
            f"cross changes by jumps if rows move by {_STEPS[0]:g} to {_STEPS[-1]:g}, in {share:.0%} of its entries; "
            f"something on the way is {SINGLE}: compute in float64"
        )
        demand(share <= _SHARE, "float64", detail)

    def test_answers_stay_as_they_are(self) -> None:
        """A later call of gram, cross, diag, apply or best_atoms does not change what an earlier call returned."""
        sample = self.sample()
        family, data, X, V = sample.family, sample.data, sample.X, sample.V
        Z = self.new_rows(sample.rng, X)
        parts = (sample.part, Part(sample.part.atoms, 2.0 * sample.part.weights[::-1] + 0.5))
        calls: dict[str, Callable[[int], list[FloatArray]]] = {
            "gram": lambda turn: [family.gram(parts[turn], data).dense()],
            "cross": lambda turn: [family.cross(parts[turn], Z, X)],
            "diag": lambda turn: [family.diag(parts[turn], X)],
            "apply": lambda turn: [family.apply(parts[turn], data, V)],
            "best_atoms": lambda turn: arrays_in(family.best_atoms(data, V[:: 1 - 2 * turn], Query(k=3))),
        }
        for name, call in calls.items():
            first = call(0)
            copies = [array.copy() for array in first]
            call(1)
            detail = (
                f"{name} was called twice, and the second call has changed what the first one returned, which solvers "
                "still use; return a new array each time"
            )
            same = all(np.array_equal(array, copy) for array, copy in zip(first, copies, strict=True))
            demand(same, "answers-overwritten", detail)

    def test_fields_stay_small(self) -> None:
        """The fields that `compact` leaves in a family, for a model file, do not grow as the training rows do."""
        if not self.goes_into_files:
            skip("no model file holds the family: goes_into_files is False")
        X = self.many_rows(_ROWS[-1])
        try:
            families = [self.prepared(X[:n], np.ones(n)) for n in _ROWS]
        except KerneloptError as error:
            skip(f"so many rows are refused: {error}")
        sizes = [len(pickle.dumps(family.compact(family.center())[0])) for family in families]
        detail = (
            f"prepared on {_ROWS} rows, the fields of {type(self.family()).__name__} take {sizes} bytes: they grow as "
            "the rows do, and every model file holds them; let bind return what has entries for each row, or let "
            "compact leave it out"
        )
        demand(bool(np.diff(sizes).min() < X[: _ROWS[0]].nbytes), "fields", detail)

    def test_calls_keep_nothing(self) -> None:
        """gram, cross and best_atoms, called with one part after the other, keep no memory."""
        sample = self.sample()
        family, data, X, V = sample.family, sample.data, sample.X, sample.V
        n = len(gram_of(sample))

        def part(turn: int) -> Part:
            return sample.part.scaled(1.0 + turn / 64.0)

        demand_keeps_nothing("keeps", "gram", n, lambda turn: family.gram(part(turn), data).dense())
        demand_keeps_nothing("keeps", "cross", n, lambda turn: family.cross(part(turn), X, X))
        demand_keeps_nothing("keeps", "best_atoms", n, lambda turn: family.best_atoms(data, V + turn, Query()), turns=2)
