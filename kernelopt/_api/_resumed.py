"""What a run takes over from an earlier solution: the kernels that joined its families, and where it begins."""

from typing import Any

import attrs
import numpy as np

from kernelopt._api._choose import Choice
from kernelopt._api._validate import Request
from kernelopt._api.growth._grown import Grown, restrained
from kernelopt._base._budget import Budget
from kernelopt._base._errors import InvalidOption
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._linalg._factor_time import seconds_of_a_factor
from kernelopt._model._solution import Solution

_FACTORS = 10.0
"""A run that begins at its optimum takes as long as so many Cholesky factorisations of all rows: a guard, for with 4000
rows it was 10."""
_ANEW = "begin anew, with start=None, or warm_start=False in an estimator"


@attrs.frozen(eq=False)
class Resumed:
    """Families, and where a run over them begins.

    Attributes:
        leaves: the families, with the kernels that joined those of the earlier solution and have weight there.
        start: that solution, as a kernel of these families; or what else the user gave.
        grown: whether there are such kernels.
    """

    leaves: tuple[Leaf, ...]
    start: Any
    grown: bool = False

    def grown_again(self, choice: Choice) -> Grown:
        """A choice with these families, a note on them, and what held-out rows said for the earlier solution, whatever
        machine it had time for: the kernels that joined have seen the rows.
        """
        note = (
            "family: the kernels of start were taken, with those that joined its list, and no others "
            "were looked for; leave start out to look for them anew"
        )
        choice = attrs.evolve(choice, leaves=self.leaves, notes=(*choice.notes, note))
        return Grown(choice, unseen=self.start.unseen)


def hasty(start: Any, request: Request) -> bool:
    """Whether landmarks should stand for the kernel of an earlier solution, because time is limited: they did so
    before, or all rows at once would take too long.
    """
    if request.deadline is None or not isinstance(start, Solution):
        return False
    least = _FACTORS * seconds_of_a_factor(len(request.training.X))
    return any(map(_in_landmarks, start.kernel.leaves)) or not Budget(request.deadline).allows(least)


def resumed(start: Any, request: Request, leaves: tuple[Leaf, ...]) -> Resumed:
    """The families as the earlier solution has them, where one is given.

    Raises:
        InvalidOption: it is a solution over other families, or over the same ones on other columns.
    """
    if not isinstance(start, Solution):
        return Resumed(leaves, start)
    was = _of_own_kernel(start)
    _check(was, leaves)
    grows = request.objective.growth(*request.training.y.shape) is not None
    begun = restrained(leaves) if grows else leaves
    found = [_taken(leaf, *side) for leaf, side in zip(begun, was, strict=True)]
    grown = any(leaf.family is not one.family for leaf, (one, _) in zip(begun, found, strict=True))
    response = attrs.evolve(start.response, mixture=Mixture(tuple(part for _, part in found)))
    taken = tuple(leaf for leaf, _ in found) if grown else leaves
    return Resumed(taken, attrs.evolve(start, response=response), grown)


def _taken(leaf: Leaf, was: Leaf, part: Part) -> tuple[Leaf, Part]:
    """The family of a leaf with the kernels of an earlier one, and the part of it that is the earlier part."""
    found = leaf.family.resumed(was.family, part)
    priced = leaf.penalty is not None  # a price is on the kernels that are there
    if found is None or (priced and found[0] is not leaf.family):
        raise InvalidOption(
            f"start: it gives weight to kernels of its {leaf.family.name} that the {leaf.family.name} of the problem "
            f"cannot have, because its list of kernels or what it sees of the columns differs; {_ANEW}"
        )
    return attrs.evolve(leaf, family=found[0]), found[1]


def _of_own_kernel(start: Solution) -> tuple[tuple[Leaf, Part], ...]:
    """The families of an earlier solution, each with its part: where landmarks stand for a kernel, because there were
    many rows or little time, that kernel.
    """
    return tuple(map(_whole, start.kernel.leaves, start.mixture.parts))


def _in_landmarks(leaf: Leaf) -> bool:
    """Whether landmarks stand for one kernel of it."""
    return isinstance(leaf.family, Landmarks) and len(leaf.family.kernels) == 1


def _whole(leaf: Leaf, part: Part) -> tuple[Leaf, Part]:
    if not _in_landmarks(leaf):
        return leaf, part
    assert isinstance(leaf.family, Landmarks)
    (one,) = leaf.family.kernels
    return attrs.evolve(leaf, family=one.family), one.part.scaled(part.mass)


def _check(start: tuple[tuple[Leaf, Part], ...], leaves: tuple[Leaf, ...]) -> None:
    """Refuse families of a solution, with their parts, that are others, or the same ones on other columns.

    Raises:
        InvalidOption: they are.
    """
    before = tuple(leaf for leaf, _ in start)
    was, asked = (" + ".join(leaf.family.name for leaf in side) for side in (before, leaves))
    if was != asked:
        raise InvalidOption(f"start: it is a solution over {was}, the problem is over {asked}; {_ANEW}")
    if any(not np.array_equal(a.columns, b.columns) for a, b in zip(before, leaves, strict=True)):
        raise InvalidOption(f"start: its families see other columns of X than those of the problem; {_ANEW}")
    sides = zip((part for _, part in start), (leaf.family.center() for leaf in leaves), strict=True)
    if any(len(part) and part.atoms.shape[1] != like.atoms.shape[1] for part, like in sides):
        raise InvalidOption(f"start: the options of its {was} differ from those of the problem; {_ANEW}")
