"""How sure numbers are that the whole kernel predicts: as sure as landmarks are, times what held-out rows say."""

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from kernelopt._api._learned_kernel import learned_kernel
from kernelopt._api.many_rows._fit import places_of
from kernelopt._api.many_rows._rough import Rough
from kernelopt._api.many_rows._tails import told_by
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._evidence._whole_kernel import noisier, share_of
from kernelopt._evidence.noise._student import variance_of
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._posterior import Beside, Posterior
from kernelopt._prediction._posterior_of import with_noise
from kernelopt._prediction._several import Several


def beside(rough: Rough, noise: float, out: IntArray, left: FloatArray | None) -> Posterior:
    """How sure numbers are; of several targets, each as far as its own rows that were held out say.

    Args:
        rough: the rows.
        noise: of a row that counts once, as the kernel has it: held-out rows may ask for more.
        out: numbers of rows that were held out, shape (k,).
        left: their targets less what was predicted of them, shape (k, c), which also say how heavy the tails of one
            target are; None where this is not known, and landmarks are believed.
    """
    weight = rough.rows.weight[out]
    lower, unknown = _unknown(rough, out, noise)
    if left is not None:
        noise *= noisier(left, unknown, noise / weight)
        lower, unknown = _unknown(rough, out, noise)
    thin = learned_kernel(rough.begun.leaves, rough.begun.at, rough.request.training)
    if left is None:
        return _beside(rough, noise, thin, lower, 1.0)
    share = share_of(left, unknown, noise / weight)
    sure = _beside(rough, noise, thin, lower, share)
    if left.shape[1] == 1:
        return told_by(rough.request, rough.fit, sure, rough.rows.only(out), left, share * unknown)
    told = noise / weight + sure.share * unknown
    size = np.mean(left**2 / told[:, None], axis=0)  # the most probable one of normal residuals
    return Several.of(sure.noise, (sure,), OwnNoise(np.ones(len(size)), size), sure.degrees)


def _beside(rough: Rough, noise: float, thin: Kernel, lower: FloatArray, share: float) -> Beside:
    """How sure one number is that landmarks and the whole kernel predict together, with noise of the distribution that
    all rows were learned with.
    """
    degrees = rough.fit.degrees
    return with_noise(Beside(noise, thin, lower, share), variance_of(degrees), degrees)


def _unknown(rough: Rough, rows: IntArray, noise: float) -> tuple[FloatArray, FloatArray]:
    """L with L L' = F'F + noise I for the features F of all rows, shape (r, r), and the variance by landmarks at some
    rows (k,), shape (k,).
    """
    begun, fit, spanned = rough.begun, rough.fit, rough.spanned
    places = np.concatenate(places_of(begun.leaves, begun.at, fit.map, rough.rows.features.X))
    root = spanned.root[places]
    inner = root[:, None] * fit.sums.inner[np.ix_(places, places)] * root
    inner[np.diag_indices(len(inner))] += noise
    lower = np.asarray(cholesky(inner, lower=True, overwrite_a=True, check_finite=False))
    half = solve_triangular(lower, (spanned.features.rows(rows)[:, places] * root).T, lower=True, check_finite=False)
    return lower, np.asarray(noise * np.einsum("ij,ij->j", half, half) + spanned.missing[rows])
