"""How likely each target of given rows is: low ones are outliers, as far as the machine knows."""

from typing import Any

import numpy as np
from scipy.special import gammaln

from kernelopt._base._errors import InvalidData
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._input import check_target
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predicted import predicted, sure
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._probabilities import probabilities

_SAME = 1e-12
"""Of a target that was constant in training, by rounding."""


def likelihoods(
    machine: Predictor, posterior: Posterior | None, odds: Odds | None, rows: FloatArray, y: Any
) -> FloatArray:
    """The logarithm of the probability of each row's class, or of the density of its numbers, shape (n,).

    A target that was constant in training has no density: it adds 0 where it is this constant, and is impossible
    elsewhere.

    Args:
        machine: what predicts.
        posterior: of numbers.
        odds: of classes.
        rows: checked, shape (n, d).
        y: their targets, shape (n,) or (n, c).

    Raises:
        InvalidOption: the machine knows no probabilities.
        InvalidData: y is of another shape, or holds a class that the machine does not know.
    """
    targets = check_target(y)
    if len(targets) != len(rows):
        raise InvalidData(f"y has {len(targets)} values and Z has {len(rows)} rows, wanted one value for each row")
    if machine.classes is not None:
        return _of_classes(machine.classes, probabilities(machine, odds, rows), targets)
    mean, deviation = predicted(machine, sure(posterior), rows, True)
    if targets.shape != np.shape(mean):
        raise InvalidData(f"y has shape {targets.shape}, wanted {np.shape(mean)}, as what is predicted")
    away = (targets.astype(np.float64) - mean).reshape(len(rows), -1)
    deviation = np.reshape(deviation, away.shape) / np.sqrt(sure(posterior).spread)
    varies = (deviation > 0.0).all(axis=0)
    impossible = (np.abs(away) > _SAME * np.abs(np.reshape(mean, away.shape)))[:, ~varies].any(axis=1)
    found = density(away[:, varies], deviation[:, varies], sure(posterior).degrees)
    return np.where(impossible, -np.inf, found + 0.0)


def density(away: FloatArray, deviation: FloatArray, degrees: float | None) -> FloatArray:
    """The logarithm of the density of numbers so far from their means, with these deviations, (n, c) each, shape (n,).

    Gaussian, or Student's t, whose factor all numbers of a row share.
    """
    c = away.shape[1]
    if degrees is None:
        terms = np.log(2.0 * np.pi) + 2.0 * np.log(deviation) + (away / deviation) ** 2
        return np.asarray(-0.5 * np.sum(terms, axis=1))
    scale = deviation * np.sqrt((degrees - 2.0) / degrees)
    level = gammaln(0.5 * (degrees + c)) - gammaln(0.5 * degrees) - 0.5 * c * np.log(degrees * np.pi)
    square = np.sum((away / scale) ** 2, axis=1) / degrees
    return np.asarray(level - np.sum(np.log(scale), axis=1) - 0.5 * (degrees + c) * np.log1p(square))


def _of_classes(classes: np.ndarray, shares: FloatArray, targets: np.ndarray) -> FloatArray:
    """The logarithm of the probability of each row's class, shape (n,)."""
    unknown = np.flatnonzero(~np.isin(targets, classes))
    if len(unknown):
        raise InvalidData(
            f"y has the class {shown(targets[unknown[0]])}, wanted one of the classes of training, "
            f"{shown(classes.tolist())}"
        )
    place = np.searchsorted(classes, targets)
    return np.asarray(np.log(np.maximum(shares[np.arange(len(place)), place], np.finfo(float).tiny)))
