"""The family of kernels that a hyperkernel spans (Ong, Smola and Williamson, 2005)."""

import math
from typing import Any, ClassVar, Literal

import attrs
import numpy as np
from attrs.validators import deep_iterable

from kernelopt import Dictionary
from kernelopt.plugin import (
    Data,
    Dense,
    FloatArray,
    Gram,
    IntArray,
    InvalidData,
    InvalidOption,
    KernelFamily,
    Norm,
    Part,
    PenalizedFamily,
    Penalty,
    Square,
    one_of,
    positive,
    within,
)
from kernelopt_hyperkernel._closed_forms import HARMONIC, radius
from kernelopt_hyperkernel._description import described, left_out, nothing_learned, with_itself
from kernelopt_hyperkernel._hyperkernels import Explicit, PairKernel, PolynomialAndGaussian
from kernelopt_hyperkernel._kinds import Own, alone, as_kind, own_or, ready
from kernelopt_hyperkernel._pairs import base_values, blocks, count, unpacked
from kernelopt_hyperkernel._pivot_grams import Bound, product
from kernelopt_hyperkernel._prepared import Frame
from kernelopt_hyperkernel._series import READY
from kernelopt_hyperkernel._widths import Sigma, as_sigma, cut, widths

_ALL = "all"
PAPER = "paper"
"""The price of the paper's experiments."""
PAPER_PRICE = 100.0
"""For each row: lambda_Q / lambda with lambda_Q = 1 and 1 / (lambda n) = 100."""


