"""More that users do beside, in the kinds that `twists` tells of: other types of arrays, of rows and of weights."""

import tempfile
from pathlib import Path

import attrs
import numpy as np

import kernelopt
from random_problems.drawn import CLASSIFIERS, CONVEX, SOLVERS
from random_problems.twists import apart, of_rows, solved, told


def typed(problem, rng):
    """The same numbers in arrays of other types and layouts."""
    X = problem.X
    with np.errstate(over="ignore"):
        single, whole = X.astype(np.float32), np.clip(np.round(X), -100, 100).astype(np.int8)
    locked = X.copy()
    locked.flags.writeable = False
    kinds = (
        *(single, whole, np.median(X) < X, locked, X.tolist(), X.astype(">f8"), np.asfortranarray(X)),
        *(np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3], X[::-1].copy()[::-1]),
    )
    rows = kinds[rng.integers(len(kinds))]
    asked = attrs.evolve(problem, X=np.array(rows, dtype=float))
    one = solved(attrs.evolve(problem, X=rows))
    yield from told(asked, one)
    yield from apart(problem, one.certificate, solved(asked).certificate)


def small(problem, rng):
    """A single column, or one to three rows."""
    if rng.random() < 0.5:
        asked = attrs.evolve(problem, X=problem.X[:, :1])
    else:
        asked = of_rows(problem, rng.permutation(len(problem.X))[: rng.integers(1, 4)])
    yield from told(asked, solved(asked))


def unequal(problem, rng):
    """Rows beside copies of some, whose weights are 0, tiny or huge."""
    n = len(problem.X)
    asked = of_rows(problem, np.append(np.arange(n), rng.integers(n, size=n)))
    weight = asked.more.get("sample_weight", np.ones(2 * n)) * rng.choice([0.0, 1.0, 1e-8, 1e8], size=2 * n)
    if problem.criterion in ("alignment", "evidence"):
        weight = (weight > 0.0).astype(float)
    asked = attrs.evolve(asked, more={**asked.more, "sample_weight": weight})
    yield from told(asked, solved(asked))


def lonely(problem, rng):
    """Many classes, most of them of one row."""
    n = len(problem.X)
    if problem.criterion not in CLASSIFIERS or n < 6:
        return
    more = {key: value for key, value in problem.more.items() if key != "class_weight"}
    asked = attrs.evolve(problem, y=rng.permutation(np.arange(n) % (n - 2)), more=more)
    yield from told(asked, solved(asked))


def extreme(problem, rng):
    """A machine that is all but free or all but bound, and a tolerance that is hardly one."""
    times = float(10.0 ** rng.choice([-12, -8, 8, 12]))
    free = () if problem.criterion == "margin" else ("C", "c", "lam")
    options = {key: value * times if key in free else value for key, value in problem.options.items()}
    tol = float(rng.choice([1e-12, 1e-9, 0.5, 0.999]))
    asked = attrs.evolve(problem, options=options, more={**problem.more, "tol": tol})
    yield from told(asked, solved(asked))


def handed_on(problem, rng):
    """Solved, saved, read, and gone on with by another solver."""
    first = solved(problem, max_steps=int(rng.integers(0, 6)))
    with tempfile.TemporaryDirectory() as folder:
        first.save(Path(folder) / "model")
        model = kernelopt.load(Path(folder) / "model")
    solver = str(rng.choice(SOLVERS if problem.criterion == "evidence" else CONVEX))
    start = first if rng.random() < 0.5 else model.kernel.mixture
    second = solved(attrs.evolve(problem, solver=solver), start=start)
    yield from told(problem, second)
    yield from apart(problem, first.certificate, second.certificate)


def elsewhere(problem, rng):
    """Numbers to learn in units of any size, or far from 0."""
    if problem.y is None or problem.criterion in CLASSIFIERS:
        return
    size = float(10.0 ** rng.choice([-100, -30, -12, 0, 12, 30, 100]))
    y = size * np.asarray(problem.y, dtype=float)
    if rng.random() < 0.5:
        y = y + np.abs(y).max() * 10.0 ** rng.integers(3, 9)
    options = {key: value * size if key in ("C", "epsilon") else value for key, value in problem.options.items()}
    asked = attrs.evolve(problem, y=y, options=options)
    yield from told(asked, solved(asked))


FURTHER = (typed, small, unequal, lonely, extreme, handed_on, elsewhere)
