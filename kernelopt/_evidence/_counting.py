"""Noise, and rows that count more than once.

s copies of a row with one target y under noise tau have the likelihood of one row under noise tau / s, but for what
their noise has among themselves: with W = sum of s over n rows the evidence is

    1/2 y'C^-1 y + 1/2 log det C + 1/2 sum log s + (W - n)/2 log tau + W/2 log 2 pi,    C = K + tau diag(1/s),

where 1/2 sum log s is the same for all kernels. The trace of the inverse, to which noise is charged, is
sum_i (C^-1)_ii / s_i + (W - n) / tau.
"""

import math
from typing import Literal

import numpy as np

from kernelopt._base._copies import whole_numbers
from kernelopt._base._typing import FloatArray
from kernelopt._evidence._factorisation import Factored, Repeated, factored
from kernelopt._families._mixture import Mixture
from kernelopt._families.variances._delta import Counts
from kernelopt._linalg._gram import Gram
from kernelopt._saddle._problem import Problem

Meaning = Literal["copies", "relative"]
Weights = Literal["auto", "copies", "relative"]

_MORE = 0.05
"""Weights as copies that sum to more than the rows by a larger share are told of: a guard, for rounding is none."""


def meaning_of(weights: Weights, whole: bool) -> Meaning:
    """What weights mean, where all of them are whole numbers or not."""
    if weights == "auto":
        return "copies" if whole else "relative"
    return weights


def counted(weight: FloatArray, weights: Weights) -> FloatArray:
    """How often each row counts, shape (n,), by weights that all outputs share (n, c).

    Relative weights are taken so that their mean is 1, and so are those that sum to less than the rows, which are
    shares of something: for less than one row says nothing of noise.
    """
    s: FloatArray = weight[:, 0]
    meaning = meaning_of(weights, whole_numbers(s))
    if np.all(s == s[0]) and factor_of(len(s), float(s.sum()), meaning) != 1.0:
        return np.ones(len(s))
    return s * factor_of(len(s), float(s.sum()), meaning)


def factor_of(n: int, total: float, meaning: Meaning) -> float:
    """What weights of n rows with this sum are multiplied by to say how often a row counts."""
    return 1.0 if meaning == "copies" and total >= n else n / total


def counts_of(problem: Problem) -> Counts | None:
    """How often the rows count; None where each counts once."""
    return next((data for data in problem.data if isinstance(data, Counts)), None)


def weight_of(problem: Problem) -> FloatArray:
    """How often each row counts, shape (n,)."""
    counts = counts_of(problem)
    return np.ones(problem.n) if counts is None else counts.weight


def rows_of(problem: Problem) -> float:
    """How many rows there are, each as often as it counts."""
    counts = counts_of(problem)
    return float(problem.n) if counts is None else counts.rows


def directions_of(weight: FloatArray) -> float:
    """In how many directions rows that count so often, shape (n,), say how large noise is: in one for each copy, and in
    one for each row at least, for some of all rows may count less than once in the mean.
    """
    return max(float(weight.sum()), float(len(weight)))


def noise_of(problem: Problem) -> float:
    """The least noise of a row that counts once, which is the same for all outputs."""
    counts = counts_of(problem)
    return float(problem.outputs[0].curvature[0]) * (1.0 if counts is None else float(counts.weight[0]))


def least_of(problem: Problem) -> float | FloatArray:
    """The least noise of each row: a number where each counts once, else shape (n,)."""
    return noise_of(problem) if counts_of(problem) is None else problem.outputs[0].curvature


def whole_noise(problem: Problem, mixture: Mixture) -> float:
    """The least noise and what was learned beyond it, of a row that counts once."""
    pairs = zip(problem.leaves, mixture.parts, strict=True)
    return noise_of(problem) + sum(leaf.factor * leaf.family.ridge(part) for leaf, part in pairs if len(part))


def factored_at(problem: Problem, mixture: Mixture, gram: Gram, *, keep: bool = True) -> Factored | None:
    """The Gram of a mixture with the least noise, factored, and what copies of rows add; None as of `factored`."""
    counts, factor = counts_of(problem), factored(gram, least_of(problem), keep=keep)
    if counts is None or factor is None:
        return factor
    return Repeated(factor, counts.between, whole_noise(problem, mixture), float(np.log(counts.weight).sum()))


def copying(problem: Problem) -> str | None:
    """What a user should know where rows count so often that noise is learned from copies; None elsewhere."""
    counts = counts_of(problem)
    return None if counts is None else counted_as_copies(counts.weight, 'take criterion=Evidence(weights="relative")')


def counted_as_copies(weight: FloatArray, else_do: str) -> str | None:
    """The same of rows that count so often (n,), with what to do where they were not really observed so often."""
    n, total = len(weight), float(weight.sum())
    if total - n <= _MORE * n:
        return None
    return (
        f"sample_weight: got weights that sum to {total:.6g} for {n} rows, and each row was counted as so many copies "
        "of itself; copies have the same target, so the evidence finds too little noise if the copies were not really "
        f"observed; if the weights say how much each row is to be trusted, {else_do}"
    )


def trace_of(problem: Problem, omega: Gram, tau: float) -> float:
    """What a unit of noise is charged: the trace of Omega, where each row counts once."""
    counts = counts_of(problem)
    if counts is None:
        return float(omega.diag().sum())
    return float(np.sum(omega.diag() / counts.weight)) + counts.between / tau


def volume(log_determinant: float, rows: float) -> float:
    """1/2 log det K + n/2 log 2 pi."""
    return 0.5 * log_determinant + 0.5 * rows * math.log(2.0 * math.pi)
