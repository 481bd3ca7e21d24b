"""The kernel of a family that is nearest to a given Gram matrix (Colbert and Peet (2020), programs (20) and (21))."""

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

import attrs
import numpy as np
import scipy.linalg

import kernelopt
from kernelopt.plugin import (
    ExplicitFamily,
    FiniteFamily,
    FloatArray,
    InvalidData,
    InvalidOption,
    Leaf,
    LinearFamily,
    MatrixFamily,
    Mixture,
    Part,
    Refused,
)

Distance = Literal["mean", "max"]
NORMS: Mapping[Distance, Callable[[FloatArray], float]] = MappingProxyType(
    {"mean": lambda D: float(np.abs(D).mean()), "max": lambda D: float(np.abs(D).max())}
)
"""sum_ij |D_ij| / n^2 of program (20), and max_ij |D_ij| of program (21)."""
_DUAL: Mapping[Distance, Callable[[FloatArray], float]] = MappingProxyType(
    {"mean": lambda W: W.size * float(np.abs(W).max()), "max": lambda W: float(np.abs(W).sum())}
)
"""The dual norms: <W, D> <= dual(W) norm(D)."""
_TOLERANCE = 1e-9
_RANGE = 1e-12
"""Directions of P whose kernel has less than this share of the largest trace are left out: rounding hides them."""


@attrs.frozen(eq=False)
class Nearest:
    """The nearest kernel of a family.

    Attributes:
        kernel: a callable k(Z1, Z2), as that of a solution.
        gram: its values on the rows, shape (n, n).
        distance: to the Gram that was asked for, in the norm that was asked for.
        lower: no kernel of the family, of any size, is nearer than this.
    """

    kernel: Any
    gram: FloatArray
    distance: float
    lower: float

    def __str__(self) -> str:
        return f"{self.lower:.6g} <= distance of the nearest kernel <= {self.distance:.6g}"


def nearest_kernel(gram: FloatArray, X: Any, *, family: Any = "tk", norm: Distance = "mean", most: int = 80) -> Nearest:
    """The kernel of a family whose values on given rows are nearest to a given Gram matrix.

        minimise over K   sum_ij |K_ij - gram_ij| / n^2,   or   max_ij |K_ij - gram_ij|,
        K = K(P) with P >= 0 of a matrix family, K = sum_a w_a K_a with w >= 0 of a finite list, or their sum

    The size of the kernel is free: the trace of P, or the sum of the weights, may be anything. Directions of P whose
    kernel is 1e-12 of the largest on these rows are left out, since rounding hides them. The lower bound is that of the
    dual, made feasible, and so it does not rest on the solver's word. Clarabel solves the program through cvxpy.

    Colbert and Peet (2020), programs (20) and (21), where the sets of kernels are GPK (9), TK and Gaussians (22).

    Args:
        gram: shape (n, n), symmetric.
        X: the n rows, as in `kernelopt.solve`.
        family: as in `kernelopt.solve`: matrix families and finite lists, and unions of them.
        norm: "mean", program (20), or "max", program (21).
        most: the largest order of P that is tried: the time grows with its sixth power.

    Raises:
        InvalidData: the matrix is not symmetric, or has not one row for each row of X.
        InvalidOption: there is no such norm.
        Refused: a member is neither a matrix family nor a finite list, or P is too large, or the program fails.
    """
    if norm not in NORMS:
        raise InvalidOption(f'norm: got {norm!r}, wanted "mean" (program 20) or "max" (program 21)')
    wanted = _checked(gram, X)
    rows = kernelopt.solve(X, np.arange(len(wanted)), family=family, criterion="ridge", scale="paper", max_steps=0)
    members = [_Member.of(leaf, leaf.view(rows.kernel.rows(X)), most) for leaf in rows.kernel.leaves]
    found, W = _solved(members, wanted, norm)
    kernel = attrs.evolve(rows.kernel, mixture=Mixture(tuple(found)))
    values = np.asarray(sum(one.gram(part) for one, part in zip(members, found, strict=True)))
    lower = max(_bound(members, wanted, sign * W, norm) for sign in (1.0, -1.0))
    return Nearest(kernel, values, NORMS[norm](values - wanted), lower)


def _checked(gram: Any, X: Any) -> FloatArray:
    """The Gram as an array.

    Raises:
        InvalidData: it is not symmetric, or has not one row for each row of X.
    """
    wanted = np.asarray(gram, dtype=np.float64)
    n = len(X)
    if wanted.shape != (n, n):
        raise InvalidData(f"gram: got shape {wanted.shape}, wanted ({n}, {n}), one row for each row of X")
    if not np.allclose(wanted, wanted.T):
        raise InvalidData("gram: wanted a symmetric matrix of finite numbers; a Gram matrix is one")
    return 0.5 * (wanted + wanted.T)


