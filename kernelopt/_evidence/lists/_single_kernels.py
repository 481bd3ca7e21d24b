"""The most likely of the kernels of one atom: where to begin again when a run from all of them ended worse."""

import math

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._counting import directions_of, rows_of, weight_of
from kernelopt._evidence._noise_and_level import tells_rows_apart
from kernelopt._evidence.lists._list_likelihood import targets_of
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta
from kernelopt._linalg._tridiagonal import Shifted
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response

ROWS = 640
"""On so many rows at most kernels are compared. Worth: `constants.py evidence.compared`."""
_THOROUGH, _QUICK = 5e9, 5e7
"""Rows^3 times kernels at most, so that a long list is compared on fewer rows: in doubt, and without a doubt."""
_FEW = 400
"""With so few rows there is a look even without a doubt: what begins there goes on with more rows.
Worth: `constants.py evidence.few`."""
_WORTH = 1.0
"""An atom has to gain so many nats over noise alone (Akaike 1974)."""
_NOISES = tuple(np.geomspace(1e-6, 1e2, 33).tolist())
"""The shares of noise that are tried, beside a kernel whose trace is the number of rows."""


@attrs.frozen
class _Fit:
    """One atom at its most likely size.

    Attributes:
        nats: minus its log likelihood, up to what all atoms have in common.
        size: of the kernel, beside the atom at the centre's weight.
        noise: its variance.
        leaf, atom: which.
    """

    nats: float
    size: float
    noise: float
    leaf: int
    atom: int


def better_single(problem: Problem, response: Response, *, doubtful: bool) -> Mixture | None:
    """A kernel of one atom under which the targets are more likely than under that of an answer; None where none is.

    Args:
        problem: with the evidence for criterion.
        response: the end of a run.
        doubtful: whether the run may have ended in noise; else there is a look on few rows alone.
    """
    if not doubtful and problem.n > _FEW:
        return None
    single = most_likely(problem, _THOROUGH if doubtful else _QUICK)
    return single if single is not None and problem.respond(single).upper < response.upper else None


def most_likely(problem: Problem, work: float = _THOROUGH) -> Mixture | None:
    """The kernel of one of the centre's atoms, with noise around a level, under which the targets are the most likely.

    For an atom K and targets Y, both around their means,

        c/2 log det(K + r I) + c n/2 log tr Y'(K + r I)^-1 Y

    is what size t K + t r I leaves to the ratio r of the noise, once t is the most likely one: a search over numbers.

    Args:
        problem: with the evidence for criterion.
        work: rows^3 times atoms at most; a long list is compared on fewer rows.

    Returns:
        None where no atom says more of the targets than noise does, or there is no noise to begin with.
    """
    center = problem.center()
    rows = _rows(problem.n, sum(len(part) for part in center.parts), work)
    weight = weight_of(problem)[rows]
    Y = targets_of(problem)[rows]
    Y = Y - np.average(Y, axis=0, weights=weight)
    if not Y.any():
        return None
    fits = [
        fit
        for k, (leaf, part) in enumerate(zip(problem.leaves, center.parts, strict=True))
        if tells_rows_apart(leaf)
        for fit in (_fitted(problem, center, rows, weight, Y, k, a) for a in range(len(part)))
        if fit is not None
    ]
    best = min(fits, key=lambda one: one.nats, default=None)
    return None if best is None else _mixed(problem, center, best)


def _rows(n: int, atoms: int, work: float) -> IntArray:
    many = min(n, ROWS, max(int((work / max(atoms, 1)) ** (1 / 3)), 2))
    return np.linspace(0, n - 1, many, dtype=np.intp)


def _fitted(
    problem: Problem, center: Mixture, rows: IntArray, weight: FloatArray, Y: FloatArray, leaf: int, atom: int
) -> _Fit | None:
    """An atom at its most likely size and noise; None where it says nothing of the targets (n, c)."""
    many, total, root = directions_of(weight), float(weight.sum()), np.sqrt(weight)
    K = problem.gram(_alone(center, {leaf: [atom]})).only(rows).dense()
    mean = K @ weight / total
    K = (K - mean - mean[:, None] + weight @ mean / total) * root * root[:, None]
    trace = float(np.trace(K)) / many
    if not trace > 0.0:
        return None
    targets = root[:, None] * Y
    shifted, numbers = Shifted.of(K / trace, targets), (many - 1.0) * Y.shape[1]
    nats, r, left = min(_sized(shifted, r, many) for r in _NOISES)
    if nats > 0.5 * numbers * math.log(float(np.vdot(targets, targets)) / numbers) - _WORTH:
        return None
    t = left / numbers
    return _Fit(nats, t / trace, t * r, leaf, atom)


def _sized(shifted: Shifted, r: float, many: float) -> tuple[float, float, float]:
    """Minus the log likelihood of a share r of noise, up to what all atoms have in common; r; and tr Y'(K + r I)^-1 Y.

    Where rows count more than once there are `many` directions, and those beyond the rows have noise alone. Around its
    mean a kernel says nothing of one of them.
    """
    found = shifted.at(r)
    if found is None:
        return math.inf, r, 0.0
    volume, left = found
    n, c = shifted.targets.shape
    volume += (many - n - 1.0) * math.log(r)
    numbers = (many - 1.0) * c
    return 0.5 * c * volume + 0.5 * numbers * math.log(max(left / numbers, 1e-300)), r, left


def _mixed(problem: Problem, center: Mixture, best: _Fit) -> Mixture | None:
    """The atom at its size, with its noise, and a level of the size of the targets' mean."""
    mean = np.average(targets_of(problem), axis=0, weights=weight_of(problem))
    level = float(np.mean(mean**2)) + best.noise / rows_of(problem)
    variances = {k: best.noise for k, leaf in enumerate(problem.leaves) if isinstance(leaf.family, Delta)}
    if not variances:
        return None
    variances |= {k: level for k, leaf in enumerate(problem.leaves) if isinstance(leaf.family, Constant)}
    kept = _alone(center, {best.leaf: [best.atom], **{k: [0] for k in variances}})
    sizes = {best.leaf: best.size}
    for k, variance in variances.items():
        leaf, part = problem.leaves[k], _alone(center, {k: [0]}).parts[k]
        ridge = leaf.factor * leaf.family.ridge(part)
        sizes[k] = variance / (ridge or float(problem.gram(_alone(center, {k: [0]})).diag().mean()))
    return Mixture(tuple(part.scaled(sizes.get(k, 1.0)) for k, part in enumerate(kept.parts)))


def _alone(center: Mixture, kept: dict[int, list[int]]) -> Mixture:
    """Some atoms of the centre, by leaf, without all others."""
    places = [kept.get(k, []) for k in range(len(center.parts))]
    return Mixture(tuple(Part(p.atoms[some], p.weights[some]) for p, some in zip(center.parts, places, strict=True)))
