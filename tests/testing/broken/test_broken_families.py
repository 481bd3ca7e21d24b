"""The kit must reject a broken family, and for its reason."""

from functools import partial
from itertools import count

import attrs
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from kernelopt.plugin import (
    Bend,
    BestAtoms,
    CurvedFamily,
    Dense,
    FiniteFamily,
    KernelFamily,
    MatrixFamily,
    Part,
    Square,
    StoredFamily,
    TensorCoupling,
    WeightCoupling,
    positive,
)
from kernelopt.testing import Affine, Capacity, Columns, FamilySuite, Waves, broken_laws, judge


def affine_gram(family, part, X):
    def k(x, z):
        return sum(w * (p[0] + p[1:] @ x) * (p[0] + p[1:] @ z) for p, w in zip(part.atoms, part.weights, strict=True))

    return np.array([[k(x, z) for z in X] for x in X])


def columns_gram(family, part, X):
    pairs = [(int(a), w) for a, w in zip(part.atoms[:, 0], part.weights, strict=True)]
    return np.array([[sum(w * x[j] * z[j] for j, w in pairs) for z in X] for x in X])


def waves_gram(family, part, X):
    pairs = list(zip(part.atoms[:, 0], part.weights, strict=True))
    return np.array([[sum(w * np.cos(a * (x[0] - z[0])) for a, w in pairs) for z in X] for x in X])


def laws_of(make, naive):
    class Laws(FamilySuite):
        def family(self):
            return make()

        def naive_gram(self, family, part, X):
            return naive(family, part, X)

    class WaveLaws(Laws):
        def random_atoms(self, family, data, rng, k):
            return rng.uniform(0.1, family.top - 0.1, size=(k, 1))

    return WaveLaws() if issubclass(make, Waves) else Laws()


def broken_of(make, naive):
    return broken_laws(laws_of(make, naive))


class Widthy(Affine):
    """The base of the broken matrix families: `prepare` keeps the class."""

    def prepare(self, X, weight):
        return type(self)(X.shape[1])


class Listed(Columns):
    """The base of the broken finite lists."""

    def prepare(self, X, weight):
        return type(self)(X.shape[1])


class SecondPredictionKernel(Widthy):
    def cross(self, part, Z, X):
        return super().cross(part, Z, X) + 1e-3


class UnrelatedNewRows(Widthy):
    """Right on the training rows, wrong on any others."""

    def cross(self, part, Z, X):
        K = super().cross(part, Z, X)
        return K if Z.shape == X.shape and np.array_equal(Z, X) else 1.01 * K


class Lopsided(Widthy):
    def gram(self, part, data):
        K = super().gram(part, data).dense()
        return Dense(K + 1e-3 * np.triu(K, 1))


class Indefinite(Widthy):
    def gram(self, part, data):
        K = super().gram(part, data).dense()
        return Dense(K - 1e-3 * np.eye(len(K)))


class SquaredWeights(Listed):
    def gram(self, part, data):
        return super().gram(Part(part.atoms, part.weights**2), data)


class FirstRowMatters(Widthy):
    def bind(self, X):
        return X - 1e-3 * X[0]


class WorstAtom(Listed):
    def best_atoms(self, data, V, query):
        values = np.einsum("anc,nc->a", self.columns_of(data, V), V)
        worst = np.argsort(values)[:1]
        return BestAtoms(worst[:, None].astype(float), values[worst], float(values.max()), exact=True)


class LowCeiling(Listed):
    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, ceiling=0.99 * best.ceiling)


class WrongValues(Listed):
    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, values=1.01 * best.values, ceiling=1.01 * best.ceiling)


class TooManyAtoms(Listed):
    def best_atoms(self, data, V, query):
        return super().best_atoms(data, V, attrs.evolve(query, k=query.k + 1))


class Increasing(Listed):
    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, atoms=best.atoms[::-1], values=best.values[::-1])


class FirstOutputOnly(Listed):
    def best_atoms(self, data, V, query):
        return super().best_atoms(data, V[:, :1], query)


class Restless(Widthy):
    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        signs = np.random.default_rng().normal(size=best.atoms.shape)
        return attrs.evolve(best, atoms=best.atoms + 1e-13 * signs)


class DoubleAdjoint(Widthy):
    def adjoint(self, data, V):
        return 2.0 * super().adjoint(data, V)


class BlendOfPositiveParts(Widthy):
    """Right for P >= 0, wrong for other symmetric matrices."""

    def blend(self, P, Z, X):
        values, vectors = np.linalg.eigh(P)
        return super().blend((vectors * np.abs(values)) @ vectors.T, Z, X)


class DoubleImage(Widthy):
    def image_of(self, P, data, V):
        return 2.0 * super().image_of(P, data, V)


class LongAtoms(Widthy):
    def part(self, P):
        part = super().part(P)
        return Part(2.0 * part.atoms, 0.25 * part.weights)


@attrs.frozen
class OrderedCenter(Columns):
    """Its centre is the largest column of whatever row comes first."""

    first: int = 0

    def prepare(self, X, weight):
        return OrderedCenter(X.shape[1], int(np.argmax(np.abs(X[0]))))

    def center(self):
        return Part(np.array([[float(self.first)]]), np.ones(1))


class HeavyCenter(Listed):
    def center(self):
        return self.dictionary().scaled(2.0)


class Scribbler(Widthy):
    def apply(self, part, data, V):
        product = super().apply(part, data, V)
        data *= 1.0 + 1e-12
        return product


class ScribblesOnV(Widthy):
    def apply(self, part, data, V):
        product = super().apply(part, data, V)
        V[0] = 0.0
        return product


