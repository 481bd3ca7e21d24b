"""What a family's author supplies, and what the laws make of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar, cast

import attrs
import numpy as np

from kernelopt.plugin import (
    Data,
    FeatureFamily,
    FiniteFamily,
    FloatArray,
    Gram,
    InvalidData,
    InvalidOption,
    KernelFamily,
    MatrixFamily,
    Part,
    Query,
    SmoothFamily,
)
from kernelopt.testing._class_laws import Calls, ClassLaws, class_untouched
from kernelopt.testing._laws import LawBroken, demand, demand_kind, is_frozen, untouched
from kernelopt.testing._skip import skip

Capable = TypeVar("Capable", bound=KernelFamily)

_MASS = 2.5
"""What weights sum to where they do not sum to 1: any other number, so that a forgotten mass shows."""


@attrs.frozen(eq=False)
class Sample:
    """A prepared family on some rows, with everything random that a law needs.

    Attributes:
        family: prepared.
        X: rows, shape (n, d).
        weight: that it was prepared with, shape (n,), > 0.
        data: bound.
        part: some atoms with weights that sum to 1.
        V: shape (n, 3).
        rng: for what else there is.
    """

    family: KernelFamily
    X: FloatArray
    weight: FloatArray
    data: Data
    part: Part
    V: FloatArray
    rng: np.random.Generator

    @property
    def parts(self) -> tuple[Part, Part]:
        """The part, and the same with weights that sum to another number, as those of a learned kernel may."""
        return self.part, self.part.scaled(_MASS)


class FamilyCase(ClassLaws):
    """The hooks of a family's suite. A subclass writes `family` and `naive_gram`, and overrides what does not fit.

    Attributes:
        n: how many rows.
        d: how many columns.
        seed: of the random rows, atoms and weights.
        tolerance: how well two ways to compute a kernel agree, relative to its largest value.
        oracle_tolerance: how well the oracle's best value meets its ceiling, relative.
        weights_are_copies: `prepare` treats a weight of k as k copies of the row.
        any_columns: rows may have any number of columns, or kernelopt refuses them; False if `family` returns an object
            that is for rows of d columns only.
        goes_into_files: a model file can hold the family; one that holds a function or a Gram cannot be saved.
    """

    n: int = 17
    d: int = 3
    seed: int = 0
    tolerance: float = 1e-9
    oracle_tolerance: float = 1e-6
    weights_are_copies: bool = True
    any_columns: bool = True
    goes_into_files: bool = True

    def family(self) -> KernelFamily:
        """The family to judge, not prepared."""
        # Not abstract methods: pytest passes over abstract classes in silence.
        raise NotImplementedError(f"{type(self).__name__}: write family(self), which returns the family to judge")

    def _plugin(self) -> KernelFamily:
        return self.family()

    def _calls(self, subject: KernelFamily) -> Calls:
        for draw in range(2):
            rng = np.random.default_rng([self.seed, draw])
            X = self.rows(rng)
            family = yield "prepare", partial(prepare_checked, subject, X, np.ones(len(X)))
            data = yield "bind", partial(family.bind, X)
            part = yield "center", family.center
            V, new = rng.normal(size=(len(X), 1)), self.new_rows(rng, X)
            yield "gram", partial(_dense, family, part, data)
            yield "cross", partial(family.cross, part, X, X)
            yield "cross", partial(family.cross, part, new, X)
            yield "function", partial(_predicted, family, part, X, V, new)
            yield "diag", partial(family.diag, part, X)
            yield "apply", partial(family.apply, part, data, V)
            yield "best_atoms", partial(family.best_atoms, data, V, Query())
            yield from _words(family, part, X, V)

    @contextmanager
    def _with_advice(self) -> Iterator[None]:
        """Raise `LawBroken`, which says what the author can do, where the family refuses rows within the block."""
        try:
            yield
        except InvalidData as error:
            detail = (
                f"{type(self.family()).__name__} refuses the rows that it is tested on: {error}; if it is right to, "
                "write rows(self, rng), and new_rows(self, rng, X) for rows to predict, in a class that inherits "
                "FamilySuite, and test this class"
            )
            raise LawBroken("rows", detail) from error

    def naive_gram(self, family: KernelFamily, part: Part, X: FloatArray) -> FloatArray:
        """The Gram of a part on rows X, shape (n, n), entry by entry from the definition; `family` is prepared."""
        raise NotImplementedError(f"{type(self).__name__}: write naive_gram(self, family, part, X), the slow oracle")

    def rows(self, rng: np.random.Generator) -> FloatArray:
        """Training rows, shape (n, d)."""
        return rng.normal(size=(self.n, self.d))

    def many_rows(self, count: int) -> FloatArray:
        """So many training rows, shape (count, d)."""
        drawn = [self.rows(np.random.default_rng([self.seed, i])) for i in range(-(-count // self.n))]
        return np.vstack(drawn)[:count]

    def new_rows(self, rng: np.random.Generator, X: FloatArray) -> FloatArray:
        """Rows to predict, shape (n', d): points between training rows."""
        share = rng.uniform(size=(5, 1))
        between: FloatArray = share * X[rng.integers(len(X), size=5)] + (1 - share) * X[rng.integers(len(X), size=5)]
        return between

    def random_atoms(self, family: KernelFamily, data: Data, rng: np.random.Generator, k: int) -> FloatArray:
        """Any k atoms, shape (k, p). Write it for a searched family that has no `draw` and no finite `atom_bounds`."""
        atoms = self._independent_atoms(family, rng, k)
        if atoms is not None:
            return atoms
        n = family.gram(family.center(), data).n
        found = [family.best_atoms(data, rng.normal(size=(n, 1)), Query(seed=i)).atoms[0] for i in range(k)]
        return np.stack(found)

    def judges_oracle(self, family: KernelFamily) -> bool:
        """Whether `random_atoms` are atoms that the oracle did not find itself."""
        written = type(self).random_atoms is not FamilyCase.random_atoms
        return written or self._independent_atoms(family, np.random.default_rng(self.seed), 1) is not None

    def _independent_atoms(self, family: KernelFamily, rng: np.random.Generator, k: int) -> FloatArray | None:
        """Any k atoms by what the family says of itself; None where it says nothing."""
        if isinstance(family, FiniteFamily):
            atoms = family.dictionary().atoms
            return atoms[rng.integers(len(atoms), size=k)]
        if isinstance(family, MatrixFamily):
            vectors = rng.normal(size=(k, family.order))
            return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        if isinstance(family, SmoothFamily) and np.isfinite(family.atom_bounds()).all():
            low, high = family.atom_bounds()
            return rng.uniform(low, high, size=(k, len(low)))
        try:
            drawn = family.draw(k, rng)
        except InvalidOption:
            return None
        return drawn[rng.integers(len(drawn), size=k)]

    def prepared(self, X: FloatArray, weight: FloatArray) -> KernelFamily:
        """The family, prepared on rows X (n, d) of weights (n,).

        Raises:
            LawBroken: `prepare` sets an attribute of the family, or returns no family.
        """
        return prepare_checked(self.family(), X, weight)

    def sample(self, draw: int = 0) -> Sample:
        """A prepared family with its rows; another draw has other random numbers.

        Raises:
            LawBroken: the family refuses the rows, or what it returns has another type or shape.
        """
        rng = np.random.default_rng([self.seed, draw])
        X = self.rows(rng)
        weight = rng.uniform(0.5, 2.0, size=len(X))
        with self._with_advice():
            return self._sample(X, weight, rng)

    def _sample(self, X: FloatArray, weight: FloatArray, rng: np.random.Generator) -> Sample:
        with untouched("inputs-untouched", "a method of the family", X=X, weight=weight):
            family = self.prepared(X, weight)
            _demand_features(family, X)
            data = family.bind(X)
            atoms = self.random_atoms(family, data, rng, 4)
            part = Part(atoms, rng.dirichlet(np.ones(len(atoms))))
            demand_kind(family.gram(part, data), Gram, "gram-type", "gram", ", such as Dense(K) of an array K")
            _demand_taken(family, part, self.new_rows(np.random.default_rng([self.seed, 0]), X), X)
        return Sample(family, X, weight, data, part, rng.normal(size=(len(X), 3)), rng)

    def capable(self, kind: Callable[..., Capable]) -> tuple[Capable, Sample]:
        """The prepared family as one of a capability, or a skip where it has none."""
        assert isinstance(kind, type)
        sample = self.sample()
        if not isinstance(sample.family, kind):
            skip(f"{type(sample.family).__name__} is no {kind.__name__}")
        return cast(Capable, sample.family), sample


def _dense(family: KernelFamily, part: Part, data: Data) -> FloatArray:
    return family.gram(part, data).dense()


def _predicted(family: KernelFamily, part: Part, X: FloatArray, V: FloatArray, Z: FloatArray) -> FloatArray:
    return family.function(part, X, V)(Z)


def _words(family: KernelFamily, part: Part, X: FloatArray, V: FloatArray) -> Calls:
    """The calls by which a run describes itself and is saved."""
    yield "describe", partial(family.describe, part)
    yield "label", partial(family.label, part.atoms[0])
    yield "stranger", partial(family.stranger, part.atoms)
    yield "boundless", partial(family.boundless, part)
    yield "caution", partial(family.caution, X)
    yield "remark", partial(family.remark, part, V)
    yield "compact", partial(family.compact, part)


def prepare_checked(family: KernelFamily, X: FloatArray, weight: FloatArray) -> KernelFamily:
    """A family, prepared; `LawBroken` where `prepare` sets an attribute of the family, or returns no family."""
    called = type(family).__name__
    try:
        with class_untouched(family, "prepare has"):
            found = family.prepare(X, weight)
    except AttributeError as error:
        if not is_frozen(error):
            raise
        raise LawBroken(
            "prepare-frozen",
            f"prepare sets an attribute of {called}, which is frozen; let it return a new family with the value, "
            "as attrs.evolve(self, name=value) does",
        ) from None
    demand_kind(found, KernelFamily, "prepare-type", "prepare")
    return found


def _demand_taken(family: KernelFamily, part: Part, Z: FloatArray, X: FloatArray) -> None:
    """Raise `InvalidData` where the family refuses to predict these rows Z; other errors are told by the laws.

    Raises:
        LawBroken: cross or diag returns no array, or one of another shape.
    """
    for name, rows, shape in (("cross", (Z, X), "(n', n)"), ("diag", (Z,), "(n,)"), ("diag", (X,), "(n,)")):
        try:
            found = getattr(family, name)(part, *rows)
        except InvalidData:
            raise
        except Exception:  # told by the laws of the method
            continue
        wanted = tuple(map(len, rows))
        got = f"shape {found.shape}" if isinstance(found, np.ndarray) else type(found).__name__
        detail = f"{name} must return an array of shape {shape} = {wanted}, got {got}"
        demand(got == f"shape {wanted}", f"{name}-shape", detail)


def _demand_features(family: KernelFamily, X: FloatArray) -> None:
    """Raise `LawBroken` where a family of features has more or fewer of them than its order says."""
    if not isinstance(family, FeatureFamily):
        return
    got, wanted = np.shape(family.features(X)), (len(X), family.order)
    detail = f"features must have a column for each row of P, shape (n, order) = {wanted}, got {got}; correct order"
    demand(got == wanted, "features-order", f"{detail} or features")


def gram_of(sample: Sample, part: Part | None = None) -> FloatArray:
    """The family's Gram of the sample's part, or of another, in an array of its own."""
    return np.array(sample.family.gram(sample.part if part is None else part, sample.data).dense())


def with_zero_rows(V: FloatArray) -> tuple[FloatArray, ...]:
    """V (n, c) with some rows left and all others 0, as those of samples that are no support vectors."""
    n = len(V)
    kept = (np.arange(n) % 3 == 1, np.arange(n) < n // 2, np.arange(n) >= n // 2)
    return tuple(np.where(rows[:, None], V, 0.0) for rows in kept)


def with_rows_of_all_sizes(V: FloatArray) -> FloatArray:
    """V (n, c) with ever smaller rows, down to a ten-millionth, as those of samples that hardly support."""
    return V * np.logspace(0.0, -7.0, len(V))[:, None]


def single(atom: FloatArray) -> Part:
    """The basic kernel of one atom (p,)."""
    return Part(atom[None], np.ones(1))
