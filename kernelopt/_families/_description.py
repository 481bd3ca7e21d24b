"""A union in words: which member sees which columns, and how much it weighs."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._families._contract import KernelFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families._weight_words import MEMBER
from kernelopt._families.variances._variance import Variance

MOST_NAMED = 3
"""A view of more columns is told by their number."""
_MOST_SHARES, _LEAST_SHARE = 5, 0.005
"""So many columns are told with their shares, and none whose share shows as 0 %."""


def names_for(names: Any, width: int) -> tuple[str, ...]:
    """Names for all columns of X.

    Raises:
        InvalidOption: they are not as many as the columns.
    """
    given = tuple(map(str, names))
    if len(given) != width:
        raise InvalidOption(f"names: got {len(given)} names for {width} columns of X")
    return given


def title(leaf: Leaf, width: int, names: tuple[str, ...] = ()) -> str:
    """The family's name, and the columns, by number or by name, where it sees few of the `width`."""
    columns = leaf.columns.tolist()
    if leaf.group:
        return f"{leaf.family.name} on {leaf.group}"
    if len(columns) == width or len(columns) > MOST_NAMED:
        return leaf.family.name
    if names:
        return f"{leaf.family.name} on {', '.join(names[j] for j in columns)}"
    return f"{leaf.family.name} on column{'s' * (len(columns) > 1)} {', '.join(map(str, columns))}"


def spoken(leaf: Leaf, names: tuple[str, ...]) -> KernelFamily:
    """The leaf's family, which calls columns by their names, or x0, x1, ... by their places in X."""
    return leaf.family.named(leaf.called(names))


def told_by(leaf: Leaf, part: Part, names: tuple[str, ...]) -> str:
    """What the leaf's family says of its part of a kernel, in its words."""
    own = part.scaled(leaf.factor) if isinstance(leaf.family, Variance) else part
    return spoken(leaf, names).describe(own)


def heaviest(leaves: tuple[Leaf, ...], mixture: Mixture) -> Iterator[tuple[Leaf, Part]]:
    """The members whose weight is told, the heaviest first; members of one weight keep their order."""
    members, least = zip(leaves, mixture.parts, strict=True), MEMBER * mixture.mass
    heaviest_first = sorted(members, key=lambda member: -member[1].mass)
    return ((leaf, part) for leaf, part in heaviest_first if part.mass > least)


def weights_of_views(leaves: tuple[Leaf, ...], mixture: Mixture) -> dict[tuple[int, ...], float]:
    """The weight of every set of columns that a member sees, the heaviest first."""
    weights: dict[tuple[int, ...], float] = {}
    for leaf, part in zip(leaves, mixture.parts, strict=True):
        columns = tuple(sorted(leaf.columns.tolist()))
        weights[columns] = weights.get(columns, 0.0) + part.mass
    return dict(sorted(weights.items(), key=lambda item: -item[1]))


def shares_of_groups(leaves: tuple[Leaf, ...], mixture: Mixture) -> dict[str, float]:
    """The weight of every view that has a name as a share of the weights of all of these, in their order."""
    weights: dict[str, float] = {}
    for leaf, part in zip(leaves, mixture.parts, strict=True):
        if leaf.group:
            weights[leaf.group] = weights.get(leaf.group, 0.0) + part.mass
    total = sum(weights.values())
    return {name: weight / total if total > 0.0 else 0.0 for name, weight in weights.items()}


def largest_shares(shares: FloatArray, names: tuple[str, ...] = ()) -> str:
    """The columns with the largest shares (d,), such as "x3 62 %, x1 21 %"."""
    order = np.argsort(-shares, kind="stable")[:_MOST_SHARES]
    return ", ".join(
        f"{names[j] if names else f'x{j}'} {100.0 * shares[j]:.0f} %" for j in order if shares[j] >= _LEAST_SHARE
    )
