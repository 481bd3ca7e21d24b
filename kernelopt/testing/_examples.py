"""Small problems with a known optimum."""

from functools import cache, partial

import attrs
import numpy as np

from kernelopt._criteria._side_by_side import side_by_side
from kernelopt._criteria._svc import SVC
from kernelopt._families._contract import KernelFamily
from kernelopt._families._finite import FiniteFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.variances._delta import Delta
from kernelopt._saddle._problem import Problem
from kernelopt.plugin import Criterion, DualQP, FloatArray, IntArray, InvalidOption, Part
from kernelopt.testing._naive import naive_saddle
from kernelopt.testing._toys import Affine, Columns

_ROUNDS = 60
_ATOL = 1e-9


@attrs.frozen(eq=False)
class Example:
    """A small problem with its optimum, which was computed by a method that shares no code with the solvers.

    Attributes:
        name: a description in words.
        problem: the problem that a solver gets.
        optimum: the optimum of the saddle, to some six digits.
        X: the rows, shape (n, d).
        y: the encoded targets, shape (n, c).
        families: the families of the union, before `prepare`.
        factor: the factor of every leaf.
    """

    name: str
    problem: Problem
    optimum: float
    X: FloatArray
    y: FloatArray
    families: tuple[KernelFamily, ...]
    factor: float = 1.0


def make_problem(
    families: tuple[KernelFamily, ...], X: FloatArray, y: FloatArray, criterion: Criterion, factor: float = 1.0
) -> Problem:
    """The problem of a union of families on rows X (n, d) with encoded targets y (n, c), all of weight 1."""
    ones = np.ones(len(X))
    leaves = tuple(Leaf.of(family.prepare(X, ones), np.arange(X.shape[1]), factor) for family in families)
    data = tuple(leaf.family.bind(X) for leaf in leaves)
    return Problem(leaves, data, criterion, criterion.outputs(y, np.ones_like(y)))


def make_example(
    name: str,
    families: tuple[KernelFamily, ...],
    X: FloatArray,
    y: FloatArray,
    criterion: Criterion,
    *,
    factor: float = 1.0,
    optimum: float | None = None,
) -> Example:
    """An example from some families on rows X (n, d) with encoded targets y (n, c), for at most a few dozen n times c.

    Raises:
        InvalidOption: the optimum is not given, and a family is neither finite nor a matrix family, or several outputs
            have a bias cost.
    """
    problem = make_problem(families, X, y, criterion, factor)
    value = known_optimum(problem) if optimum is None else optimum
    return Example(name, problem, value, X, y, families, factor)


@cache
def default_examples() -> tuple[Example, ...]:
    """A finite list, a matrix family, and an explicit family with Delta, at C = 1 and C = 10; a list of 3 outputs."""
    X, y = two_classes(np.random.default_rng(7), 14, 2)
    unions: tuple[tuple[str, tuple[KernelFamily, ...]], ...] = (
        ("a finite list", (few_kernels(),)),
        ("a matrix family", (Affine(),)),
        ("an explicit family plus Delta", (Columns(), Delta())),
    )
    of_two = tuple(
        make_example(f"{name}, C = {C:g}", families, X, y, SVC(C)) for name, families in unions for C in (1.0, 10.0)
    )
    return (*of_two, make_example("a finite list, three classes", (few_kernels(),), *_of_three(), SVC(3.0)))


def _of_three() -> tuple[FloatArray, FloatArray]:
    """Rows X (12, 2), and each of three overlapping classes against the rest, Y (12, 3) of 1 and -1."""
    label = np.arange(12) % 3
    X = np.random.default_rng(5).normal(size=(12, 2))
    X[:, 0] += 0.6 * label
    return X, np.where(label[:, None] == np.arange(3), 1.0, -1.0)


def few_kernels() -> Dictionary:
    return Dictionary(
        [("rbf", {"gamma": 0.3}), ("rbf", {"gamma": 3.0}), "linear", ("poly", {"degree": 2, "gamma": 0.5})],
        normalize="trace",
    )


def scaled(example: Example, t: float) -> Example | None:
    """The example with its kernels times t and C over t; its optimum is 1/t of the example's. None if not an SVC."""
    criterion = example.problem.criterion
    if not isinstance(criterion, SVC):
        return None
    return make_example(
        example.name,
        example.families,
        example.X,
        example.y,
        SVC(criterion.C / t),
        factor=example.factor * t,
        optimum=example.optimum / t,
    )


