"""What users do beside: a random problem asked in another way, each from a generator of its own.

A twist takes a problem and a generator and yields what is wrong. Twists of the first kind solve another problem, whose
answer is judged like any other. Twists of the second kind ask the same thing twice: the bounds of both must meet.
"""

import tempfile
from pathlib import Path

import attrs
import numpy as np
from scipy.sparse import coo_matrix, csc_matrix, csr_array, csr_matrix

import kernelopt
from random_problems.drawn import CLASSIFIERS
from random_problems.verdict import faults

ROUNDING = 1e-6
"""What bounds of two ways of asking may miss each other by."""
SECONDS, STEPS = 1.0, 10
SEARCHED = ("sampled", "spelled", "hyperkernel")
"""Families that draw from the rows in their order."""
OF_ROWS = ("group", "constant")
"""Families that are, or may hold, the identity on samples, as those with delta in their name do: a copy of a row is
another sample to them."""


def solved(problem, **more):
    """The answer, within few steps and seconds."""
    asked = {
        "family": problem.spec,
        "solver": problem.solver,
        "criterion": {"name": problem.criterion, **problem.options},
        "max_steps": STEPS,
        "max_seconds": SECONDS,
    }
    return kernelopt.solve(problem.X, problem.y, **asked | problem.more | more)


def told(problem, solution, X=None):
    """The faults of an answer to rows that are no plain matrix: their codes are judged in their place."""
    if X is None:
        return faults(problem, solution)
    rows = np.asarray(solution.kernel.rows(X))
    return faults(attrs.evolve(problem, X=rows), solution, solution.decision_function(X))


def views(problem, rng):
    """Blocks of columns, which rows lack, or some values of which are missing."""
    n, d = problem.X.shape
    blocks = {}
    for name in ("left", "right", "middle")[: rng.integers(1, 4)]:
        block = problem.X[:, rng.integers(d, size=rng.integers(1, d + 1))]
        if rng.random() < 0.6:
            block[rng.random(n) < rng.choice([0.2, 0.8])] = np.nan
        elif rng.random() < 0.3:
            block[rng.random(block.shape) < 0.2] = np.nan
        blocks[name] = block
    listed = kernelopt.Dictionary(["linear", ("rbf", {"gamma": 1.0})], normalize="trace")
    spec = [None, kernelopt.by_view(), *(kernelopt.by_view(kernels={"left": one}) for one in (listed, "tk"))]
    asked = attrs.evolve(problem, family="views", X=blocks, spec=spec[rng.integers(4)])
    yield from told(asked, solved(asked), blocks)


def lacking(problem, rng):
    """Values that are missing, in whole rows and columns too."""
    X = problem.X.copy()
    X[rng.random(X.shape) < rng.choice([0.05, 0.3])] = np.nan
    X[:, : int(rng.random() < 0.2)] = np.nan
    X[: int(rng.random() < 0.2)] = np.nan
    asked = attrs.evolve(problem, X=X)
    yield from told(asked, solved(asked), X)


def grams(problem, rng):
    """Gram matrices of low rank, singular, constant, tiny or huge."""
    given = [_gram(rng, len(problem.X)) for _ in range(rng.integers(1, 5))]
    X = given[0] if len(given) == 1 else given
    asked = attrs.evolve(problem, family="precomputed", X=X, spec="precomputed")
    # as other rows they would have no variance of their own
    numbered = kernelopt.Views(given)[np.arange(len(given[0]))]
    yield from told(asked, solved(asked), numbered)


