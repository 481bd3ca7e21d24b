"""The family of kernels of a learned metric."""

import math
from typing import ClassVar, Literal

import attrs
import numpy as np
from scipy.spatial.distance import cdist

from kernelopt.plugin import (
    BestAtoms,
    Data,
    Dense,
    FloatArray,
    Gram,
    IntArray,
    InvalidOption,
    KernelFamily,
    Part,
    Query,
    instance,
    largest_shares,
    one_of,
    within,
)
from kernelopt_metric._candidates import candidates, widths
from kernelopt_metric._climb import Free, free_numbers
from kernelopt_metric._column_scaling import Frame
from kernelopt_metric._largest_variance import largest_variance
from kernelopt_metric._layout import Layout
from kernelopt_metric._metric_objective import Landscape
from kernelopt_metric._oracle import ask
from kernelopt_metric._radial_shapes import Shape, likeness
from kernelopt_metric._shares import shares_of

_USUAL_RANK = 8
"""Of R where nobody says: with more, an atom has many numbers, and a part of several atoms has more directions."""
_REACH = 16.0


@attrs.frozen
class Metric(KernelFamily):
    """Kernels that learn which directions matter: mixtures of damped radial kernels, each with a metric of its own,

        k(x, z) = sum_a w_a exp(-eta |R_a'R_a|_F^2) phi(|R_a'(x - z)|),

    with phi(r) = exp(-r^2), exp(-r) or (1 + sqrt3 r) exp(-sqrt3 r). An atom is R (d, rank), row by row, and its metric
    is M = R R': of R and R Q, Q a rotation, both are one kernel.

    The oracle is a search, and its ceiling the best value found: an estimate. The best of many starts climb; among
    them are the directions along which the function of the kernels at hand varies, its average gradient outer product
    (Radhakrishnan, Beaglehole, Pandit and Belkin, 2024). It costs O(s^2 rank) for each metric, s the number of support
    vectors. A metric of many numbers for the rows climbs by the lengths of its directions alone. With `diagonal` and
    the Gaussian these are the anisotropic Gaussians of Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 4.5.

    The numbers of a metric are fitted to the rows, and no criterion charges for them: with few rows for the columns
    they overfit, also where the targets are noise. Under the evidence learning begins with widths alone, and metrics
    come in where rows that were held out gain by them; under other criteria judge by such rows.

    Attributes:
        shape: of phi: "gaussian", "laplace" or "matern".
        rank: of R, an integer >= 1, at most as many as there are columns; None takes 8, or as many as there are. Not
            with `diagonal`.
        eta: the price of narrow kernels, >= 0, in units of the squared metric after `rescale`. With 0 the value of ever
            narrower kernels tends to sum_i |v_i|^2 from wherever it is, so that there may be no best metric, and
            criteria of margins may run to the narrowest; in the evidence the size of an atom cancels, up to rounding.
        diagonal: R is diagonal, and an atom its d numbers: each column has a width of its own.
        starts: how many of the best candidates climb, and of random metrics, an integer >= 1.
        rescale: "standard" divides each training column, and every other row with it, by the root mean square of the
            difference of two rows in it; None leaves the columns.

    Raises:
        InvalidOption: an option is out of its range, or a diagonal metric has a rank.
    """

    name: ClassVar[str] = "metric"

    shape: Shape = attrs.field(default="gaussian", validator=one_of("gaussian", "laplace", "matern"))
    rank: int | None = attrs.field(default=None)
    eta: float = attrs.field(default=0.01, validator=within(0.0, math.inf))
    diagonal: bool = attrs.field(default=False, validator=instance(bool, "True or False"))
    starts: int = attrs.field(default=4, validator=within(1, math.inf, integer=True))
    rescale: Literal["standard"] | None = attrs.field(default="standard", validator=one_of("standard", None))
    _frame: Frame | None = attrs.field(default=None, alias="_frame", repr=False)
    _alike: bool = attrs.field(default=False, alias="_alike", repr=False)
    _names: tuple[str, ...] = attrs.field(default=(), alias="_names", repr=False)

    @rank.validator
    def _check_rank(self, field: "attrs.Attribute[int | None]", value: int | None) -> None:
        if value is not None:
            within(1, math.inf, integer=True)(self, field, value)

    def __attrs_post_init__(self) -> None:
        if self.diagonal and self.rank is not None:
            raise InvalidOption(
                f"Metric: got diagonal=True and rank={self.rank}, wanted one of the two; a diagonal metric has "
                f"one number for each column and no rank"
            )

    def seeing(self, columns: IntArray, width: int) -> "Metric":  # noqa: ARG002
        return self

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Metric":
        """This family with the rescaling of its columns fixed."""
        rank = X.shape[1] if self.diagonal else min(self.rank or _USUAL_RANK, X.shape[1])
        return attrs.evolve(self, _frame=Frame.fit(X, weight, self.rescale, rank))

    @property
    def _fixed(self) -> Frame:
        if self._frame is None:
            raise InvalidOption("Metric: the family has not seen any data; call prepare(X, weight) first")
        return self._frame

    @property
    def layout(self) -> Layout:
        """What the numbers of an atom are, known after `prepare`."""
        d, rank = self._fixed.axes.shape
        return Layout(d, rank, self.diagonal)

    def bind(self, X: FloatArray) -> Data:
        """The rows after rescaling."""
        return self._fixed.rescaled(X)

    def gram(self, part: Part, data: Data) -> Gram:
        return Dense(self._mixed(part, data, data))

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        return self._mixed(part, self._fixed.rescaled(Z), self._fixed.rescaled(X))

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return np.full(len(X), float(self.heights(part).sum()))

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        support = V.any(axis=1)
        return np.asarray(self._mixed(part, data, data[support]) @ V[support])

    def heights(self, part: Part) -> FloatArray:
        """w exp(-eta |M|_F^2), what each atom has at x = z, shape (m,). After `prepare`."""
        return np.asarray(part.weights * np.exp(-self.eta * self.layout.norms(part.atoms)))

    def shares(self, part: Part) -> FloatArray:
        """The share of each column in the metrics of a part, shape (d,), >= 0, of sum 1 or 0. After `prepare`."""
        return shares_of(self.layout.diagonals(part.atoms), self.heights(part))

    def _mixed(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        """The mixture between rescaled rows."""
        total = np.zeros((len(Z), len(X)))
        for atom, height in zip(part.atoms, self.heights(part), strict=True):
            if height != 0.0:
                ends = self.layout.projected(Z, atom), self.layout.projected(X, atom)
                one = likeness(self.shape, np.asarray(cdist(*ends, "sqeuclidean")))
                one *= height
                total += one
        return total

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        if not V.any():
            return BestAtoms(np.zeros((1, self.layout.size)), np.zeros(1), 0.0, exact=False)
        size = float(np.abs(V).max())
        layout, landscape = self.layout, Landscape.of(data, V / size, self.shape, self.eta, self.layout)
        near = np.zeros((0, layout.size)) if query.near is None else query.near
        free: Free = "width" if self._alike else free_numbers(layout, len(landscape.X))
        if self._alike:
            begin = widths(self.center().atoms, near)
        else:
            begin = candidates(data, V / size, near, self.shape, layout)
        starts = math.ceil(self.starts * query.effort)
        drawn = self.draw(starts, np.random.default_rng(query.seed))
        answer = ask(landscape, begin, drawn, starts, query.k, free, query.stop)
        values = size * size * answer.values
        return BestAtoms(answer.atoms, values, float(values[0]), exact=False, note=answer.note)

    def restrained(self) -> "Metric":
        """This family with all columns alike, or the leading directions of the rows: mixtures of widths alone."""
        return attrs.evolve(self, _alike=True)

    @property
    def grows(self) -> bool:
        return self._alike

    def grown(self, part: Part, X: FloatArray, V: FloatArray) -> "tuple[Metric, Part] | None":  # noqa: ARG002
        """The whole family: its oracle proposes metrics for V."""
        return (attrs.evolve(self, _alike=False), part) if self._alike else None

    def resumed(self, other: KernelFamily, part: Part) -> "tuple[Metric, Part]":
        """The whole family if the other one is: its metrics are no kernels of this one if it is restrained."""
        whole = self._alike and isinstance(other, Metric) and not other.grows
        return (attrs.evolve(self, _alike=False) if whole else self), part

    def center(self) -> Part:
        """All columns alike, at mean squared distance 1, or wider where the price would be high.

        A metric of lower rank takes the directions along which the training rows vary the most, and all of them alike.
        """
        frame, layout = self._fixed, self.layout
        whole = layout.rank == layout.d
        reached = frame.spread if whole else 2.0 * float(frame.axial.sum()) or 1.0
        cheap = math.inf if self.eta == 0.0 else math.sqrt(0.5 / (self.eta * layout.rank))
        root = math.sqrt(min(1.0 / reached, cheap))
        if self.diagonal:
            return Part(np.full((1, layout.d), root), np.ones(1))
        return Part(root * (np.eye(layout.d) if whole else frame.axes).reshape(1, -1), np.ones(1))

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Metrics of random directions among some random columns, at a random mean squared distance of two rows.

        The logarithms of how many columns and of the distance, from a sixteenth to sixteen, are uniform.
        """
        return np.stack([self._drawn(rng) for _ in range(k)])

    def _drawn(self, rng: np.random.Generator) -> FloatArray:
        frame, layout = self._fixed, self.layout
        if self._alike:
            return np.asarray(self.center().atoms[0] * math.sqrt(_REACH ** rng.uniform(-1.0, 1.0)))
        many = math.ceil(layout.d ** rng.uniform())
        columns = rng.permutation(layout.d)[:many]
        R = np.zeros((layout.d, 1 if self.diagonal else layout.rank))
        R[columns] = rng.normal(size=(many, R.shape[1])) / np.sqrt(frame.spread)
        distance = 2.0 * float(frame.variance @ (R * R).sum(axis=1)) or 1.0
        return np.asarray(R * math.sqrt(_REACH ** rng.uniform(-1.0, 1.0) / distance)).ravel()

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float:
        """k(x, x) = exp(-eta |M|_F^2), which is 1 at R = 0; centred, a bound by the rows' covariance."""
        if not centred:
            return 1.0
        rows = self._fixed.rescaled(X)
        covariance = np.atleast_2d(np.cov(rows, rowvar=False, aweights=weight, ddof=0))
        return largest_variance(covariance, self.layout.rank, self.shape, self.eta)

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """The entries of R, each of one column after `rescale`."""
        if self.diagonal:
            return tuple(f"R({name})" for name in columns)
        return tuple(f"R({name}, {r})" for name in columns for r in range(self.layout.rank))

    def named(self, columns: tuple[str, ...]) -> "Metric":
        return attrs.evolve(self, _names=columns)

    @property
    def _columns(self) -> tuple[str, ...]:
        return self._names or tuple(f"x{j}" for j in range(self._fixed.d))

    def label(self, atom: FloatArray) -> str:
        """The columns with the largest shares in a metric."""
        return largest_shares(self.shares(Part(atom[None], np.ones(1))), self._columns) or "no column"

    def describe(self, part: Part) -> str:
        """Which columns matter in its metrics."""
        if not len(part):
            return "no metric"
        metrics = "1 metric" if len(part) == 1 else f"{len(part)} metrics"
        return f"{metrics}: {largest_shares(self.shares(part), self._columns) or 'no column'}"
