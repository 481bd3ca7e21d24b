"""Kernels that few features span: the features of given rows, by Cholesky's factorisation with pivots."""

import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.kernels._closed_form import Form, Gaussian, evaluated
from kernelopt._linalg._pivots import pivoted

_ROUNDING = 1e-14


def spanned(form: Form, X: FloatArray, diagonal: FloatArray, most: int) -> FloatArray | None:
    """F (n, r) with F F' = K on rows X (n, d), but for 1e-14 of the largest k(x, x); None where r would exceed `most`.

    A Gaussian of one column needs some 10 to 60 features, whatever n is. Of one column each value is worked on once.
    """
    if X.shape[1] == 1:
        _, first, place = np.unique(X[:, 0], return_index=True, return_inverse=True)
        if isinstance(form, Gaussian):
            found = _of_a_column(form, X[first, 0], most)
        else:
            found = _factor(form, X[first], diagonal[first], most)
        return None if found is None else found.T[place]
    found = _factor(form, X, diagonal, most)
    return None if found is None else np.ascontiguousarray(found.T)


def _of_a_column(form: Gaussian, x: FloatArray, most: int) -> FloatArray | None:
    """What `_factor` gives of a Gaussian of one column, of numbers x (n,), compiled: long lists have many of them."""
    from kernelopt._families.dictionary.grams._compiled_cholesky import (
        gaussian_features,
    )  # imports numba where it is needed

    return gaussian_features(x, form.rate(1), _ROUNDING, most)


def _factor(form: Form, X: FloatArray, diagonal: FloatArray, most: int) -> FloatArray | None:
    """F', shape (r, n)."""
    return pivoted(lambda p: evaluated(form, X[p : p + 1], X)[0], diagonal, most, _ROUNDING)