@attrs.frozen
class Lender(FiniteFamily):
    """Hands out the very array that it has bound."""

    name = "lender"

    def dictionary(self):
        return Part(np.zeros((1, 0)), np.ones(1))

    def bind(self, X):
        return X @ X.T

    def bind_bytes(self, n, d):
        return 8 * n * n

    def gram(self, part, data):
        return Dense(data if part.mass == 1.0 else part.mass * data)

    def cross(self, part, Z, X):
        return part.mass * (Z @ X.T)

    def diag(self, part, X):
        return part.mass * np.sum(X * X, axis=1)

    def boundless(self, part):
        return True


def linear_gram(family, part, X):
    return part.mass * np.array([[x @ z for z in X] for x in X])


@attrs.frozen
class Borrower(Lender):
    """As `Lender`, with an array of its own."""

    def gram(self, part, data):
        return Dense(part.mass * data)


@attrs.frozen
class Stored(Borrower, StoredFamily):
    """As `Borrower`, which binds its Gram."""

    def stored(self, data, atom):
        return data


class HalfTraces(Borrower):
    def traces(self, data, omega):
        return 0.5 * super().traces(data, omega)


@attrs.frozen
class StoresAnother(Stored):
    def bind(self, X):
        return np.stack([super(Stored, self).bind(X), np.eye(len(X))])

    def gram(self, part, data):
        return super().gram(part, data[0])

    def stored(self, data, atom):
        return data[1]


@attrs.frozen
class StoresColumns(Stored):
    def bind(self, X):
        return np.asfortranarray(super().bind(X))


@attrs.frozen
class StoresNothing(Stored):
    def stored(self, data, atom):
        return data.copy()


class WrongApply(Widthy):
    def apply(self, part, data, V):
        return 1.001 * super().apply(part, data, V)


class FirstRowsOfSome(Widthy):
    """Takes the place of a row that is not 0 in V for the number of the row."""

    def adjoint(self, data, V):
        some = V[V.any(axis=1)]
        return super().adjoint(data[: len(some)], some)


class LosesARow(Listed):
    """Where V has zero rows, one more row is left out."""

    def values_of(self, data, V):
        kept = np.flatnonzero(V.any(axis=1))
        kept = kept[:-1] if len(kept) < len(V) else kept
        return np.sum((data[kept].T @ V[kept]) ** 2, axis=1)

    def best_atoms(self, data, V, query):
        values = self.values_of(data, V)
        order = np.argsort(-values, kind="stable")[: query.k]
        return BestAtoms(order[:, None].astype(float), values[order], float(values.max()), exact=True)


class LosesSmallRows(LosesARow):
    """Rows of V that are a hundred-thousandth of the largest count as zero."""

    def values_of(self, data, V):
        sizes = np.abs(V).max(axis=1)
        kept = np.flatnonzero(sizes > 1e-5 * sizes.max())
        return np.sum((data[kept].T @ V[kept]) ** 2, axis=1)


class LosesARowOfForm(Listed):
    def form(self, data, V):
        kept = np.flatnonzero(V.any(axis=1))
        kept = kept[:-1] if len(kept) < len(V) else kept
        return super().form(data[kept], V[kept])


class DoubledFunction(Widthy):
    def function(self, part, X, V):
        return lambda Z: 2.0 * self.cross(part, Z, X) @ V


class FlatDiag(Widthy):
    """A number for one row."""

    def diag(self, part, X):
        return super().diag(part, X).squeeze()


class WrongBeyondTwentyRows(Borrower):
    def gram(self, part, data):
        K = super().gram(part, data).dense()
        K[20:, 20:] += np.eye(max(len(K) - 20, 0))
        return Dense(K)


class FlatFunction(Widthy):
    def function(self, part, X, V):
        return lambda Z: (self.cross(part, Z, X) @ V).squeeze()


class NoEqualRows(Borrower):
    """0/0 for two equal rows."""

    def gram(self, part, data):
        K, size = super().gram(part, data).dense(), np.diagonal(data)
        equal = np.abs(size[:, None] + size - 2.0 * data) < 1e-12
        return Dense(np.where(equal & ~np.eye(len(K), dtype=bool), np.nan, K))


class OneColumnApply(Widthy):
    def apply(self, part, data, V):
        return super().apply(part, data, V) if V.shape[1] == 1 else np.repeat(V[:, :1], V.shape[1], axis=1)


class WrongDiag(Widthy):
    def diag(self, part, X):
        return super().diag(part, X) + 1e-3


@attrs.frozen
class Scaled(Listed):
    """k_j / size, the size from the training rows; subclasses get the size wrong."""

    size: float = attrs.field(default=1.0, validator=positive)

    def prepare(self, X, weight):
        return type(self)(X.shape[1], self.measure(X, weight))

    def measure(self, X, weight):
        return float(weight @ np.sum(X * X, axis=1) / weight.sum())

    def columns(self, atoms, X):
        features, owner = super().columns(atoms, X)
        return features / np.sqrt(self.size), owner


def scaled_gram(family, part, X):
    return columns_gram(family, part, X) / family.size


class CountsIdleRows(Scaled):
    def measure(self, X, weight):
        return float(np.mean(np.sum(X * X, axis=1)))


class FirstRowScale(Scaled):
    def measure(self, X, weight):
        return float(X[0] @ X[0])


class CountsRowsOnce(Scaled):
    def measure(self, X, weight):
        return float(np.mean(np.sum(X[weight > 0] ** 2, axis=1)))


class Compounding(Scaled):
    def prepare(self, X, weight):
        return type(self)(X.shape[1], self.size * self.measure(X, weight))