def _gram(rng, n):
    F = rng.normal(size=(n, rng.integers(1, max(n // 2, 1) + 1)))
    x, sign = rng.normal(size=n), rng.choice([-1.0, 1.0], size=n)
    kinds = (
        F @ F.T,
        10.0 ** rng.uniform(-9, 9) * (F @ F.T),
        np.ones((n, n)),
        np.eye(n),
        np.outer(sign, sign),
        np.diag(np.arange(n) == 0).astype(float),
        np.exp(-((x[:, None] - x) ** 2)),
    )
    return kinds[rng.integers(len(kinds))]


def sparse(problem, rng):
    """A sparse matrix, whose rows and columns may be 0."""
    kind = (csr_matrix, csc_matrix, coo_matrix, csr_array)[rng.integers(4)]
    X = kind(problem.X * (rng.random(problem.X.shape) < 0.5))
    asked = attrs.evolve(problem, X=X, spec=problem.spec if rng.random() < 0.5 else None)
    yield from told(asked, solved(asked), X)


def units(problem, rng):
    """Several targets in units that differ by up to sixteen orders of magnitude; some are constant or copies."""
    if problem.y is None or problem.criterion in CLASSIFIERS:
        return
    Y = rng.normal(size=(len(problem.X), rng.integers(2, 5))) * 10.0 ** rng.uniform(-8, 8)
    Y = Y * 10.0 ** rng.uniform(-4, 4, size=Y.shape[1])
    Y[:, 0] = [Y[:, 0], Y[:, 1], np.full(len(Y), 3.0)][rng.choice(3, p=[0.6, 0.2, 0.2])]
    asked = attrs.evolve(problem, y=Y)
    yield from told(asked, solved(asked))


def scaled(problem, rng):
    """Rows in very small or very large units."""
    asked = attrs.evolve(problem, X=problem.X * 10.0 ** rng.choice([-150, -12, -8, 8, 12, 150]))
    yield from told(asked, solved(asked))


def hasty(problem, rng):
    """Next to no time."""
    yield from told(problem, solved(problem, max_seconds=float(10.0 ** rng.uniform(-4, -0.5))))


def started(problem, rng):
    """From the solution of a shorter run, or from its mixture alone."""
    first = solved(problem, max_steps=int(rng.integers(0, 6)))
    second = solved(problem, start=first if rng.random() < 0.5 else first.mixture)
    yield from told(problem, second)
    yield from _continued(problem, first, second)


def resumed(problem, rng):
    """From the file that an earlier run was told to keep."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        first = solved(problem, checkpoint=path, max_steps=int(rng.integers(1, 4)))
        second = solved(problem, checkpoint=path)
    yield from told(problem, second)
    yield from _continued(problem, first, second)


def _continued(problem, first, second):
    yield from apart(problem, first.certificate, second.certificate)
    worse = second.certificate.upper - first.certificate.upper
    if worse > problem.more["tol"] * abs(first.certificate.upper) + ROUNDING:
        yield f"{second.certificate} after {first.certificate}"


def certified(problem, rng):
    """By `certify`, which trains the machine again."""
    if problem.criterion == "evidence":
        return
    solution = solved(problem)
    more = {key: problem.more[key] for key in ("scale", "sample_weight", "class_weight") if key in problem.more}
    criterion = {"name": problem.criterion, **problem.options}
    again = kernelopt.certify(
        problem.X, problem.y, family=problem.spec, criterion=criterion, mixture=solution.mixture, **more
    )
    yield from apart(problem, solution.certificate, again)


def shuffled(problem, rng):
    """With the rows in another order."""
    if problem.family in SEARCHED:
        return
    order = rng.permutation(len(problem.X))
    yield from _same(problem, of_rows(problem, order))


def copied(problem, rng):
    """Weights of whole numbers are copies of rows."""
    told_apart = problem.family in (*SEARCHED, *OF_ROWS, "on") or "delta" in problem.family
    if told_apart or problem.criterion in ("alignment", "nu-svc", "margin"):
        return
    times = rng.integers(1, 4, size=len(problem.X))
    base = problem.more.get("sample_weight", np.ones(len(times)))
    weighed = attrs.evolve(problem, more={**problem.more, "sample_weight": base * times})
    yield from _same(weighed, of_rows(problem, np.repeat(np.arange(len(times)), times)))


def left_out(problem, rng):
    """Rows of the weight 0 say nothing, whatever they hold."""
    if problem.family in SEARCHED or problem.criterion == "alignment":
        return
    n, more = len(problem.X), int(rng.integers(1, 4))
    wild = rng.choice([0.0, 1.0, -1e9, 1e12], size=(more, problem.X.shape[1]))
    longer = of_rows(problem, np.append(np.arange(n), rng.integers(n, size=more)))
    weight = np.append(problem.more.get("sample_weight", np.ones(n)), np.zeros(more))
    X = np.vstack([problem.X, wild])
    yield from _same(problem, attrs.evolve(longer, X=X, more={**longer.more, "sample_weight": weight}))


def kept(problem, rng):
    """Saved, read, and asked about near and far rows."""
    solution = solved(problem)
    with tempfile.TemporaryDirectory() as folder:
        solution.save(Path(folder) / "model")
        model = kernelopt.load(Path(folder) / "model")
    far = rng.choice([1.0, 3.0, 1e6, 0.0, 1e-300], size=(4, 1))
    Z = problem.X[rng.integers(len(problem.X), size=4)] * far
    for name in ("decision_function", "predict", "predict_proba"):
        one, other = (_answered(machine, name, Z) for machine in (solution, model))
        if not np.array_equal(one, other):
            yield f"{name} says {one}, and after it was saved and read {other}"
        if isinstance(one, np.ndarray) and one.dtype.kind == "f" and not np.isfinite(one).all():
            yield f"{name} of new rows is NaN or infinite"


def _answered(machine, name, Z):
    """What a method says, or the sentence with which it refuses."""
    try:
        return getattr(machine, name)(Z)
    except kernelopt.KerneloptError as error:
        return str(error)


def of_rows(problem, rows):
    """The same with some of the rows, in this order."""
    more = dict(problem.more)
    if "sample_weight" in more:
        more["sample_weight"] = more["sample_weight"][rows]
    y = None if problem.y is None else problem.y[rows]
    return attrs.evolve(problem, X=problem.X[rows], y=y, more=more)


def _same(one, other):
    """Two problems of one optimum; the evidence has none that is known."""
    if one.criterion != "evidence":
        yield from apart(one, solved(one).certificate, solved(other).certificate)


def apart(problem, one, other):
    """Bounds of one optimum that do not meet."""
    if problem.criterion == "evidence":
        return
    size = max(abs(bound) for bound in (one.lower, one.upper, other.lower, other.upper) if np.isfinite(bound))
    if max(one.lower, other.lower) > min(one.upper, other.upper) + ROUNDING * size:
        yield f"[{one.lower:.12g}, {one.upper:.12g}] and [{other.lower:.12g}, {other.upper:.12g}] do not meet"


TWISTS = (
    *(views, lacking, grams, sparse, units, scaled, hasty),
    *(started, resumed, certified, shuffled, copied, left_out, kept),
)
