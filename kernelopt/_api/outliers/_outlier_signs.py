"""What tells bad targets from rare ones: what kernels leave of the targets before and after rows are believed less."""

import numpy as np

from kernelopt._api._learned import Learned, UnevenFit
from kernelopt._api._validate import Request
from kernelopt._base._copies import sets_of_copies
from kernelopt._base._typing import BoolArray, FloatArray
from kernelopt._evidence._counting import counted, noise_of, whole_noise
from kernelopt._evidence.noise._outliers import dominated, far_out, improbable
from kernelopt._evidence.noise._student import Residuals
from kernelopt._prediction._tails import Tails
from kernelopt._saddle._held_out import error_of_mean

_EXPLAINED = 1e-3
"""Where others leave less than this share of the squares of all targets, no bad one among them matters: a guard, for
what is left of targets without noise is no noise, and most of it is at the edges of the data."""
_BENT = 10.0
"""So many times the squares that one number for all leaves: a guard, for a kernel that has bent to one row leaves
thousands of times as much, and where columns foretell which targets are far out, one that has not leaves twice."""
_FLOORED = 2.0
"""Noise of so many times the floor is no noise: a guard, for noise that data show is far above the floor."""
_DENIED = 0.01
"""A row that weighs less than this is hardly believed: its residual is ten deviations of the others' noise or more."""
_SURPRISE = 1.5
"""So many deviations away, in the median, rows that are denied should be for Gaussian noise: a guard, for of rows as
good as all others one in eight is farther, and bad ones are at two and more in the median."""

_TOLD = 0.1
"""What Gaussian noise has learned tells of the targets where it leaves a tenth less of their squares than their mean
does: a guard, for where it tells of rare targets that are right, it leaves less than two fifths."""
_CHANCE, _DEARER = 2.0, 0.1
"""Where nothing tells of the targets, so many errors of the comparison, or such a share of the squares, are no chance:
a guard, for of tens of bad targets to both sides, Gaussian noise leaves up to 1.7 errors, and up to 0.07 of the
squares, less than Student's t, which has not seen them."""


def own_weights(request: Request) -> FloatArray:
    """The weights that rows have without tails, in their mean 1, shape (n,)."""
    return counted(request.training.weight, "relative")


def doubtful(residuals: Residuals, request: Request) -> bool:
    """Whether other rows leave more of the targets than rounding and edges, and most of it by rows far out; or most of
    the targets themselves are of such rows, on which a kernel that has gone far for them leaves little. Targets of two
    values, such as 0 and 1, have no outliers: the rarer value is no mistake.
    """
    if all(len(np.unique(column)) <= 2 for column in request.training.y.T):
        return False
    left, whole = (float(np.sum(part**2)) for part in (residuals.away, request.training.y))
    return left > _EXPLAINED * whole and (dominated(residuals.standard) or far_out(request.training.y).size > 0)


def unexpected(uneven: UnevenFit, request: Request) -> bool:
    """Whether half of the targets that are far out are too far from what others say for the noise of their own rows.
    The kernel may have bent to them then, and how likely all other rows are does not show it: new rows are predicted by
    that kernel. Where noise is skewed many targets are far out, and the noise of their rows explains most of them.
    """
    far = improbable(uneven.standard)[far_out(request.training.y)]
    return far.size > 0 and float(far.mean()) >= 0.5


def bent(residuals: Residuals, request: Request) -> bool:
    """Whether others predict the rows that are not far out far worse than one number for all does."""
    y, own = request.training.y, own_weights(request)[:, None]
    far = far_out(y)
    near = np.setdiff1d(np.arange(len(y)), far)
    left, plain = ((own[near] * part[near] ** 2).sum() for part in (residuals.away, y - np.median(y, axis=0)))
    return bool(far.size and left > _BENT * plain)


def even(request: Request) -> bool:
    """Whether no target is far out, of more than one value in most rows: else the far ones may have stretched Gaussian
    noise until no target is a surprise to it.
    """
    y = request.training.y
    usual = np.median(np.abs(y - np.median(y, axis=0)), axis=0)
    return not far_out(y).size and bool((usual > 0.0).all())


def noiseless(found: Learned) -> bool:
    """Whether the noise is hardly more than its floor: how likely the targets are then says how low the floor is."""
    least = noise_of(found.problem)
    return whole_noise(found.problem, found.done.bounds.response.mixture) <= _FLOORED * least


def surprising(gaussian: Residuals, tails: Tails) -> bool:
    """Whether the rows that are hardly believed, if there are any, are far from what Gaussian noise expects of them.

    A row of which no other row tells is not, whatever its target: the only row of a category, for example.
    """
    denied = tails.weight < _DENIED
    away = np.abs(gaussian.standard[denied]).max(axis=1)
    return not denied.any() or float(np.median(away)) > _SURPRISE


def loses(student: Residuals, gaussian: Residuals, request: Request) -> bool:
    """Whether rows are predicted worse by all others than with Gaussian noise, in squares of errors, by more than the
    error of that comparison: then those that are far out are no bad targets, for the other rows tell of them.

    A row that says more than all others together is not asked: it may be the bad one, to which a kernel has bent; nor
    is one that then says more than all that are left, for the bent kernel may have thrown it far. Where the other rows
    tell nothing with Gaussian noise either, many bad targets may be predicted worse by chance.
    """
    own, loss = own_weights(request), np.sum(student.away**2 - gaussian.away**2, axis=1)
    asked = _asked(np.abs(own * loss))
    error = error_of_mean(loss[asked], sets_of_copies(request.training.told_apart[asked]), own[asked])
    lost = float(np.average(loss[asked], weights=own[asked]))
    if lost <= error or _tells(gaussian, request, asked):
        return lost > error
    return lost > min(_CHANCE * error, _DEARER * _mean_square(gaussian.away, own, asked))


def _asked(said: FloatArray) -> BoolArray:
    """The rows of which none says more than all others together, shape (n,): without those that do, one by one, but
    half of the rows at least.
    """
    asked, rows = np.ones(len(said), dtype=bool), np.argsort(-said)
    left = said.sum()
    for row in rows[: len(rows) // 2]:
        left -= said[row]
        if said[row] <= left:
            break
        asked[row] = False
    return asked


def _tells(gaussian: Residuals, request: Request, asked: BoolArray) -> bool:
    """Whether all other rows say more of the targets of the rows that are asked, shape (n,), than their mean does."""
    Y, own = request.training.encoded, own_weights(request)
    plain = Y - np.average(Y[asked], axis=0, weights=own[asked])
    return _mean_square(gaussian.away, own, asked) < (1.0 - _TOLD) * _mean_square(plain, own, asked)


def _mean_square(away: FloatArray, own: FloatArray, asked: BoolArray) -> float:
    """Of what is left of targets (n, c) in the rows that are asked, with their weights (n,)."""
    return float(np.average(np.sum(away[asked] ** 2, axis=1), weights=own[asked]))