class Thawed(MatrixFamily):
    """Written without attrs.frozen."""

    name = "thawed"

    def __init__(self, width=0):
        self.inner = Affine(width)

    def prepare(self, X, weight):
        return Thawed(X.shape[1])

    @property
    def order(self):
        return self.inner.order

    def blend(self, P, Z, X):
        return self.inner.blend(P, Z, X)

    def adjoint(self, data, V):
        return self.inner.adjoint(data, V)


@attrs.frozen
class Unpicklable(Listed):
    """Keeps a function of a running session."""

    hook: object = attrs.field(factory=lambda: lambda x: x, eq=False)


def identity(x):
    return x


@attrs.frozen
class Unwritable(Listed):
    """Keeps a function, which pickles by its name and has no place in a model file."""

    hook: object = attrs.field(default=identity, eq=False)


class Forgetful(Listed):
    """Gives up an atom that has weight."""

    def compact(self, part):
        return self, part.kept(float(part.weights.min()))


class Outgrown(Listed):
    """Grows, and its part is another kernel afterwards."""

    @property
    def grows(self):
        return True

    def grown(self, part, X, V):
        return self, part.scaled(2.0)


class Twice(Listed):
    def columns(self, atoms, X):
        features, owner = super().columns(atoms, X)
        return 2.0 * features, owner


class Unlike(Listed):
    """Its restrained kernels are others in the family itself."""

    def restrained(self):
        return Twice(self.width)


class Stingy(Widthy):
    def bind_bytes(self, n, d):
        return n


class Shouting(Listed):
    name = "Two Words"


class Joined(Listed):
    name = "two+three"


class Automatic(Listed):
    name = "auto"


class TwoLinesOfName(Listed):
    name = "two\nlines"


class Overflowing(Listed):
    def columns(self, atoms, X):
        features, owner = super().columns(atoms, X)
        return np.where(np.abs(features) > 1e3, np.inf, features), owner


class WrongOwner(Listed):
    def columns(self, atoms, X):
        features, owner = super().columns(atoms, X)
        return features, owner[::-1]


class FarOwner(Listed):
    def columns(self, atoms, X):
        features, owner = super().columns(atoms, X)
        return features, owner - len(owner)


class UnequalDictionary(Listed):
    def dictionary(self):
        part = super().dictionary()
        return Part(part.atoms, np.arange(1.0, len(part) + 1) / np.arange(1.0, len(part) + 1).sum())


class Unproved(Listed):
    def best_atoms(self, data, V, query):
        return attrs.evolve(super().best_atoms(data, V, query), exact=False)


@attrs.frozen(eq=False)
class HalfSchur(WeightCoupling):
    def schur(self, other, A, B):
        return (self.columns * A) @ other.columns.T


@attrs.frozen(eq=False)
class LongAdjoint(WeightCoupling):
    def adjoint(self, u):
        return 2.0 * super().adjoint(u)


class WrongSchur(Listed):
    def couple(self, data, v):
        return HalfSchur(super().couple(data, v).columns)


class WrongCouplingAdjoint(Listed):
    def couple(self, data, v):
        return LongAdjoint(super().couple(data, v).columns)


class WrongCouplingApply(Listed):
    def couple(self, data, v):
        return WeightCoupling(super().couple(data, v).columns + 1e-3)


@attrs.frozen(eq=False)
class OneRowMore(WeightCoupling):
    @property
    def n(self):
        return len(self.columns) + 1


@attrs.frozen(eq=False)
class FirstRows(WeightCoupling):
    """Takes as many rows as it is asked for, from the beginning."""

    def take(self, rows):
        return WeightCoupling(self.columns[: len(rows)])


@attrs.frozen(eq=False)
class FirstAtoms(WeightCoupling):
    """Restricts to as many atoms as it is asked for, from the beginning."""

    def restrict(self, basis):
        return WeightCoupling(self.columns[:, : basis.shape[1]])


@attrs.frozen(eq=False)
class LostFactor(TensorCoupling):
    """Forgets one side of U' G U where U is not square."""

    def restrict(self, basis):
        return TensorCoupling(np.linalg.pinv(basis) @ self.tensor @ basis)


@attrs.frozen(eq=False)
class OwnSchurTaken(TensorCoupling):
    """Its Schur matrix with itself is right, but not when rows were taken from two of them."""

    def take(self, rows):
        return PinnedSchur(self.tensor[rows])


@attrs.frozen(eq=False)
class PinnedSchur(TensorCoupling):
    def schur(self, other, A, B):
        return super().schur(self, A, B)


class WrongN(Listed):
    def couple(self, data, v):
        return OneRowMore(super().couple(data, v).columns)


class WrongTake(Listed):
    def couple(self, data, v):
        return FirstRows(super().couple(data, v).columns)


class WrongTakenSchur(Widthy):
    def couple(self, data, v):
        return OwnSchurTaken(super().couple(data, v).tensor)


class WrongAtoms(Listed):
    def couple(self, data, v):
        return FirstAtoms(super().couple(data, v).columns)


class WrongRestriction(Widthy):
    def couple(self, data, v):
        return LostFactor(super().couple(data, v).tensor)


class SecondForgotten(TensorCoupling):
    def plus(self, other):
        return self


class WrongSum(Widthy):
    def couple(self, data, v):
        return SecondForgotten(super().couple(data, v).tensor)


class OtherRows(Listed):
    def bind_once(self, X):
        return self.bind(X[::-1])


class AmongOtherRows(Listed):
    def among(self, part, X):
        return super().among(part, X[::-1])


class OfferedAnew(Listed):
    """With what it offers its parts are other kernels than before."""

    def offered(self, X, weight):
        return Twice(X.shape[1])


