"""The family of tessellated kernels (Colbert and Peet, 2020)."""

import math
from typing import ClassVar, Literal

import attrs
import numpy as np

from kernelopt.plugin import (
    Coupling,
    Dense,
    FloatArray,
    Gram,
    IntArray,
    InvalidOption,
    MatrixFamily,
    Part,
    monomial_names,
    one_of,
    positive_or,
    reading_order,
    within,
)
from kernelopt_tk import _assembled_kernel
from kernelopt_tk._assembled_kernel import Bound, Expansion
from kernelopt_tk._basis import Basis, basis_size
from kernelopt_tk._bound_rows import Rows
from kernelopt_tk._degree_one import LinearIntegrals
from kernelopt_tk._domain import Bounds, Frame, as_bounds, cut
from kernelopt_tk._general_degree import GeneralIntegrals
from kernelopt_tk._integrals import Integrals, PlainIntegrals
from kernelopt_tk._raised_coupling import RaisedCoupling
from kernelopt_tk._tensor_coupling import couple
from kernelopt_tk._volumes import DenseVolumes, LineVolumes, PassingVolumes


@attrs.frozen
class TK(MatrixFamily):
    """Tessellated kernels: piecewise polynomial, dense in all kernels, linear in P >= 0 with trace P = 1:

        k(x, y) = integral over z in [a, b] of N(z, x)' P N(z, y),
        N(z, x) = [Z(z, x) 1{z >= x}; Z(z, x) (1 - 1{z >= x})],

    with Z the monomials of total degree at most `degree` (Colbert and Peet (2020), section 3.2 and Corollary 13; in
    more than one dimension the second block is the complement, not 1{z <= x}).

    Attributes:
        degree: total degree of the monomials, 0 to 4095. P is 2q x 2q, q = C(d + degree, degree) in basis "x"
            and C(2d + degree, degree) in basis "xz"; 2q may be 4096 at most.
        basis: "x", monomials of x alone, as in the authors' software: a Gram costs O(n^2 q); or "xz", monomials of x
            and z, as the paper prints: O(n^2 d^2) at degree 1, more above.
        margin: how far [a, b] reaches beyond the training columns, in column ranges on each side, >= 0.
        bounds: (a, b) themselves, numbers or one per column, a < b, in the units after `rescale`; None: from `margin`.
        trace: the trace of P under `scale="paper"`: a positive number, or "order" for 2q.
        floor: the share of the trace, in [0, 1], that all entries of the diagonal have alike: P = (1 - floor) S +
            floor / (2q) I over S >= 0 with trace S = 1, so P >= floor / (2q) I. Above 0 P is positive definite, which
            makes every kernel of the family universal (theorem 8); the atoms and weights that are learned are those
            of S.
        rescale: "minmax" maps each training column to [0, 1], and every other row with it; None leaves the columns.

    Raises:
        InvalidOption: an option is out of its range; `prepare`: P is too large, the volume of [a, b] is no floating
            point number, or a column lies outside `bounds` altogether.
    """

    name: ClassVar[str] = "tk"

    degree: int = attrs.field(default=1, validator=within(0, MatrixFamily.max_order - 1, integer=True))
    basis: Literal["x", "xz"] = attrs.field(default="x", validator=one_of("x", "xz"))
    margin: float = attrs.field(default=0.5, validator=within(0.0, math.inf))
    bounds: Bounds | None = attrs.field(default=None, converter=as_bounds)
    trace: float | Literal["order"] = attrs.field(default=1, validator=positive_or("order"))
    rescale: Literal["minmax"] | None = attrs.field(default="minmax", validator=one_of("minmax", None))
    floor: float = attrs.field(default=0.0, kw_only=True, validator=within(0.0, 1.0))
    _frame: Frame | None = attrs.field(default=None, alias="_frame", repr=False)

    def seeing(self, columns: IntArray, width: int) -> "TK":
        return self if self.bounds is None else attrs.evolve(self, bounds=cut(self.bounds, columns, width))

    def prepare(self, X: FloatArray, weight: FloatArray) -> "TK":
        """This family with the rescaling of its columns and the region [a, b] fixed; silent about rows outside it."""
        frame = Frame.fit(X[weight > 0], self.rescale, self.margin, self.bounds)
        return attrs.evolve(self, _frame=frame).check_order()

    @property
    def order(self) -> int:
        return 2 * basis_size(self._fixed.d, self.degree, self.basis)

    @property
    def exponents(self) -> IntArray:
        """The exponents of Z, one row for each monomial: of x in basis "x", of (x, z) in "xz"; last index fastest."""
        return Basis.build(self._fixed.d, self.degree, self.basis).exponents

    def paper_scale(self) -> float:
        """The trace of P in the paper's units: the option `trace`, or the order of P."""
        return float(self.order) if self.trace == "order" else float(self.trace)

    @property
    def _fixed(self) -> Frame:
        if self._frame is None:
            raise InvalidOption("TK: the family has not seen any data; call prepare(X, weight) first")
        return self._frame

    def _integrals(self) -> Integrals:
        frame = self._fixed
        basis = Basis.build(frame.d, self.degree, self.basis)
        if not basis.z_powers.any():
            return PlainIntegrals(basis, frame.lower, frame.upper)
        kind = LinearIntegrals if self.degree == 1 else GeneralIntegrals
        return kind(basis, frame.lower, frame.upper)

    def _rows(self, integrals: Integrals, X: FloatArray) -> Rows:
        return Rows.build(self._fixed.rescaled(X), integrals.basis, integrals.lower, integrals.upper)

    def bind(self, X: FloatArray) -> Bound:
        """The monomials of the rows and the volumes of all pairs of them, in O(n^2 d); in one column their order."""
        integrals = self._integrals()
        rows = self._rows(integrals, X)
        kind = LineVolumes if self._on_a_line(X.shape[1]) else DenseVolumes
        return Bound(integrals, rows, kind.of(rows))

    def bind_once(self, X: FloatArray) -> Bound:
        """The rows without the volumes of their pairs, which are computed for the question and not kept."""
        integrals = self._integrals()
        rows = self._rows(integrals, X)
        return Bound(integrals, rows, LineVolumes.of(rows) if self._on_a_line(X.shape[1]) else PassingVolumes(rows))

    def bind_bytes(self, n: int, d: int) -> int:
        pairs = 2 if self._on_a_line(d) else n
        return 8 * n * (pairs + 2 * d + math.comb(d + self.degree, self.degree) + 1)

    def _on_a_line(self, d: int) -> bool:
        """Whether volumes are minima of two numbers, and integrals are volumes."""
        return d == 1 and (self.basis == "x" or self.degree == 0)

    def gram_of(self, P: FloatArray, data: Bound) -> Gram:
        return self._gram(_assembled_kernel.expand(self._volume_times(P), data.integrals, data.rows), data)

    def image_of(self, P: FloatArray, data: Bound, V: FloatArray) -> FloatArray:
        """Basis "x" takes one product with the volumes; where each pair has integrals, half of the pairs are enough."""
        if not isinstance(data.integrals, PlainIntegrals):
            return self.gram_of(P, data).apply(V)
        kernel = _assembled_kernel.expand(self._fixed.volume * P, data.integrals, data.rows)
        return np.column_stack([_assembled_kernel.apply(kernel, data.volumes, v[:, None]) for v in V.T])

    def gram(self, part: Part, data: Bound) -> Gram:
        return self._gram(self._expand(part, data), data)

    def apply(self, part: Part, data: Bound, V: FloatArray) -> FloatArray:
        return _assembled_kernel.apply(self._expand(part, data), data.volumes, V)

    def _gram(self, kernel: Expansion, data: Bound) -> Dense:
        return Dense(kernel.gram(data.volumes))

    def _expand(self, part: Part, data: Bound) -> Expansion:
        """From the atoms where they are fewer than q, which is what P costs: then that is cheaper."""
        few = self.floor == 0.0 and len(part) < data.integrals.basis.q
        if few and isinstance(data.integrals, PlainIntegrals):
            return _assembled_kernel.expand_atoms(part.scaled(self._fixed.volume), data.rows)
        return _assembled_kernel.expand(self._volume_times(self.matrix(part)), data.integrals, data.rows)

    def _volume_times(self, S: FloatArray) -> FloatArray:
        """The volume of the box times P = (1 - floor) S + floor / (2q) tr(S) I; the map is its own adjoint."""
        return self._fixed.volume * self._raised(S)

    def _raised(self, S: FloatArray) -> FloatArray:
        if self.floor == 0.0:
            return S
        raised = (1.0 - self.floor) * S
        raised[np.diag_indices_from(raised)] += self.floor / len(S) * np.trace(S)
        return raised

    def blend(self, P: FloatArray, Z: FloatArray, X: FloatArray) -> FloatArray:
        integrals, P = self._integrals(), self._volume_times(P)
        left = _assembled_kernel.expand(P, integrals, self._rows(integrals, Z))
        right = _assembled_kernel.expand(P, integrals, self._rows(integrals, X))
        return _assembled_kernel.between(left, right)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The kernel between new rows Z (n', d) and rows X (n, d).

        Outside the bounds the limits of the integrals are clipped to [a, b]; x in the monomials is not.
        """
        return self.blend(self.matrix(part), Z, X)

    def caution(self, Z: FloatArray) -> str | None:
        outside = self._fixed.count_outside(Z)
        if not outside:
            return None
        return (
            f"{outside} of {len(Z)} rows lie outside the bounds of the tessellated kernel, its integration limits are "
            "clipped there; widen margin= or bounds= to cover them"
        )

    def remark(self, part: Part, V: FloatArray) -> str | None:  # noqa: ARG002
        """Of degree 0: for 1'v = 0 the oracle's matrix is a multiple of [[1, -1], [-1, 1]], whatever the data are."""
        if self.degree > 0 or (np.abs(V.sum(axis=0)) > 1e-9 * np.abs(V).sum(axis=0)).any():
            return None
        return (
            "tk: of degree 0, and with dual variables that sum to 0, the optimum is one fixed kernel whatever the data "
            "are, P = [[1, -1], [-1, 1]] / 2; take degree=1 or more to learn one"
        )

    def boundless(self, part: Part) -> bool:  # noqa: ARG002
        return self.degree > 0

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        integrals = self._integrals()
        P = self._volume_times(self.matrix(part))
        return _assembled_kernel.diagonal(P, integrals, self._rows(integrals, X))

    def adjoint(self, data: Bound, V: FloatArray) -> FloatArray:
        return self._volume_times(_assembled_kernel.adjoint(data, V))

    def couple(self, data: Bound, v: FloatArray) -> Coupling:
        """In floating point numbers held: 2 n q in basis "x", n q^2 / 2 in "xz" at degree 1, 4 n q^2 above degree 1."""
        plain = couple(data, self._fixed.volume * v)
        return plain if self.floor == 0.0 else RaisedCoupling.of(plain, self.order, self.floor)

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """The monomials, once where z >= x and once elsewhere."""
        variables = (*columns, *(f"z({name})" for name in columns)) if self.basis == "xz" else columns
        names = monomial_names(self.exponents, variables)
        return (*(f"{name} [z >= x]" for name in names), *(f"{name} [else]" for name in names))

    def reading_order(self) -> IntArray:
        """The monomials as they are read, once where z >= x and once elsewhere."""
        once = reading_order(self.exponents)
        return np.concatenate([once, once + len(once)])

    def describe(self, part: Part) -> str:
        more = f", raised by {self.floor:g} / {self.order} I" if self.floor > 0.0 else ""
        return f"degree {self.degree}, basis {self.basis}, {super().describe(part)}{more}"
