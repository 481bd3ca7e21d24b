"""How fast a function changes along each column: the widths that the evidence of a Gaussian process is largest with.

The process has a kernel of each form with a width for each column, a level and noise (automatic relevance
determination: MacKay 1994; Rasmussen and Williams 2006, equations 5.1, 5.8 and 5.9).
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import attrs
import numpy as np
from scipy.linalg import blas, lapack
from scipy.optimize import OptimizeResult, minimize

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families.dictionary.kernels._closed_form import Exponential, Gaussian
from kernelopt._families.dictionary.kernels._pairwise import bases_of
from kernelopt._linalg._gram import mirrored
from kernelopt._linalg._triangular_inverse import inverse_of_factored

FORMS: tuple[tuple[str, Gaussian | Exponential], ...] = (("rbf", Gaussian(1.0)), ("exponential", Exponential(1.0)))
"""Smooth functions and rough ones, both of |x - z|^2 = sum_j rate_j (x_j - z_j)^2."""
_STEPS = 30
"""Of the search at most. Worth: `r_tables.py`."""
_RATES, _WEIGHT, _REST = (0.5, 0.05), 0.5, 0.1
"""Where the search begins: d rate_j of each form, the weight of each form, and that of the level and of the noise."""
_NARROWER, _NEAR = (10.0, 100.0, 1000.0), 0.5
"""Wide kernels take short waves for noise, and no small step makes them narrow enough to tell such waves apart. So
another search begins with the rates times the one of these that the evidence is largest with, where that is no more
than so many nats a target below what the first search has found. Guards: a search from other narrow kernels may end at
a larger evidence and predict worse."""
_TOLD, _BEHIND = 10, 5.0
"""From so many steps on this search ends where it is more nats than these behind the first one after as many steps:
guards, for time, since a search that is so far behind hardly ever catches up."""
_SPAN, _GAIN = 5, 0.2
"""A search ends where that many steps in a row have together gained less than so many nats of the few hundred rows that
it sees, which are more of all rows. Worth: `constants.py growth.gain`, and `many_rows_table.py FILE --sets ca_housing`.
"""
_ROUGH, _FINE, _MANY = 400, 10, 1.25
"""Where there are so many times as many rows as the first number, or more, the searches see that number of rows, and
the better one goes on with so many steps on all. Worth: `evidence_table.py`."""
_ALL_NOISE, _TELLING = 0.5, 0.05
"""The value for each target where targets are all noise, and how much less it must be for a part of the rows to say
something of widths: a guard, since all rows may tell waves apart that are short for a part."""
_LEAST, _MOST = -16.0, 10.0
"""Logarithms of all these stay between the two: a guard, for digits."""
_REFUSED = 1e10
"""The loss where rounding leaves no Cholesky factor."""


@attrs.frozen(eq=False)
class Found:
    """A kernel's form and how fast it falls along each column.

    Attributes:
        name: of the form.
        rates: shape (d,), >= 0.
    """

    name: str
    rates: FloatArray


def fitted_widths(X: FloatArray, T: FloatArray, weight: FloatArray, columns: IntArray) -> tuple[Found, ...]:
    """The rates of each form that suit some targets; none where these are all one.

    One look takes O(n^3 + n^2 d), and there are some 40; of 500 rows or more, some 12, and 40 at 400 rows.

    Args:
        X: rows, shape (n, d), in units in which all columns are alike.
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0: one of weight k is the mean of k rows.
        columns: for each of the d columns the number of its rate, shape (d,), from 0 on: some have one in common.
    """
    T = T - np.average(T, axis=0, weights=weight)
    size = float(np.average(np.mean(T * T, axis=1), weights=weight))
    if not (0.0 < size < np.inf):
        return ()
    process = Process(X, columns, T / np.sqrt(size), weight.mean() / weight)
    found = process.found()
    if not np.isfinite(found.x).all():
        return ()
    members, _, _ = process.split(found.x)
    return tuple(Found(name, rates[columns]) for (name, _), (_, rates) in zip(FORMS, members, strict=True))


@attrs.frozen(eq=False)
class Searched:
    """Where a search has ended.

    Attributes:
        value: the least one that it has found.
        x: where that is.
        steps: the value after each step.
    """

    value: float
    x: FloatArray
    steps: Sequence[float]


@attrs.frozen(eq=False)
class Process:
    """A Gaussian process on some rows, of unit-sized targets.

    Attributes:
        X: rows, shape (n, d).
        columns: the number of each column's rate, shape (d,), each of 0 to p - 1 being there.
        T: targets, shape (n, c).
        share: of the noise's variance that each row has, shape (n,).
    """

    X: FloatArray
    columns: IntArray
    T: FloatArray
    share: FloatArray

    def start(self, narrower: float = 1.0) -> FloatArray:
        """Logarithms of a weight and p rates for each form, of the level and of the noise, where a search begins: with
        kernels that fall so many times as fast with squared distances.
        """
        p = self._rates
        members = [np.log([_WEIGHT, *[narrower * rate / p] * p]) for rate in _RATES]
        return np.concatenate([*members, np.log([_REST, _REST])])

    def among(self, most: int) -> "Process":
        """On so many rows, drawn: every other one may be of one kind."""
        chosen = np.random.default_rng(0).choice(len(self.X), most, replace=False)
        return attrs.evolve(self, X=self.X[chosen], T=self.T[chosen], share=self.share[chosen])

    def found(self) -> Searched:
        """Where the evidence is largest: of many rows first as a part of these says, and then some steps further by
        all, unless the part takes the targets for noise.
        """
        if len(self.X) >= _MANY * _ROUGH:
            some = self.among(_ROUGH)
            rough = some.least()
            if rough.value < (_ALL_NOISE - _TELLING) * some.T.size:
                return self.searched(rough.x, most=_FINE)
        return self.least()

    def least(self) -> Searched:
        """The better one of two searches, from wide kernels and from narrow ones."""
        found = self.searched(self.start())
        narrow = min(map(self.start, _NARROWER), key=self.value)  # the first of equally good ones
        if self.value(narrow) < found.value + _NEAR * self.T.size:
            found = min(found, self.searched(narrow, beside=found.steps), key=lambda one: one.value)
        return found

    def searched(self, start: FloatArray, beside: Sequence[float] = (), most: int = _STEPS) -> Searched:
        """The least value that steps from a start lead to; no further ones where another search was ahead of it.

        Args:
            start: logarithms.
            beside: the values of the other search after each of its steps.
            most: steps.
        """
        steps: list[float] = []

        def stepped(intermediate_result: OptimizeResult) -> None:  # scipy knows the argument by this name
            steps.append(float(intermediate_result.fun))
            other = beside[min(len(steps), len(beside)) - 1] if beside else np.inf
            behind = len(steps) >= _TOLD and steps[-1] > other + _BEHIND
            if behind or (len(steps) > _SPAN and steps[-1 - _SPAN] - steps[-1] < _GAIN):
                raise StopIteration

        with np.errstate(over="ignore", invalid="ignore"):
            search = minimize(
                self.loss,
                start,
                jac=True,
                method="L-BFGS-B",
                bounds=[(_LEAST, _MOST)] * len(start),
                options={"maxiter": most},
                callback=stepped,
            )
        return Searched(float(search.fun), search.x, steps)

    def split(self, x: FloatArray) -> tuple[list[tuple[float, FloatArray]], float, float]:
        """Weight and rates (p,) of each form, the level and the noise, of their logarithms."""
        values = np.exp(x)
        members = values[:-2].reshape(len(FORMS), -1)
        return [(float(one[0]), one[1:]) for one in members], float(values[-2]), float(values[-1])

    def value(self, x: FloatArray) -> float:
        """Minus the logarithm of the evidence at logarithms x, up to a constant."""
        found = _solved(self._seen(x)[1], self.T)
        return _REFUSED if found is None else found[0]

    def loss(self, x: FloatArray) -> tuple[float, FloatArray]:
        """The same, and its derivatives in these logarithms."""
        seen, K = self._seen(x)
        _, level, noise = self.split(x)
        found = _evidence(K, self.T)
        if found is None:
            return _REFUSED, np.zeros_like(x)
        value, slope = found
        parts = [part for member in seen for part in self._slopes(member, slope)]
        noisy = noise * float(np.diagonal(slope) @ self.share)
        return value, np.concatenate([*parts, [level * slope.sum(), noisy]])

    def _seen(self, x: FloatArray) -> tuple[list["Member"], FloatArray]:
        """The members at logarithms x, and the Gram of all with level and noise, shape (n, n)."""
        members, level, noise = self.split(x)
        pairs = zip(FORMS, members, strict=True)
        seen = [Member.of(form, weight, self._scaled(rates)) for (_, form), (weight, rates) in pairs]
        K = np.full((len(self.X), len(self.X)), level)
        for member in seen:
            K += member.gram
        K[np.diag_indices_from(K)] += noise * self.share
        return seen, K

    def _scaled(self, rates: FloatArray) -> FloatArray:
        """The rows in units in which squared distances have these rates (p,), shape (n, d)."""
        return self.X * np.sqrt(rates)[self.columns]

    def _slopes(self, member: "Member", slope: FloatArray) -> Iterator[FloatArray]:
        """Derivatives in the logarithms of a form's weight, shape (1,), and of its rates, shape (p,)."""
        yield np.array([np.vdot(slope, member.gram)])
        pairs, seen = slope * member.falling, member.rows
        apart = (seen * seen).T @ pairs.sum(axis=1) - np.einsum("ij,ij->j", seen, pairs @ seen)
        yield np.asarray(np.bincount(self.columns, 2.0 * apart, self._rates), dtype=np.float64)

    @cached_property
    def _rates(self) -> int:
        return int(self.columns.max()) + 1