class CategorisedAnew(Listed):
    """With kernels that see numbers as names its parts are other kernels than before."""

    def categorised(self, X, T, weight):
        return Twice(X.shape[1])


class AdaptedAnew(Listed):
    """With kernels for targets its parts are other kernels than before."""

    def adapted(self, X, T, weight):
        return Twice(X.shape[1])


class PartedAnew(Listed):
    """The same for the steps of targets."""

    def parted(self, X, T, weight):
        return Twice(X.shape[1])


class CorrelatedAnew(Listed):
    """The same for the correlations of columns."""

    def correlated(self, X, T, weight):
        return Twice(X.shape[1])


class SparseAnew(Listed):
    """The same for a sparse linear function."""

    def sparse(self, X, T, weight):
        return Twice(X.shape[1])


class Crowd(Listed):
    """Its kernels depend on the rows that they are asked for together."""

    def cross(self, part, Z, X):
        return super().cross(part, Z, X) + float(len(Z) == 1)


class AdaptedToCrowds(Listed):
    """It is joined by kernels that are none."""

    def adapted(self, X, T, weight):
        return Crowd(X.shape[1])


class ResumedAnew(Listed):
    """Begins with the kernel of an earlier solution, and has another one."""

    def resumed(self, other, part):
        return self, part.scaled(2.0)


class EqualParameters(Listed):
    def parameters(self, part):
        return np.full(len(self.dictionary()), part.mass / len(self.dictionary()))


class FirstOutputForm(Widthy):
    def form(self, data, V):
        return super().form(data, V[:, :1])


class LeadsFromBelow(Listed):
    def leading(self, D, k):
        return attrs.evolve(super().leading(-D, k), values=np.sort(D)[:k], ceiling=float(D.min()))


class LeadsBySize(Widthy):
    """The largest eigenvalue by size: right for the form of a V, wrong where prices are in it."""

    def leading(self, D, k):
        return super().leading(D @ D, k)


@attrs.frozen
class Ridged(Borrower):
    """x'z, and the identity on samples: its `ridge` says so; subclasses say something else."""

    def gram(self, part, data):
        return Dense(part.mass * (data + 0.5 * np.eye(len(data))))

    def diag(self, part, X):
        return super().diag(part, X) + 0.5 * part.mass

    def ridge(self, part):
        return 0.5 * part.mass


def ridged_gram(family, part, X):
    return linear_gram(family, part, X) + 0.5 * part.mass * np.eye(len(X))


class UnsaidRidge(Ridged):
    def ridge(self, part):
        return 0.0


class OneRidge(Ridged):
    """As if all weights summed to 1."""

    def ridge(self, part):
        return 0.5


class NegativeRidge(Listed):
    def gram(self, part, data):
        return Dense(super().gram(part, data).dense() - 1e-3 * np.eye(len(data)))

    def ridge(self, part):
        return -1e-3


class SilentCaution(Listed):
    def caution(self, Z):
        return ""


class LongCaution(Listed):
    def caution(self, Z):
        return "far away:\nsome rows" if np.abs(Z).max() > 100.0 else None


class LittleLargest(Listed):
    def largest_atom(self, X, weight, *, centred):
        return 0.9 * super().largest_atom(X, weight, centred=centred)


class FlatWeights(Listed):
    def largest_atom(self, X, weight, *, centred):
        return 1.5 * super().largest_atom(X, np.ones_like(weight), centred=centred)


class WeightsInUnits(Listed):
    def largest_atom(self, X, weight, *, centred):
        return weight.sum() * super().largest_atom(X, weight, centred=centred)


class DrawsTooMany(Listed):
    def draw(self, k, rng):
        return np.zeros((k + 1, 1))


class DrawsTwice(Listed):
    def draw(self, k, rng):
        return rng.integers(self.width, size=(k, 1)).astype(float)


TURNS = count()


class DrawsInTurn(Listed):
    def draw(self, k, rng):
        turn = next(TURNS) % len(self.dictionary())
        return self.dictionary().atoms[turn : turn + 1]


class DrawsLongVectors(Widthy):
    def draw(self, k, rng):
        return 5.0 * super().draw(k, rng)


class DrawsBeyondTheTop(Waves):
    def draw(self, k, rng):
        return super().draw(k, rng) + self.top


class SilentRemark(Listed):
    def remark(self, part, V):
        return "" if V.shape[1] == 1 else None


class LongRemark(Listed):
    def remark(self, part, V):
        return "the optimum\nis fixed"


class RemarkInPlace(Listed):
    def remark(self, part, V):
        part.weights[:] = 0.0


class OneNameForAll(Widthy):
    """A matrix family whose rows of P share a name."""

    def coordinates(self, columns):
        return tuple("x" for _ in range(self.order))


class TooFewNames(Widthy):
    def coordinates(self, columns):
        return columns


class TwoLines(Listed):
    def label(self, atom):
        return f"column\n{atom[0]:g}"


class OtherByName(Listed):
    """Forgets a column when the columns get names."""

    def named(self, columns):
        return WithoutOne(self.width)


class WithoutOne(Listed):
    def columns(self, atoms, X):
        phi, owner = super().columns(atoms, X)
        return np.where(atoms[:, 0] == 0.0, 0.0, phi), owner


class CautionInPlace(Listed):
    """Clips the very rows that it is asked of."""

    def caution(self, Z):
        np.clip(Z, -0.1, 0.1, out=Z)


class WrongPullback(Waves):
    def pullback(self, part, data, V):
        gradient = super().pullback(part, data, V)
        return attrs.evolve(gradient, atoms=-gradient.atoms)


