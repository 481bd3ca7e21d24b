"""What users call: the variance components of a trait, from kernels between its rows."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._memory import explained, require
from kernelopt._base._typing import FloatArray
from kernelopt._variance_components._climb import Left, Summit, climbed, left_out
from kernelopt._variance_components._input import (
    RESIDUAL,
    Design,
    Options,
    Trait,
    design_of,
    distinct,
    kernels_of,
    model_of,
    trait_of,
)
from kernelopt._variance_components._mixed_model import Fitted, MixedModel
from kernelopt._variance_components._moments import Moments
from kernelopt._variance_components._parts import FixedEffect, VarianceComponent
from kernelopt._variance_components._result import VarianceComponents

_UNLIMITED = 1e-6
"""A climb that does not end where a fixed effect has so small a share of the variance of a row has no end."""

_LOST = 0.1
"""In nats: a log-likelihood that rounding moves by more says little of variances."""
_EITHER_WAY = 0.01
"""Rounding goes either way, and moves the log-likelihood by about this share of what it would if all went one way."""


def variance_components(
    kernels: Mapping[str, Any] | Sequence[Any] | FloatArray,
    y: Any,
    covariates: Any = None,
    *,
    names: Sequence[str] | None = None,
    method: str = "reml",
    intercept: bool = True,
    tests: bool = True,
    start: Any = None,
    tol: float = 1e-7,
    max_steps: int = 100,
) -> VarianceComponents:
    """How much of the variance of a trait each of several kernels explains, such as kinships between individuals.

    The model is y = X b + u_1 + ... + u_m + e with u_a ~ N(0, w_a K_a) and e ~ N(0, w_e I), where b are the fixed
    effects. The estimated variances w >= 0 maximise the restricted likelihood, or the likelihood. The search starts at
    the moment estimates of Haseman and Elston. Each step maximises the quadratic model of the average information
    (AI-REML; Gilmour, Thompson and Cullis 1995) over w >= 0, and is damped until the likelihood grows. The standard
    errors are computed from the inverse of the average information. The test of a kernel compares the likelihood with
    that of a fit without the kernel. If the kernel explains nothing, the statistic of this test is 0 with probability
    1/2, and otherwise chi-squared with one degree of freedom (Self and Liang 1987).

    A step costs one Cholesky factor and one inverse of an n x n matrix. Besides the kernels, two n x n arrays are in
    memory.

    Args:
        kernels: the matrices of the kernels, each of shape (n, n), symmetric and positive semidefinite: a mapping from
            names to matrices, a sequence of matrices, or one matrix.
        y: the trait, shape (n,), without missing values.
        covariates: the columns of X, whose coefficients are the fixed effects: shape (n, q) or (n,), or a table of
            pandas or polars; numbers only, without missing values. None: there are no covariates.
        names: the names of the kernels. None: the keys of the mapping, or "K1", "K2" and so on.
        method: the likelihood that is maximised: "reml" (restricted maximum likelihood), or "ml" (maximum likelihood).
        intercept: whether a column of ones is added to the covariates.
        tests: whether every kernel is tested. Each kernel whose variance is not 0 takes one more fit.
        start: the variances at which the search starts, that of the residual last, shape (m + 1,). None: the estimates
            of Haseman and Elston.
        tol: a fit ends when another step would raise the log-likelihood by less than this number of nats.
        max_steps: the largest number of steps of each fit.

    Returns:
        the estimates with their standard errors, tests and predictions; `print` shows them as a table.

    Raises:
        InvalidData: a value is missing or an array has the wrong shape, a matrix is not a kernel, a covariate can be
            computed from the other covariates, the variances of two kernels cannot be told apart, or the likelihood of
            method "ml" has no maximum.
        InvalidOption: an option is not one of its possible values.
        NotEnoughMemory: there is no memory for two n x n arrays.
    """
    options = Options(method, intercept, tests, tol, max_steps)
    values = trait_of(y)
    n = len(values)
    require(16 * n * n, f"variance components of {n} rows")
    with explained("variances were estimated"):
        named = kernels_of(kernels, names, n)
        design = design_of(covariates, n, intercept=intercept)
        trait = Trait.of(values, design)
        model = model_of(named, trait.left, design, restricted=method == "reml")
        moments = _moments(model, tuple(named))
        w = moments.start() if start is None else _given(start, len(named)) / trait.size**2
        summit = _summit(model, w, options)
        _refuse_lost(summit, moments, tuple(named))
        without = tuple(left_out(model, summit, moments.products, tol, max_steps)) if tests else ()
        return _result(model, tuple(named), design, summit, without, trait)


def _moments(model: MixedModel, names: tuple[str, ...]) -> Moments:
    """The moments of the model, which tell its components apart."""
    moments = Moments.of(model)
    for gone in moments.empty:
        raise InvalidData(
            f"the kernel {names[gone]!r} explains only what the covariates explain already; leave the kernel out"
        )
    if len(moments.alike):
        raise InvalidData(
            f"{distinct(moments.alike, names)} cannot be told apart: without what the covariates "
            "explain, a combination of them is 0; leave one of them out"
        )
    return moments


def _summit(model: MixedModel, w: FloatArray, options: Options) -> Summit:
    """The climb, in units of the trait's deviation."""
    summit = climbed(model, w, options.tol, options.max_steps)
    if summit is None:
        raise InvalidData(
            "kernels: at the variances to start from their sum has no Cholesky factor; pass start= with a larger "
            "residual variance"
        )
    point = summit.point
    if not (model.restricted or summit.converged) and point.least_spread <= _UNLIMITED * point.scale:
        raise InvalidData(
            "kernels: the likelihood has no maximum, because it grows without limit as the residual variance falls to "
            "0: along the fixed effects the kernels are 0, as those of centred columns are along the intercept; take "
            'method="reml", whose likelihood does not depend on the kernels there'
        )
    return summit


