"""Copies of a row with different targets, which no function passes through: refused where a criterion asks for one."""

import numpy as np

from kernelopt._api.data._training import Training
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._errors import InvalidData
from kernelopt._criteria._contract import Criterion
from kernelopt._families._leaf import Leaf


def refuse_contradicting_copies(leaves: tuple[Leaf, ...], criterion: Criterion, training: Training) -> None:
    """Refuse rows that a function through all targets does not exist for; the identity on samples tells copies apart.

    Costs n d, and nothing where the criterion allows errors.

    Raises:
        InvalidData: two rows are equal, their targets differ, and no family tells them apart.
    """
    if not criterion.interpolates or any(leaf.family.ridge(leaf.family.center()) > 0.0 for leaf in leaves):
        return
    sets = sets_of_copies(training.X)
    _, first = np.unique(sets, return_index=True)
    others = np.flatnonzero((training.encoded != training.encoded[first[sets]]).any(axis=1))
    if not others.size:
        return
    i = others[0]
    one, other = training.rows[first[sets[i]]], training.rows[i]
    raise InvalidData(
        f"{criterion.name}: rows {one} and {other} of X are equal and their targets differ, so no function passes "
        f"through both, and the optimum is infinite (rows with this fault: {others.size}); give equal rows one target, "
        'such as their mean, or add the identity on samples: family=[..., "delta"]'
    )