class WrongWeightPullback(Waves):
    def pullback(self, part, data, V):
        gradient = super().pullback(part, data, V)
        return attrs.evolve(gradient, weights=part.weights * gradient.weights)


class CurvedWaves(Waves, CurvedFamily):
    def bend(self, atom, data, v):
        x = data[:, 0]
        cos, sin = np.cos(atom[0] * x), np.sin(atom[0] * x)
        c, s = v @ cos, v @ sin
        c1, s1, c2, s2 = -(v * x) @ sin, (v * x) @ cos, -(v * x * x) @ cos, -(v * x * x) @ sin
        turn = x * (s * cos - c * sin) + c1 * cos + s1 * sin
        return Bend(turn[:, None], np.array([[2.0 * (c1 * c1 + s1 * s1 + c * c2 + s * s2)]]))


class WrongTurn(CurvedWaves):
    def bend(self, atom, data, v):
        bend = super().bend(atom, data, v)
        return attrs.evolve(bend, turn=2.0 * bend.turn)


class WrongBendHessian(CurvedWaves):
    def bend(self, atom, data, v):
        bend = super().bend(atom, data, v)
        return attrs.evolve(bend, hessian=-bend.hessian)


class WrongBendShape(CurvedWaves):
    def bend(self, atom, data, v):
        bend = super().bend(atom, data, v)
        return attrs.evolve(bend, turn=bend.turn[:, 0])


class ShortSearch(Waves):
    """A search that looks at three frequencies."""

    def best_atoms(self, data, V, query):
        atoms = np.array([[0.0], [1.5], [3.0]])
        values = np.array([np.sum((self.columns(atom[None], data)[0].T @ V) ** 2) for atom in atoms])
        best = int(np.argmax(values))
        return BestAtoms(atoms[best : best + 1], values[best : best + 1], float(values[best]), exact=False)


class UnitDiag(Waves):
    """Right where the weights sum to 1, and nowhere else."""

    def diag(self, part, X):
        return np.ones(len(X))


class UnitApply(Widthy):
    """As if all weights summed to 1."""

    def apply(self, part, data, V):
        return super().apply(part, data, V) / part.mass


@attrs.frozen
class ThreeWidths(KernelFamily):
    """Gaussians exp(-a |x - z|^2), 0 <= a <= 10, of which a grid of three is searched, and no more is said."""

    name = "three-widths"

    def gram(self, part, data):
        return Dense(self.cross(part, data, data))

    def cross(self, part, Z, X):
        squares = np.sum((Z[:, None] - X) ** 2, axis=2)
        pairs = zip(part.atoms[:, 0], part.weights, strict=True)
        return sum((w * np.exp(-a * squares) for a, w in pairs), np.zeros(squares.shape))

    def diag(self, part, X):
        return np.full(len(X), part.mass)

    def grid(self):
        return np.array([[0.0], [1.0], [10.0]])

    def best_atoms(self, data, V, query):
        atoms = self.grid()
        values = np.array([np.vdot(V, self.apply(Part(atom[None], np.ones(1)), data, V)) for atom in atoms])
        best = np.argsort(-values, kind="stable")[:1]
        return BestAtoms(atoms[best], values[best], float(values.max()), exact=False)

    def center(self):
        return Part(np.ones((1, 1)), np.ones(1))


class ThreeDrawn(ThreeWidths):
    """It knows how to draw from the whole of the family."""

    def draw(self, k, rng):
        return rng.uniform(0.0, 10.0, size=(k, 1))


class Searched(ThreeDrawn):
    """Sound: a fine grid, then the best cell of it."""

    def grid(self):
        return np.linspace(0.0, 10.0, 101)[:, None]

    def best_atoms(self, data, V, query):
        first = super().best_atoms(data, V, query)

        def value(a):
            return float(np.vdot(V, self.apply(Part(np.array([[a]]), np.ones(1)), data, V)))

        middle = first.atoms[0, 0]
        near = [] if query.near is None else list(query.near[:, 0])
        cell = (max(middle - 0.1, 0.0), min(middle + 0.1, 10.0))
        climbed = minimize_scalar(lambda a: -value(a), bounds=cell, method="bounded", options={"xatol": 1e-10})
        best = max([middle, float(climbed.x), *near], key=value)
        return BestAtoms(np.array([[best]]), np.array([value(best)]), value(best), exact=False)


class AsksAnother(Searched):
    """Another kernel for one question."""

    def bind_once(self, X):
        return 1.1 * X


class KnowsNoAtom(Searched):
    def stranger(self, atoms):
        return "every atom is strange"


class TellsAtLength(Searched):
    def stranger(self, atoms):
        return None if np.all(atoms >= 0.0) else "strange:\nno width"


class SeesAnother(Searched):
    """Another family where a column is constant."""

    def seeing(self, columns, width):
        return Columns()


class PerhapsGrows(Searched):
    def boundless(self, part):
        return "yes"


class GrowsInSilence(Widthy):
    def boundless(self, part):
        return False


def widths_gram(family, part, X):
    pairs = list(zip(part.atoms[:, 0], part.weights, strict=True))
    return np.array([[sum(w * np.exp(-a * np.sum((x - z) ** 2)) for a, w in pairs) for z in X] for x in X])


@attrs.frozen
class Ripples(Waves):
    """The base of the broken searches: higher frequencies, so that there are several maxima."""

    top: float = attrs.field(default=10.0, validator=positive)


class LooksNowhere(Ripples):
    """A short search that takes no hint."""

    def best_atoms(self, data, V, query):
        return super().best_atoms(data, V, attrs.evolve(query, effort=0.01, near=None))