@attrs.frozen(eq=False)
class Member:
    """One form's share of a Gram.

    Attributes:
        rows: in units in which its distances are measured, shape (n, d).
        gram: shape (n, n).
        falling: derivatives of that in squared distances, shape (n, n).
    """

    rows: FloatArray
    gram: FloatArray
    falling: FloatArray

    @classmethod
    def of(cls, form: Gaussian | Exponential, weight: float, rows: FloatArray) -> "Member":
        """A form's, of some weight."""
        n, d = rows.shape
        base = bases_of({form.base}, rows, rows, np.empty((2, n, n)), form.decay(d).steepness)[form.base]
        np.fill_diagonal(base, 0.0)  # rounding leaves more, whose root is no small number
        gram = np.empty_like(base)
        form.written(base, d, gram)
        falling = form.falling(base, d, gram)
        falling *= weight
        gram *= weight
        return cls(rows, gram, falling)


def _solved(K: FloatArray, T: FloatArray) -> tuple[float, FloatArray, FloatArray] | None:
    """Minus the logarithm of the evidence for targets T (n, c), up to a constant, the Cholesky factor of K (n, n) as
    LAPACK leaves it, and K^-1 T; None where K has no such factor. K is overwritten.
    """
    lower, failed = lapack.dpotrf(K.T, lower=1, overwrite_a=1)
    if failed:
        return None
    A = lapack.dpotrs(lower, T, lower=1)[0]
    return float(0.5 * np.vdot(T, A) + T.shape[1] * np.log(np.diagonal(lower)).sum()), lower, A


def _evidence(K: FloatArray, T: FloatArray) -> tuple[float, FloatArray] | None:
    """The same first number, and its derivatives in the entries of K (n, n), each as if it stood alone; None where K
    has no Cholesky factor. K is overwritten.
    """
    found = _solved(K, T)
    if found is None:
        return None
    value, lower, A = found
    half = inverse_of_factored(lower, overwrite=True)
    half = blas.dsyrk(-0.5, A, beta=0.5 * T.shape[1], c=half, lower=1, overwrite_c=1)
    return value, mirrored(half).T