@attrs.frozen(eq=False)
class _Member:
    """One family on the rows that it sees, with parameters whose kernels all have one size.

    Attributes:
        leaf: a matrix family or a finite list.
        data: the rows, bound.
        R: P = R Q R' has tr K = tr Q, shape (q, r); or the weights w = R u have tr K = sum u, shape (m, r).
    """

    leaf: Leaf
    data: Any
    R: FloatArray

    @classmethod
    def of(cls, leaf: Leaf, X: FloatArray, most: int) -> "_Member":
        family, data = leaf.family, leaf.family.bind(X)
        if not isinstance(family, MatrixFamily | FiniteFamily):
            raise Refused(f"nearest_kernel: {family.name} is neither a matrix family nor a finite list of kernels")
        if isinstance(family, MatrixFamily) and family.order > most:
            raise Refused(
                f"nearest_kernel: P of {family.name} would be {family.order} x {family.order}, and the limit is "
                f"{most}; take a lower degree, fewer columns, or raise the limit with `most`"
            )
        return cls(leaf, data, _whitening(leaf.factor * family.form(data, np.eye(len(X)))))

    @property
    def _family(self) -> LinearFamily:
        return self.leaf.linear

    def gram(self, part: Part) -> FloatArray:
        """The kernel of a part of any size."""
        return self.leaf.factor * self._family.gram(part, self.data).dense()

    def form(self, W: FloatArray) -> FloatArray:
        """<W, K> as a linear form in Q or u, for symmetric W (n, n): a matrix (r, r), or a vector (r,)."""
        values, vectors = scipy.linalg.eigh(W)
        total: Any = 0.0
        for sign in (1.0, -1.0):
            mine = sign * values > 0.0
            if mine.any():
                total = total + sign * self._family.form(self.data, vectors[:, mine] * np.sqrt(np.abs(values[mine])))
        half = self.leaf.factor * self.R.T @ total
        return np.asarray(half @ self.R if half.ndim == 2 else half)

    def variable(self, cvxpy: Any) -> tuple[Any, Any]:
        """Q or u as a variable of cvxpy, and K as an expression."""
        r, family = self.R.shape[1], self._family
        if isinstance(family, MatrixFamily):
            Q = cvxpy.Variable((r, r), PSD=True)
            if isinstance(family, ExplicitFamily):
                Z = np.sqrt(self.leaf.factor) * family.columns(np.eye(family.order), self.data)[0] @ self.R
                return Q, Z @ Q @ Z.T
            units = (self.R @ np.reshape(one, Q.shape) @ self.R.T for one in np.eye(r * r))
            grams = [self.leaf.factor * family.gram_of(0.5 * (one + one.T), self.data).dense() for one in units]
            return Q, _summed(cvxpy, grams, cvxpy.vec(Q, order="C"))
        u = cvxpy.Variable(r, nonneg=True)
        return u, _summed(cvxpy, [self.gram(self.part(one)) for one in np.eye(r)], u)

    def part(self, value: FloatArray) -> Part:
        """What a value of Q or of u stands for."""
        family = self._family
        if isinstance(family, MatrixFamily):
            P = self.R @ value @ self.R.T
            return family.part(0.5 * (P + P.T))
        assert isinstance(family, FiniteFamily)
        return Part(family.dictionary().atoms, np.maximum(self.R @ value, 0.0)).kept()


def _whitening(traces: FloatArray) -> FloatArray:
    """R of a member, from tr K as a linear form in P (q, q) or in the weights (m,)."""
    if traces.ndim == 1:
        seen = np.flatnonzero(traces > _RANGE * traces.max())
        return np.asarray(np.eye(len(traces))[:, seen] / traces[seen])
    sizes, vectors = scipy.linalg.eigh(traces)
    seen = sizes > _RANGE * sizes[-1]
    return np.asarray(vectors[:, seen] / np.sqrt(sizes[seen]))


def _summed(cvxpy: Any, grams: list[FloatArray], weights: Any) -> Any:
    """sum_a weights_a K_a."""
    n = len(grams[0])
    return cvxpy.reshape(np.column_stack([K.ravel() for K in grams]) @ weights, (n, n), order="C")


def _solved(members: list[_Member], wanted: FloatArray, norm: Distance) -> tuple[list[Part], FloatArray]:
    """The parts of the nearest kernel, and the multipliers of K - gram = D, up to their sign, shape (n, n).

    Raises:
        Refused: Clarabel has no answer.
    """
    cvxpy: Any = import_module("cvxpy")
    pairs = [one.variable(cvxpy) for one in members]
    D = cvxpy.Variable(wanted.shape)
    same = sum(K for _, K in pairs) - wanted == D
    cost = cvxpy.sum(cvxpy.abs(D)) / D.size if norm == "mean" else cvxpy.max(cvxpy.abs(D))
    program = cvxpy.Problem(cvxpy.Minimize(cost), [same])
    accuracy = {f"tol_{name}": _TOLERANCE for name in ("gap_abs", "gap_rel", "feas")}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the bounds say how accurate the answer is
            program.solve(solver=cvxpy.CLARABEL, **accuracy)
    except cvxpy.SolverError as error:
        raise Refused(f"nearest_kernel: clarabel: {str(error).splitlines()[0]}") from None
    if any(variable.value is None for variable, _ in pairs):
        raise Refused(f"nearest_kernel: clarabel ended as {program.status}; take a lower degree, or fewer kernels")
    parts = [one.part(np.asarray(variable.value)) for one, (variable, _) in zip(members, pairs, strict=True)]
    return parts, 0.5 * (same.dual_value + same.dual_value.T)


def _bound(members: list[_Member], wanted: FloatArray, W: FloatArray, norm: Distance) -> float:
    """A lower bound on the distance from any symmetric W.

    If <W, K> >= 0 for every kernel K of the family, norm(K - gram) >= <W, K - gram> / dual(W) >= -<W, gram> / dual(W).
    Where W lacks that by rounding, a multiple of the identity is added.
    """
    forms = [one.form(W) for one in members]  # of <W, K> beside tr K = tr Q or sum u
    lift = -min(float(form.min() if form.ndim == 1 else np.linalg.eigvalsh(form)[0]) for form in forms)
    W = W + max(lift, 0.0) * np.eye(len(W))
    size = _DUAL[norm](W)
    return max(-float(np.vdot(W, wanted)) / size, 0.0) if size > 0.0 else 0.0
