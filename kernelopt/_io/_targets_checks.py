"""What must agree within many targets that a file holds, whoever wrote it."""

import warnings

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._io._model_checks import check_codes, check_kernel, check_leaf, demand
from kernelopt._targets._solution import TargetsSolution


def check_targets(found: TargetsSolution) -> TargetsSolution:
    """The targets, after their shapes were compared and a row was predicted.

    Raises:
        ModelFileError: something does not agree.
        Exception: a family cannot work with its constants.
    """
    n, t, m = len(found.X), len(found.noise), len(found.kernels)
    check_kernel(found.reader)
    demand(n > 0 and check_codes(found.X, n, found.reader), "the training rows")
    demand(t > 0 and m > 0 and (t == 1 or not found.single), "the number of targets")
    for name in ("log_evidence", "gap", "r2", "r2_cv", "intercept", "noise", "lost"):
        demand(_numbers(getattr(found, name), t), f"the array {name}")
    demand(all(one.dtype == bool and one.shape == (t,) for one in (found.done, found.alone)), "what was reached")
    demand(_numbers(found.weights, m, t) and _numbers(found.dual_coef, n, t), "the weights")
    demand(_numbers(found.counts, n) and bool((found.counts > 0.0).all()), "the counts of rows")
    demand(len(found.atoms) == m and _numbers(found.sizes, m) and _numbers(found.means, m, n), "the kernels")
    for atom in found.atoms:
        demand(len(atom.part) == 1, "a kernel")
        check_leaf(atom.leaf, atom.part, found.reader.width, found.reader.encoding)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        demand(len(found.predict(found.reader.shown(found.X[:1]))) == 1, "the predictions")
    return found


def _numbers(array: FloatArray, *shape: int) -> bool:
    """Whether it holds doubles in this shape, of which those that were not reached are NaN."""
    return array.shape == shape and array.dtype == np.float64