@attrs.frozen
class Hyperkernel(PenalizedFamily):
    """Kernels that a hyperkernel spans, priced by their norm in its space,

        k(x, z) = sum_a w_a h((x_a, x'_a), (x, z)),     w >= 0,     R(w) = lambda_q / 2 |k| or lambda_q / 2 |k|^2,

    with |k|^2 = w'Hw, H the hyper-Gram of the atoms; an atom is a pair of training points (x_a, x'_a) (Ong, Smola and
    Williamson (2005), equations (6), (7) and proposition 8).

    Of the n (n + 1) / 2 pairs an incomplete Cholesky factorisation takes as pivots those that span the others
    (section 7.1), in time O(n^2 p (p + d)) and memory O(n^2 p), the hyper-Gram never being formed.

    Attributes:
        kind: of hyperkernel. With e_j = exp(-sigma_j (x_j - x'_j)^2), e = prod_j e_j and l = lambda_h,
            "harmonic": prod_j (1 - l) / (1 - l e_j e'_j), a width of its own for every column (14);
            "isotropic": (1 - l) / (1 - l e e') (12), (13);
            "exp", "sinh", "cosh", "arctanh" and "log": exp(l e e'), ..., -ln(1 - l e e') (11), table 2;
            "polynomial-gaussian": c1 (<x, x'> + b)^(2p) (<z, z'> + b)^(2p) + c2 e e' (16);
            "sum": sum_i c_i k_i(x, x') k_i(z, z') (15);
            or a hyperkernel of one's own: a `Series`, or a mapping of its options, such as {"terms": [0, 0.5, 0.5]},
            which has its own lambda_h and sigma; or `Differences`, a function of the differences of rows (theorem 9).
        lambda_h: above 0, and below 1 but for "exp", "sinh" and "cosh". The larger, the narrower the kernels.
        lambda_q: what a kernel's norm costs, >= 0; beside a mean loss and lambda/2 |f|^2, as in (17), it is
            lambda_Q / lambda. "paper": 100 n for n training rows (of weights, their sum), the setting of the paper's
            experiments (section 7): a mean loss with 1 / (lambda n) = 100, which is C = 100 here, and lambda_Q = 1.
        sigma: a positive number, or one for each column, in the units of X; "quantile": 1 / (d q_j^2), q_j the 90 %
            quantile of |x_ij - x_kj| over the training rows, d the number of columns; a multiple of it, such as
            "4 quantile", for kernels that are half as wide; "printed": 50 q_j, the letter of section 7, which depends
            on the unit of the column.
        penalty: "norm": R = lambda_q / 2 |k|, as the paper's programs (27) to (32) have it; "squared": its square, as
            in (6).
        total: the sum of the weights, positive; None: any, with penalty="squared".
        pivots: how many at most; "all": every pair with every other, for few rows.
        tolerance: what may be left of a pair's squared norm when pivots end, as a share of the largest; where they end
            by their number before, a note of the solution says what they leave.
        c1, c2, b, p: of "polynomial-gaussian": above 0, above 0, at least 0, an integer of at least 1.
        kernels: of "sum": the k_i, as `Dictionary` takes them; none may be negative anywhere.
        coefficients: of "sum": the c_i, each above 0; all 1 where none are given.

    Raises:
        InvalidOption: an option is out of its range.
    """

    name: ClassVar[str] = "hyperkernel"

    kind: str | Own = attrs.field(
        default=HARMONIC, converter=as_kind, validator=own_or(*READY, "polynomial-gaussian", "sum")
    )
    lambda_h: float = attrs.field(default=0.6, validator=positive)
    lambda_q: float | Literal["paper"] = attrs.field(default=1.0)
    sigma: Sigma = attrs.field(default="quantile", converter=as_sigma)
    _penalty: Literal["norm", "squared"] = attrs.field(
        default="norm", alias="penalty", validator=one_of("norm", "squared")
    )
    total: float | None = attrs.field(default=1.0)
    pivots: int | Literal["all"] = attrs.field(default=200)
    tolerance: float = attrs.field(default=1e-6, validator=within(0.0, 1.0))
    c1: float = attrs.field(default=0.5, validator=positive)
    c2: float = attrs.field(default=0.5, validator=positive)
    b: float = attrs.field(default=1.0, validator=within(0.0, math.inf))
    p: int = attrs.field(default=1, validator=within(1, math.inf, integer=True))
    kernels: tuple[Any, ...] = attrs.field(default=(), converter=tuple)
    coefficients: tuple[float, ...] = attrs.field(default=(), converter=tuple, validator=deep_iterable(positive))
    _frame: Frame | None = attrs.field(default=None, alias="_frame", repr=False)

    @lambda_h.validator
    def _check_radius(self, field: "attrs.Attribute[float]", value: float) -> None:
        alone(self.kind, field, value)
        if isinstance(self.kind, str) and self.kind in READY and value >= radius(READY[self.kind]):
            raise InvalidOption(f"Hyperkernel: lambda_h must be below 1 for kind={self.kind!r}, got {value!r}")

    @lambda_q.validator
    def _check_price(self, field: "attrs.Attribute[float | str]", value: float | str) -> None:
        if isinstance(value, str) and value != PAPER:
            raise InvalidOption(f'Hyperkernel: lambda_q must be a number of at least 0 or "{PAPER}", got {value!r}')
        if value != PAPER:
            within(0.0, math.inf)(self, field, value)

    @sigma.validator
    def _check_sigma(self, field: "attrs.Attribute[Sigma]", value: Sigma) -> None:
        alone(self.kind, field, value)

    @total.validator
    def _check_total(self, field: "attrs.Attribute[float | None]", value: float | None) -> None:
        if value is not None:
            positive(self, field, value)
        elif self._penalty == "norm":
            raise InvalidOption(
                'Hyperkernel: total=None needs penalty="squared", because with the norm the best sum may be infinite'
            )
        if value is None and self.lambda_q == 0.0:
            raise InvalidOption(
                "Hyperkernel: total=None needs lambda_q > 0, got 0: without a price a larger kernel is always better"
            )

    @coefficients.validator
    def _check_sum(self, _: "attrs.Attribute[tuple[float, ...]]", value: tuple[float, ...]) -> None:
        if bool(self.kernels) != (self.kind == "sum"):
            raise InvalidOption(
                f'Hyperkernel: kernels=[...] belongs to kind="sum" and is required there, got {self.kernels!r}'
            )
        if value and len(value) != len(self.kernels):
            raise InvalidOption(f"Hyperkernel: got {len(value)} coefficients for {len(self.kernels)} kernels")
        if self.kernels:
            Dictionary(self.kernels)

    @pivots.validator
    def _check_pivots(self, field: "attrs.Attribute[int | str]", value: int | str) -> None:
        if value != _ALL:
            within(1, math.inf, integer=True)(self, field, value)

    def seeing(self, columns: IntArray, width: int) -> "Hyperkernel | None":
        """Without those that are constant, unless a kernel of a sum is a function of the user's own."""
        if isinstance(self.kind, Own):
            kind = self.kind.seeing(columns, width)
            return None if kind is None else attrs.evolve(self, kind=kind)
        fewer = attrs.evolve(self, sigma=cut(self.sigma, columns, width))
        if not self.kernels:
            return fewer
        listed: Any = Dictionary(self.kernels).seeing(columns, width)
        return None if listed is None else attrs.evolve(fewer, kernels=listed.listed)

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Hyperkernel":
        """This family with its widths and its pivots fixed."""
        counted = weight > 0
        kernel = self._between_pairs(X[counted], weight[counted])
        most = None if isinstance(self.pivots, str) else self.pivots
        return attrs.evolve(self, _frame=Frame.fit(kernel, X[counted], weight[counted], most, self.tolerance))

    def _between_pairs(self, X: FloatArray, weight: FloatArray) -> PairKernel:
        if isinstance(self.kind, Own) or self.kind in READY:
            return ready(self.kind, self.sigma, self.lambda_h).between_pairs(X, weight)
        if self.kind == "sum":
            coefficients = self.coefficients or [1.0] * len(self.kernels)
            return Explicit(Dictionary(self.kernels, normalize=None), np.array(coefficients))
        return PolynomialAndGaussian(self.c1, self.c2, self.b, self.p, widths(self.sigma, X, weight))

    @property
    def _fixed(self) -> Frame:
        if self._frame is None:
            raise InvalidOption("Hyperkernel: the family has not seen any data; call prepare(X, weight) first")
        return self._frame

    @property
    def penalty(self) -> Penalty:
        """R on the weights of the pivots."""
        kind = Norm if self._penalty == "norm" else Square
        price = PAPER_PRICE * self._fixed.rows if isinstance(self.lambda_q, str) else self.lambda_q
        return kind(self._fixed.gram, 0.5 * price)

    def dictionary(self) -> Part:
        atoms = self._fixed.atoms
        return Part(atoms, np.full(len(atoms), 1.0 / len(atoms)))

    def index(self, atoms: FloatArray) -> IntArray:
        """The place of each of these pairs (k, 2 d), or of one with the same kernel, among the pivots.

        Raises:
            InvalidData: a pair is none.
        """
        numbers = self._fixed.numbers_of(atoms)
        if (numbers < 0).any():
            raise InvalidData(
                f"Hyperkernel: {int((numbers < 0).sum())} of {len(atoms)} atoms are no pivots of the family, so their "
                'price is not known; take pairs of its dictionary(), or pivots="all"'
            )
        return numbers

    def stranger(self, atoms: FloatArray) -> str | None:
        """Pairs with the kernel of a pivot are none, in whichever order and sign their rows come."""
        unknown = int((self._fixed.numbers_of(atoms) < 0).sum())
        if not unknown:
            return None
        return f"{unknown} of {len(atoms)} atoms are no pivots, so their price is not known"

    def center(self) -> Part:
        """The first pivot, of all pairs the one with the largest norm: with most kinds a point paired with itself.

        That is the fixed kernel which is the optimum where nothing is learned, so the baseline tells what learning
        gained; and the unit scale does not depend on how many pivots there are.
        """
        return Part(self._fixed.atoms[:1], np.ones(1))

    def bind(self, X: FloatArray) -> Data:
        """The Grams of all pivots, packed: half of p n^2 numbers."""
        return Bound.of(self._fixed.kernel, self._fixed.base_of(self._fixed.atoms), X)

    def bind_bytes(self, n: int, d: int) -> int:
        return 8 * (count(n) * len(self._fixed.atoms) + n * d)

    def gram(self, part: Part, data: Data) -> Gram:
        return Dense(unpacked(self._packed(part, data), len(data.X)))

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        gram = self._packed(part, data)
        return np.column_stack([product(gram, v) for v in V.T])

    def _packed(self, part: Part, data: Bound) -> FloatArray:
        """The part's Gram, packed; an atom that is no pivot is computed on the way."""
        number = self._fixed.numbers_of(part.atoms)
        known = number >= 0
        total = data.summed(np.bincount(number[known], part.weights[known], len(data.grams)).astype(float))
        if not known.all():
            others = Part(part.atoms[~known], part.weights[~known])
            total += self._mixed(others, base_values(self._fixed.kernel, data.X))
        return total

    def _mixed(self, part: Part, values: FloatArray) -> FloatArray:
        """The part's kernel at pairs of rows with these base values (r, m), shape (m,)."""
        part, total = part.kept(), np.zeros(values.shape[1])
        mine = self._fixed.base_of(part.atoms)
        for some in blocks(len(total), len(part)):
            total[some] = part.weights @ self._fixed.kernel.between(mine, values[:, some])
        return total

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        matrix = np.empty((len(Z), len(X)))
        for row, z in zip(matrix, Z, strict=True):
            row[:] = self._mixed(part, self._fixed.kernel.base(np.broadcast_to(z, X.shape), X))
        return matrix

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return self._mixed(part, self._fixed.kernel.base(X, X))

    def boundless(self, part: Part) -> bool | None:  # noqa: ARG002
        return self._fixed.kernel.boundless

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        return np.asarray(data.values(V))

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        return np.asarray(data.columns(V))

    def compact(self, part: Part) -> tuple[KernelFamily, Part]:
        """The pairs that have weight, without the other pivots."""
        fewer = part.kept()
        return attrs.evolve(self, _frame=attrs.evolve(self._fixed, atoms=fewer.atoms)), fewer

    def describe(self, part: Part) -> str:
        """How many pairs have weight, the heaviest, the share of points with themselves; one's own hyperkernel."""
        return f"{described(part)}; {self.kind}" if isinstance(self.kind, Own) else described(part)

    def label(self, atom: FloatArray) -> str:
        """The number of a pivot, and whether it pairs a point with itself."""
        kind = "point" if with_itself(atom[None])[0] else "pair"
        return f"{kind} {int(self._fixed.numbers_of(atom[None])[0])}"

    def remark(self, part: Part, V: FloatArray) -> str | None:  # noqa: ARG002
        """What the pivots leave out, where they ended before the tolerance; and that nothing was learned, where all
        weights sit on pairs of a point with itself.
        """
        said = (
            left_out(len(self._fixed.atoms), self._fixed.left, self.tolerance),
            nothing_learned(part, self._fixed.kernel.of_a_point()),
        )
        return "; ".join(text for text in said if text is not None) or None
