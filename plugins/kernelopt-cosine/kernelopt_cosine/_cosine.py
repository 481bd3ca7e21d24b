"""The family of cosine mixtures (Ghiasi-Shirazi, Safabakhsh and Shamsi, 2010)."""

import math
from typing import ClassVar, Literal, TypeAlias

import attrs
import numpy as np

from kernelopt.plugin import (
    Bend,
    BestAtoms,
    CurvedFamily,
    Data,
    ExplicitFamily,
    FloatArray,
    Gradient,
    IntArray,
    InvalidOption,
    Part,
    Query,
    one_of,
    positive_or,
    within,
)
from kernelopt_cosine._column_scaling import Frame
from kernelopt_cosine._description import described
from kernelopt_cosine._frequency_curvature import bent
from kernelopt_cosine._frequency_objective import Landscape
from kernelopt_cosine._frequency_penalty import Decay, Norm
from kernelopt_cosine._multistart import Plan
from kernelopt_cosine._oracle import Answer, ask

Search: TypeAlias = Literal["auto", "exact", "starts"]

SHARE = 1 / 8
"""Of the total variance of the columns, the price of high frequencies. Other shares: `cosine_prices.py`."""
LEAST = 1 / 2
"""Of the mean variance of the columns, the least price: below it few rows in two columns are fitted without noise."""
_MOST_CENTRAL = 32
"""Frequencies that the centre has at most: to answer it should cost no more than to answer what is learned."""
MOST_PROVED = 2
"""In more columns the cells of a proof are too many."""
_CHEAP = 1e7
"""What "auto" spends on a proof, rows times cells: some ten times what usual ones need, and a second."""