def permuted(example: Example, order: IntArray) -> Example:
    """The example with its samples in another order."""
    return make_example(
        example.name,
        example.families,
        example.X[order],
        example.y[order],
        example.problem.criterion,
        factor=example.factor,
        optimum=example.optimum,
    )


def two_classes(rng: np.random.Generator, n: int, d: int) -> tuple[FloatArray, FloatArray]:
    """Rows X (n, d) and targets y (n, 1) of two overlapping classes."""
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    X = rng.normal(size=(n, d))
    X[:, 0] += 0.6 * y
    return X, y[:, None]


def known_optimum(problem: Problem) -> float:
    """The optimum of a small problem, by cuts: SLSQP on some atoms, the best atoms added, repeated.

    The value is that of a feasible alpha at the kernel that is worst for it, so it is never above the optimum.
    """
    qp, apart = _as_one(problem.outputs), np.eye(len(problem.outputs))
    atoms = [_first_atoms(leaf) for leaf in problem.leaves]
    alpha = _feasible(qp, np.zeros(qp.size))
    best = -np.inf
    for _ in range(_ROUNDS):
        grams = [
            leaf.factor * leaf.family.cross(Part(atom[None], np.ones(1)), data, data)
            if isinstance(leaf.family, MatrixFamily)
            else leaf.factor * leaf.family.gram(Part(atom[None], np.ones(1)), data).dense().copy()
            for leaf, data, mine in zip(problem.leaves, problem.data, atoms, strict=True)
            for atom in mine
        ]
        blocks = [np.asarray(np.kron(apart, K), dtype=np.float64) for K in grams]
        alpha = _feasible(qp, naive_saddle(qp, blocks, alpha))
        V = qp.embed(alpha).reshape(len(apart), problem.n).T
        inside = 0.5 * max(float(np.vdot(V, K @ V)) for K in grams)
        outside, atoms = _with_best(problem, atoms, V)
        best = max(best, qp.h(alpha) - max(inside, outside))
        if outside <= inside + _ATOL * (1.0 + abs(best)):
            break
    return best


def _as_one(outputs: tuple[DualQP, ...]) -> DualQP:
    """The dual problems of all outputs as one, whose samples are those of the first output, then the next.

    Raises:
        InvalidOption: there are several, and one has a bias cost, which is no part of a sum over variables.
    """
    if len(outputs) == 1:
        return outputs[0]
    if any(qp.bias_cost for qp in outputs):
        raise InvalidOption("several outputs have a bias cost: give the example's optimum yourself")
    return side_by_side(outputs)


def _feasible(qp: DualQP, alpha: FloatArray) -> FloatArray:
    from kernelopt.dual import repair

    return repair(qp, alpha)


def _first_atoms(leaf: Leaf) -> FloatArray:
    if isinstance(leaf.family, FiniteFamily):
        return leaf.family.dictionary().atoms
    if isinstance(leaf.family, MatrixFamily):
        return np.eye(leaf.family.order)
    raise InvalidOption(
        f"{leaf.family.name} is neither finite nor a matrix family: give the example's optimum yourself"
    )


def _with_best(problem: Problem, atoms: list[FloatArray], V: FloatArray) -> tuple[float, list[FloatArray]]:
    """Half the largest sum_c V_c'K V_c of the matrix families, entry by entry of P, and the atoms, best ones too."""
    largest, more = -np.inf, []
    for leaf, data, mine in zip(problem.leaves, problem.data, atoms, strict=True):
        if not isinstance(leaf.family, MatrixFamily):
            more.append(mine)
            continue
        entry = partial(_entry, leaf.family, data, V)
        D = np.array([[entry(a, b) for b in range(leaf.family.order)] for a in range(leaf.family.order)])
        values, vectors = np.linalg.eigh(D)
        largest = max(largest, 0.5 * leaf.factor * float(values[-1]))
        more.append(np.vstack([mine, vectors[:, -1]]))
    return largest, more


def _entry(family: MatrixFamily, X: FloatArray, V: FloatArray, a: int, b: int) -> float:
    """D_ab = sum_c V_c'K(S)V_c with S the symmetric unit matrix of the entry (a, b)."""
    S = np.zeros((family.order, family.order))
    S[a, b] += 0.5
    S[b, a] += 0.5
    return float(np.vdot(V, family.blend(S, X, X) @ V))