def _refuse_lost(summit: Summit, moments: Moments, names: tuple[str, ...]) -> None:
    """Refuse variances where rounding moves the log-likelihood by more than `_LOST` nats or so.

    The factor is that of V + E, where E is as large as the rounding of V. To first order that moves y'V^-1 y by v'E v
    and log det V by tr(V^-1 E).

    Raises:
        InvalidData: it does; the kernel that explains the most is named.
    """
    sizes = summit.point.w[:-1] * np.sqrt(moments.whole[:-1])
    known = float(summit.slopes.values[-1] + summit.slopes.prices[-1])  # v'v + tr V^-1
    moved = _EITHER_WAY * 0.5 * float(np.finfo(np.float64).eps) * float(sizes.sum()) * known
    if moved > _LOST:
        raise InvalidData(
            f"kernels: the kernel {names[int(np.argmax(sizes))]!r} explains so much more than the residual that "
            f"rounding moves the log-likelihood by about {moved:.2g}, wanted {_LOST:g} at most; if the kernel explains "
            "the level of y, leave it out and take the level as a fixed effect, by intercept=True or by covariates, "
            "and otherwise add a little noise to y"
        )


def _given(start: Any, m: int) -> FloatArray:
    w = np.asarray(start, dtype=np.float64)
    if w.shape != (m + 1,) or not np.isfinite(w).all() or (w < 0.0).any() or not w.any():
        raise InvalidData(f"start: got {start!r}, wanted {m + 1} variances >= 0, that of the residual last")
    return w