class Tiring(Ripples):
    """The larger the effort, the coarser the grid."""

    def best_atoms(self, data, V, query):
        return super().best_atoms(data, V, attrs.evolve(query, effort=0.02 / query.effort))


class GivesUp(Ripples):
    """Where only large values are of interest, it takes the first atom for the best."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, ceiling=0.9 * best.ceiling) if query.above > 0.0 else best


class GivesUpForSure(Ripples):
    """It calls proved what it did not look for."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        if 0.0 < best.ceiling < query.above:
            return attrs.evolve(best, ceiling=0.5 * best.ceiling, exact=True)
        return best


class StopsEmptyHanded(Ripples):
    """Where time is over it has no answer."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, atoms=best.atoms[:0], values=best.values[:0]) if query.stop() else best


class StopsForSure(Ripples):
    """Where time is over it calls proved what it did not look for."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, ceiling=0.5 * best.ceiling, exact=True) if query.stop() else best


class StopsWithOldValues(Ripples):
    """Where time is over its values are those of other atoms."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, values=0.5 * best.values) if query.stop() else best


class SaysItTwice(Ripples):
    """Returns a frequency and its negative, which are one cosine."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        if query.k == 1 or not V.any():
            return best
        return attrs.evolve(best, atoms=np.vstack([best.atoms, -best.atoms]), values=np.tile(best.values, 2))


class ListedTwice(Listed):
    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        again = np.arange(len(best.atoms)).clip(max=max(len(best.atoms) - 2, 0))
        return attrs.evolve(best, atoms=best.atoms[again], values=best.values[again])


class GridOnly(Ripples):
    """Calls the best point of a grid a proved maximum."""

    def best_atoms(self, data, V, query):
        grid = np.linspace(0.0, self.top, 1001)[:, None]
        sums = np.sum((self.columns(grid, data)[0].T @ V) ** 2, axis=1)
        values = sums[0::2] + sums[1::2]
        best = int(np.argmax(values))
        return BestAtoms(grid[best : best + 1], values[best : best + 1], float(values[best]), exact=True)