@attrs.frozen
class Cosine(ExplicitFamily, CurvedFamily):
    """Translation-invariant kernels: mixtures of damped cosines,

        k(x, z) = sum_a w_a exp(-beta |gamma_a|^2) cos(gamma_a'(x - z)),

    an atom being a frequency gamma (d,), of which gamma and -gamma are one kernel (Ghiasi-Shirazi, Safabakhsh and
    Shamsi (2010), section 2 and equation (24)). Prediction costs O(d) for each frequency, whatever the number of
    support vectors.

    The oracle is a search from many starts, and its ceiling the best value found: an estimate. In one or two columns
    the ceiling can be proved by branch and bound.

    Attributes:
        beta: the price of high frequencies, > 0, in units of the squared column after `rescale`; the larger it is, the
            smoother are the kernels. "auto" takes 1/8 of the total variance of the columns; of fewer than
            four columns half of their mean variance, which is more; and 1 where they have none. With 1/8 of it the
            average of priced normal frequencies (`draw`) is exp(-|x - z|^2 / total variance), the Gaussian kernel
            that scikit-learn names gamma="scale".
        norm: of gamma in the price: "l2", or "l1", which prefers frequencies along few columns.
        search: "auto" proves the ceiling in one or two columns where that is cheap; "exact" proves it at any cost and
            refuses more columns; "starts" never does.
        starts: random starts of one search at most, an integer >= 1 (the paper's T3 is 500).
        repeats: a search ends when starts ended at known maxima this many times more often than there are maxima, an
            integer >= 1 (the paper's T2).
        rescale: "standard" divides each training column by its standard deviation, and every other row with it; None
            leaves the columns.

    Raises:
        InvalidOption: an option is out of its range; `prepare`: search="exact" in more than two columns.
    """

    name: ClassVar[str] = "cosine"

    beta: float | Literal["auto"] = attrs.field(default="auto", validator=positive_or("auto"))
    norm: Norm = attrs.field(default="l2", validator=one_of("l2", "l1"))
    search: Search = attrs.field(default="auto", validator=one_of("auto", "exact", "starts"))
    starts: int = attrs.field(default=512, validator=within(1, math.inf, integer=True))
    repeats: int = attrs.field(default=4, validator=within(1, math.inf, integer=True))
    rescale: Literal["standard"] | None = attrs.field(default="standard", validator=one_of("standard", None))
    _frame: Frame | None = attrs.field(default=None, alias="_frame", repr=False)
    _names: tuple[str, ...] = attrs.field(default=(), alias="_names", repr=False)

    def seeing(self, columns: IntArray, width: int) -> "Cosine":  # noqa: ARG002
        return self

    def turned(self, width: int) -> "Cosine | None":  # noqa: ARG002
        """Frequencies across the rows say nothing of them, so those along the rows are all; without rescaling."""
        return attrs.evolve(self, rescale=None) if self.norm == "l2" else None

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Cosine":
        """This family with the rescaling of its columns fixed, and with that the price that "auto" says."""
        if self.search == "exact" and X.shape[1] > MOST_PROVED:
            raise InvalidOption(
                f'Cosine: search="exact" proves ceilings in {MOST_PROVED} columns at most, got {X.shape[1]}; '
                'use search="auto"'
            )
        return attrs.evolve(self, _frame=Frame.fit(X, weight, self.rescale))

    @property
    def _fixed(self) -> Frame:
        if self._frame is None:
            raise InvalidOption("Cosine: the family has not seen any data; call prepare(X, weight) first")
        return self._frame

    @property
    def _decay(self) -> Decay:
        return Decay(self._price, self.norm)

    @property
    def _price(self) -> float:
        """The price of high frequencies: `beta`, or what "auto" says of the columns."""
        total = self._fixed.total
        if isinstance(self.beta, str):
            return total * max(SHARE, LEAST / self._fixed.varied) if total > 0.0 else 1.0
        return self.beta

    def columns(self, atoms: FloatArray, X: FloatArray) -> tuple[FloatArray, IntArray]:
        """G(gamma)^(1/2) cos(gamma'x) and G(gamma)^(1/2) sin(gamma'x): two features for each frequency."""
        phase = self._fixed.rescaled(X) @ atoms.T
        features = np.empty((*phase.shape, 2))
        np.cos(phase, out=features[:, :, 0])
        np.sin(phase, out=features[:, :, 1])
        features *= np.sqrt(self._decay.of(atoms))[:, None]
        return features.reshape(len(X), 2 * len(atoms)), np.repeat(np.arange(len(atoms)), 2)

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        return np.full(len(X), float(part.weights @ self._decay.of(part.atoms)))

    def best_atoms(self, data: Data, V: FloatArray, query: Query) -> BestAtoms:
        plan = Plan(self.repeats, self.starts, query.seed).longer(query.effort)
        landscape, unit = Landscape.normalised(self._fixed.rescaled(data), V, self._decay)
        near = np.zeros((0, data.shape[1])) if query.near is None else unit * query.near
        answer: Answer = ask(landscape, near, query.above, plan, self._most_cells(data.shape[1]))
        return BestAtoms(
            answer.frequencies[: query.k] / unit,
            answer.values[: query.k],
            answer.ceiling,
            exact=answer.exact,
            note=answer.note,
        )

    def _most_cells(self, d: int) -> float:
        """How many times a row may meet a cell of a proof."""
        if self.search == "starts" or d > MOST_PROVED:
            return 0.0
        return math.inf if self.search == "exact" else _CHEAP

    def center(self) -> Part:
        """A frequency along each column: one radian to a standard deviation, or G = e^-1/2 where that is lower.

        Of many columns some take part, evenly spread over all: the centre is only where a run begins.
        """
        frequencies = np.minimum(1.0 / self._fixed.spread, self._decay.radius(math.exp(-0.5)))
        some = np.unique(np.linspace(0, self._fixed.d - 1, _MOST_CENTRAL).astype(int))
        return Part(np.diag(frequencies)[some], np.full(len(some), 1.0 / len(some)))

    def pullback(self, part: Part, data: Data, V: FloatArray) -> Gradient:
        """With norm "l1" a subgradient: the price counts as flat in the entries of gamma that are 0."""
        support = V.any(axis=1)
        landscape = Landscape(self._fixed.rescaled(data[support]), V[support], self._decay)
        values, gradients = landscape.values_and_gradients(part.atoms)
        return Gradient(part.weights[:, None] * gradients, values)

    def bend(self, atom: FloatArray, data: Data, v: FloatArray) -> Bend:
        return bent(atom, self._fixed.rescaled(data), v, self._decay)

    def atom_bounds(self) -> tuple[FloatArray, FloatArray]:
        return np.full(self._fixed.d, -np.inf), np.full(self._fixed.d, np.inf)

    def draw(self, k: int, rng: np.random.Generator) -> FloatArray:
        """Normal frequencies of variance 1 / (2 beta) in every entry: their density falls as the price of "l2" does.

        In units of the columns after `rescale`; each atom keeps its price, so the average of very many is the kernel
        whose spectrum is a Gaussian of half that variance.
        """
        return rng.normal(scale=math.sqrt(0.5 / self._price), size=(k, self._fixed.d))

    def largest_atom(self, X: FloatArray, weight: FloatArray, *, centred: bool) -> float:
        """k(x, x) = G(gamma), which is 1 at gamma = 0; centred, a bound by the rows' covariance for all atoms."""
        if not centred:
            return 1.0
        rows = self._fixed.rescaled(X)
        return self._decay.largest_variance(np.atleast_2d(np.cov(rows, rowvar=False, aweights=weight, ddof=0)))

    def coordinates(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """The entries of gamma, each of one column after `rescale`."""
        return tuple(f"gamma({name})" for name in columns)

    def named(self, columns: tuple[str, ...]) -> "Cosine":
        return attrs.evolve(self, _names=columns)

    def describe(self, part: Part) -> str:
        names = self._names or tuple(f"x{j}" for j in range(self._fixed.d))
        return described(part, self._decay.of(part.atoms), names) if len(part) else "no frequency"