def _result(
    model: MixedModel,
    names: tuple[str, ...],
    design: Design,
    summit: Summit,
    without: tuple[Left, ...],
    trait: Trait,
) -> VarianceComponents:
    """In the units of the trait."""
    size, square = trait.size, trait.size**2
    point, w = summit.point, summit.point.w * square
    found = summit.covariance()
    covariance = np.full((len(w),) * 2, math.nan) if found is None else found * square**2
    mean_diagonals = model.mean_diagonals
    shares, errors = _shares(w, mean_diagonals, None if found is None else covariance)
    highest = point.log_likelihood(restricted=model.restricted)
    statistics = [max(0.0, 2.0 * (highest - left.log_likelihood)) for left in without]
    statistics += [math.nan] * (len(w) - len(statistics))
    deviations = np.sqrt(np.diagonal(covariance))
    rows = zip((*names, RESIDUAL), w, deviations, shares, errors, mean_diagonals, statistics, strict=True)
    components = [VarianceComponent(name, *map(float, numbers)) for name, *numbers in rows]
    effects, fixed_covariance = _fixed(point, design, trait)
    shift = math.log(size)
    n, q = design.Q.shape
    assert summit.slopes.images is not None
    return VarianceComponents(
        components=tuple(components[:-1]),
        residual=components[-1],
        fixed_effects=effects,
        heritability=1.0 - float(shares[-1]),
        heritability_error=float(errors[-1]),
        covariance=covariance,
        information=summit.slopes.information / square**2,
        score=summit.score / square,
        gradient_norm=math.sqrt(2.0 * summit.left),
        method="reml" if model.restricted else "ml",
        reml_log_likelihood=point.log_likelihood(restricted=True) - (n - q) * shift,
        ml_log_likelihood=point.log_likelihood(restricted=False) - n * shift,
        fixed_covariance=fixed_covariance,
        dual_coef=point.residual / size,
        random_effects=summit.slopes.images[:-1, :, 0] * (point.w[:-1, None] * size),
        steps=summit.steps,
        converged=summit.converged,
        notes=_notes(summit, names, without, effects),
        intercept=design.intercept,
        covariate_names=design.called,
    )


def _shares(w: FloatArray, mean_diagonals: FloatArray, covariance: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """The share of each component in the mean diagonal of their sum, by its variance (m,), and the standard error of
    the share to first order: NaN for a variance of 0, and for all where the covariance (m, m) is not known.
    """
    parts = mean_diagonals * w
    shares = parts / parts.sum()
    if covariance is None:
        return shares, np.full(len(w), math.nan)
    slope = (np.diag(mean_diagonals) - np.outer(shares, mean_diagonals)) / parts.sum()
    errors = np.sqrt(np.diagonal(slope @ np.nan_to_num(covariance) @ slope.T).clip(0.0))
    return shares, np.where(w > 0.0, errors, math.nan)


def _fixed(point: Fitted, design: Design, trait: Trait) -> tuple[tuple[FixedEffect, ...], FloatArray]:
    """b = R^-1 (effects of the basis), with its covariance R^-1 (Q'V^-1 Q)^-1 R'^-1; no error where that is 0."""
    turn, size = np.asarray(np.linalg.inv(design.R), dtype=np.float64), trait.size
    covariance = turn @ point.spread @ turn.T
    variances = np.diagonal(covariance)
    known = variances > point.faint * (turn * turn).sum(axis=1)
    errors = size * np.sqrt(np.where(known, variances, math.nan))
    rows = zip(design.names, turn @ (trait.along + size * point.effects), errors, strict=True)
    return tuple(FixedEffect(name, float(b), float(error)) for name, b, error in rows), size**2 * covariance


def _notes(
    summit: Summit, names: tuple[str, ...], without: tuple[Left, ...], effects: tuple[FixedEffect, ...]
) -> tuple[str, ...]:
    notes = []
    bound = ", ".join(name for name, free in zip((*names, RESIDUAL), summit.free, strict=True) if not free)
    if bound:
        notes.append(
            f"components: the estimated variance is 0, the least that is allowed, of: {bound}; such a variance has no "
            "standard error, and the errors and tests of the other components take it for 0, which is approximate"
        )
    exact = ", ".join(effect.name for effect in effects if math.isnan(effect.std_error))
    if exact:
        notes.append(
            f"components: no standard error of: {exact}; with a residual variance of 0 it would be 0, because the "
            "kernels are 0 along this fixed effect, as those of centred columns are along the intercept"
        )
    if not summit.converged:
        notes.append(
            f"components: the optimisation ended after {summit.steps} steps, where another would raise the "
            f"log-likelihood by {summit.left:.1e}; raise max_steps, or pass start= with other variances"
        )
    unfinished = [name for name, left in zip(names, without, strict=False) if not left.converged]
    if unfinished and summit.converged:
        notes.append(
            f"components: the fit without {', '.join(unfinished)} did not converge, so its test statistic "
            "may be too large; raise max_steps"
        )
    if summit.covariance() is None:
        notes.append(
            "components: the information matrix is singular, so that there are no standard errors: the rows do not "
            "tell some components apart; leave a kernel out"
        )
    return tuple(notes)