class Reaching(Ripples):
    """Answers with the negative frequency, the same cosine out of bounds."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, atoms=-best.atoms)


class ReachingAtLength(Ripples):
    """The same of a further atom, where many are asked for."""

    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        if query.k <= 4:
            return best
        atoms, values = np.vstack([best.atoms, -best.atoms[-1:]]), np.append(best.values, best.values[-1])
        return attrs.evolve(best, atoms=atoms, values=values)


class DenseFeatures(Listed):
    """Multiplies its features out."""

    def gram(self, part, data):
        return Dense(super().gram(part, data).dense())


class OtherFeatures(Listed):
    """Its kernel is not that of the features which it shows."""

    def columns(self, atoms, X):
        features, owner = super().columns(atoms, X)
        return 1.1 * features, owner

    def gram(self, part, data):
        return super().gram(part, data).scaled(1.0 / 1.21)

    def cross(self, part, Z, X):
        return super().cross(part, Z, X) / 1.21

    def diag(self, part, X):
        return super().diag(part, X) / 1.21


class Priced(Capacity):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])


class PricedBy(Priced):
    rule = Square

    @property
    def penalty(self):
        return self.rule(np.eye(len(self.dictionary())), 1.0)


class HalfGradientRule(Square):
    def gradient(self, S):
        return 0.5 * super().gradient(S)


class WrongHessianRule(Square):
    def hessian(self, S):
        return 3.0 * super().hessian(S)


class ConcaveRule(Square):
    def value(self, S):
        return float(1.0 - S.max() ** 2)


class NotHomogeneousRule(Square):
    homogeneous = True


class NotLinearRule(Square):
    linear = True

    def hessian(self, S):
        return None


class WrongRestrictRule(Square):
    def restrict(self, basis):
        return Square(basis.T @ basis, 2.0 * self.rho)


class HalfGradient(PricedBy):
    rule = HalfGradientRule


class WrongHessian(PricedBy):
    rule = WrongHessianRule


class ConcavePenalty(PricedBy):
    rule = ConcaveRule


class NotHomogeneous(PricedBy):
    rule = NotHomogeneousRule


class NotLinear(PricedBy):
    rule = NotLinearRule


class WrongRestrict(PricedBy):
    rule = WrongRestrictRule


class NoTotal(Priced):
    @property
    def total(self):
        return 0.0


AFFINE = (
    (SecondPredictionKernel, "train-predict-agree"),
    (UnrelatedNewRows, "cross-naive"),
    (Lopsided, "gram-symmetric"),
    (Indefinite, "gram-positive"),
    (FirstRowMatters, "gram-permutes"),
    (Restless, "oracle-deterministic"),
    (DoubleAdjoint, "adjoint"),
    (BlendOfPositiveParts, "blend-linear"),
    (DoubleImage, "image-of"),
    (LongAtoms, "matrix-atoms"),
    (Scribbler, "inputs-untouched"),
    (ScribblesOnV, "inputs-untouched"),
    (WrongApply, "apply"),
    (UnitApply, "apply"),
    (OneColumnApply, "apply"),
    (WrongDiag, "diag"),
    (FlatDiag, "diag"),
    (FirstRowsOfSome, "oracle-zero-rows"),
    (DoubledFunction, "function"),
    (FlatFunction, "function"),
    (GrowsInSilence, "boundless"),
    (Thawed, "family-frozen"),
    (Stingy, "bind-bytes"),
    (WrongTakenSchur, "coupling-take"),
    (WrongRestriction, "coupling-restrict"),
    (WrongSum, "coupling-plus"),
    (FirstOutputForm, "parameters"),
    (LeadsBySize, "leading"),
)
COLUMNS = (
    (SquaredWeights, "gram-linear"),
    (WorstAtom, "oracle-best"),
    (LowCeiling, "ceiling"),
    (LosesARow, "oracle-zero-rows"),
    (LosesARowOfForm, "oracle-zero-rows"),
    (WrongValues, "oracle-values"),
    (LosesSmallRows, "oracle-values"),
    (TooManyAtoms, "oracle-count"),
    (Increasing, "oracle-order"),
    (FirstOutputOnly, "oracle-outputs"),
    (OrderedCenter, "center-order"),
    (HeavyCenter, "center-weight"),
    (Unpicklable, "pickle"),
    (Unwritable, "model-file"),
    (Forgetful, "compact"),
    (Outgrown, "grown"),
    (Unlike, "restrained"),
    (Shouting, "family-name"),
    (Joined, "family-name"),
    (Automatic, "family-name"),
    (TwoLinesOfName, "family-name"),
    (Overflowing, "finite"),
    (WrongOwner, "explicit-features"),
    (FarOwner, "explicit-owner"),
    (UnequalDictionary, "finite-dictionary"),
    (Unproved, "finite-exact"),
    (WrongSchur, "coupling-schur"),
    (WrongCouplingAdjoint, "coupling-adjoint"),
    (WrongCouplingApply, "coupling-apply"),
    (WrongN, "coupling-n"),
    (WrongTake, "coupling-take"),
    (WrongAtoms, "coupling-restrict"),
    (OtherRows, "bind-once"),
    (AmongOtherRows, "among"),
    (OfferedAnew, "offered"),
    (CategorisedAnew, "categorised"),
    (AdaptedAnew, "adapted"),
    (AdaptedToCrowds, "adapted"),
    (PartedAnew, "parted"),
    (CorrelatedAnew, "correlated"),
    (SparseAnew, "sparse"),
    (ResumedAnew, "resumed"),
    (EqualParameters, "parameters"),
    (LeadsFromBelow, "leading"),
    (SilentCaution, "caution"),
    (LongCaution, "caution"),
    (CautionInPlace, "inputs-untouched"),
    (LittleLargest, "largest-atom"),
    (FlatWeights, "largest-attained"),
    (WeightsInUnits, "largest-shares"),
    (DrawsTooMany, "draw-shape"),
    (DrawsTwice, "draw-distinct"),
    (DrawsInTurn, "draw-repeatable"),
    (SilentRemark, "remark"),
    (LongRemark, "remark"),
    (RemarkInPlace, "inputs-untouched"),
    (OneNameForAll, "coordinates"),
    (TooFewNames, "coordinates"),
    (TwoLines, "label"),
    (OtherByName, "named"),
    (NegativeRidge, "ridge"),
    (HalfGradient, "penalty-gradient"),
    (WrongHessian, "penalty-hessian"),
    (ConcavePenalty, "penalty-convex"),
    (NotHomogeneous, "penalty-homogeneous"),
    (NotLinear, "penalty-linear"),
    (WrongRestrict, "penalty-restrict"),
    (NoTotal, "penalty-total"),
    (ListedTwice, "oracle-distinct"),
    (DenseFeatures, "explicit-low-rank"),
    (OtherFeatures, "explicit-mixture"),
)
OTHERS = (
    (Lender, linear_gram, "gram-repeatable"),
    (HalfTraces, linear_gram, "traces"),
    (NoEqualRows, linear_gram, "gram-permutes"),
    (WrongBeyondTwentyRows, linear_gram, "many-rows"),
    (StoresAnother, linear_gram, "stored-gram"),
    (StoresColumns, linear_gram, "stored-order"),
    (StoresNothing, linear_gram, "stored-copy"),
    (CountsIdleRows, scaled_gram, "prepare-zero-weight"),
    (FirstRowScale, scaled_gram, "prepare-order"),
    (CountsRowsOnce, scaled_gram, "prepare-copies"),
    (Compounding, scaled_gram, "prepare-repeatable"),
    (UnsaidRidge, ridged_gram, "ridge"),
    (OneRidge, ridged_gram, "ridge"),
    (WrongPullback, waves_gram, "smooth-atoms"),
    (WrongTurn, waves_gram, "curved-turn"),
    (WrongBendHessian, waves_gram, "curved-hessian"),
    (WrongBendShape, waves_gram, "curved-shapes"),
    (WrongWeightPullback, waves_gram, "smooth-weights"),
    (UnitDiag, waves_gram, "diag"),
    (ThreeWidths, widths_gram, "atoms-independent"),
    (ThreeDrawn, widths_gram, "oracle-judged"),
    (AsksAnother, widths_gram, "bind-once"),
    (KnowsNoAtom, widths_gram, "stranger"),
    (TellsAtLength, widths_gram, "stranger"),
    (SeesAnother, widths_gram, "seeing"),
    (PerhapsGrows, widths_gram, "boundless"),
    (ShortSearch, waves_gram, "oracle-best"),
    (ShortSearch, waves_gram, "oracle-judged"),
    (LooksNowhere, waves_gram, "oracle-near"),
    (Tiring, waves_gram, "oracle-effort"),
    (GivesUp, waves_gram, "oracle-above"),
    (GivesUpForSure, waves_gram, "oracle-above"),
    (StopsEmptyHanded, waves_gram, "oracle-stop"),
    (StopsForSure, waves_gram, "oracle-stop"),
    (StopsWithOldValues, waves_gram, "oracle-stop"),
    (SaysItTwice, waves_gram, "oracle-distinct"),
    (GridOnly, waves_gram, "ceiling-climb"),
    (Reaching, waves_gram, "smooth-within"),
    (ReachingAtLength, waves_gram, "smooth-within"),
    (DrawsLongVectors, affine_gram, "draw-within"),
    (DrawsBeyondTheTop, waves_gram, "draw-within"),
)
BROKEN = (
    *((family, affine_gram, law) for family, law in AFFINE),
    *((family, columns_gram, law) for family, law in COLUMNS),
    *OTHERS,
)
SOUND = (
    (Ridged, ridged_gram),
    (Widthy, affine_gram),
    (Listed, columns_gram),
    (Borrower, linear_gram),
    (Stored, linear_gram),
    (Scaled, scaled_gram),
    (Ripples, waves_gram),
    (Searched, widths_gram),
)
"""Besides the families of the kit, whose suites are in test_families.py and test_capabilities.py."""


@pytest.mark.parametrize(("family", "naive", "law"), BROKEN, ids=lambda x: getattr(x, "__name__", None))
def test_broken_family_is_rejected_for_its_reason(family, naive, law, rejected):
    rejected(laws_of(family, naive), law)


@pytest.mark.parametrize(
    ("family", "law"), {family: law for family, _, law in BROKEN}.items(), ids=lambda x: getattr(x, "__name__", None)
)
def test_broken_family_is_rejected_without_its_author(family, law, fails):
    assert fails(judge(family), law)


@pytest.mark.parametrize(("family", "naive"), SOUND, ids=lambda x: getattr(x, "__name__", None))
def test_sound_family_passes(family, naive):
    assert broken_of(family, naive) == {}


@pytest.mark.parametrize("family", [Affine, Columns, Waves, Ripples], ids=lambda x: x.__name__)
def test_sound_family_passes_without_its_author(family):
    """A matrix family, a list, and all whose authors say more in their suites than what a Gram is."""
    assert broken_laws(judge(family)) == {}


class SinglePrecision(Listed):
    def cross(self, part, Z, X):
        return super().cross(part, Z, X).astype(np.float32)


class SingleGram(Lender):
    def gram(self, part, data):
        return Dense((part.mass * data).astype(np.float32))


class SingleInside(Listed):
    def cross(self, part, Z, X):
        return super().cross(part, Z, X).astype(np.float32).astype(float)


class WholeValues(Listed):
    def diag(self, part, X):
        return super().diag(part, X).astype(int)


@pytest.mark.parametrize(
    ("family", "naive", "told"),
    [
        (SinglePrecision, columns_gram, "cross must hold float64, got float32, which has seven digits"),
        (SingleGram, linear_gram, "the Gram must hold float64, got float32"),
        (SingleInside, columns_gram, "cross was computed in float32, which has seven digits, and stored in float64"),
        (WholeValues, columns_gram, "diag must hold float64, got int64"),
    ],
)
def test_other_numbers_than_doubles_are_named(family, naive, told, rejected):
    rejected(laws_of(family, naive), "float64", told)


@attrs.frozen
class SetsItself(Columns):
    def prepare(self, X, weight):
        self.width = X.shape[1]
        return self


class ReturnsNothing(Columns):
    def prepare(self, X, weight):
        Columns(X.shape[1])


def test_prepare_that_sets_an_attribute_is_told_what_to_return(rejected):
    told = "LAW prepare-frozen: prepare sets an attribute of SetsItself, which is frozen; let it return"
    assert "attrs.evolve(self, name=value)" in rejected(laws_of(SetsItself, columns_gram), "prepare-frozen", told)
    rejected(laws_of(ReturnsNothing, columns_gram), "prepare-type", "does it end with a return?")


@pytest.mark.parametrize(
    ("family", "naive", "law"),
    [
        (LowCeiling, columns_gram, "ceiling"),
        (GivesUpForSure, waves_gram, "oracle-above"),
        (FirstOutputOnly, columns_gram, "oracle-judged"),
    ],
)
def test_an_untrue_claim_of_proof_is_said_in_these_words(family, naive, law, rejected):
    rejected(laws_of(family, naive), law, f"LAW {law}: exact=True is false: ")


def test_an_estimate_below_the_truth_claims_nothing(rejected):
    assert "exact=True" not in rejected(laws_of(ShortSearch, waves_gram), "oracle-judged")


def test_wrong_gram_is_told_by_the_oracle_of_its_author(rejected):
    def doubled(family, part, X):
        return 2.0 * affine_gram(family, part, X)

    rejected(laws_of(Affine, doubled), "gram-naive")


def test_matrix_of_the_wrong_order_is_rejected(rejected):
    class Huge(Widthy):
        max_order = 2

    rejected(laws_of(Huge, affine_gram), "matrix-order")


def test_a_reading_order_that_leaves_out_a_row_is_rejected():
    class Short(Widthy):
        def reading_order(self):
            return np.arange(self.order - 1)

    assert "reading-order" in broken_of(Short, affine_gram)


class SaysItSeesNoAxes(Listed):
    def turned(self, width):
        return self


def test_a_family_that_says_it_sees_no_axes_and_does_is_rejected():
    assert "turned" in broken_of(SaysItSeesNoAxes, columns_gram)


class TakesCodesForNumbers(Listed):
    @property
    def reads_codes(self):
        return True


def test_a_family_that_takes_codes_for_numbers_is_rejected():
    assert "codes" in broken_of(TakesCodesForNumbers, columns_gram)


def test_laws_are_documented():
    tests = [getattr(FamilySuite, name) for name in dir(FamilySuite) if name.startswith("test_")]
    assert len(tests) > 35
    assert all(test.__doc__ for test in tests)
    assert partial(broken_laws, object())() == {}
