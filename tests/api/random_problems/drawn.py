"""A problem as a function of its seed: rows, targets, weights, a family, a criterion and a solver."""

import attrs
import numpy as np

from random_problems.kernels import FAMILIES, LATER

CONVEX = ("auto", "apd", "chain", "fw", "ipm", "plain-fw", "qcqp", "sdp", "simplemkl", "smo", "working-set")
"""The solvers of every criterion; the evidence has two more."""
SOLVERS = (*CONVEX, "reweighted", "scoring")
CLASSIFIERS = ("svc", "l2-svc", "lagrangian-svc", "nu-svc", "margin")
REGRESSORS = ("svr", "nu-svr", "ridge", "alignment", "evidence")
CRITERIA = (*CLASSIFIERS, *REGRESSORS, "one-class")
MOST_ROWS, MOST_COLUMNS = 40, 6


@attrs.frozen(eq=False)
class Drawn:
    """What `kernelopt.solve` is asked.

    Attributes:
        seed: that it came from.
        family: the name of its kind of family.
        criterion, solver: their names.
        options: of the criterion.
        X, y: rows and targets, y None for novelty detection.
        spec: what `family` is given.
        more: the other arguments.
    """

    seed: int
    family: str
    criterion: str
    solver: str
    options: dict
    X: np.ndarray
    y: np.ndarray | None
    spec: object
    more: dict

    def __str__(self):
        y = "none" if self.y is None else f"{self.y.shape} {self.y.dtype}"
        more = {key: "..." if isinstance(value, np.ndarray) else value for key, value in self.more.items()}
        return (
            f"seed {self.seed}: {self.family} = {self.spec!r}, {self.criterion} {self.options}, {self.solver}, "
            f"X {self.X.shape}, y {y}, {more}"
        )


def _later(seed):
    """The last of the kinds that came later and take this seed's place; none of most."""
    found = None
    for place, family in enumerate(LATER, 1):
        if np.random.default_rng([seed, place]).integers(len(FAMILIES) + place) == 0:
            found = family
    return found


def drawn(seed):
    """The problem of a seed."""
    rng = np.random.default_rng([2718, seed])
    family, criterion = rng.choice(list(FAMILIES)), rng.choice(CRITERIA)
    family = _later(seed) or family
    solver = rng.choice(SOLVERS if criterion == "evidence" else CONVEX)
    X = _rows(rng)
    y = _labels(rng, len(X)) if criterion in CLASSIFIERS else None if criterion == "one-class" else _numbers(rng, X)
    more = _weights(rng, criterion, X, y)
    spec = (FAMILIES | LATER)[family](rng, X)
    more |= {
        "scale": rng.choice([None, "auto", "unit", "atom", "variance", "paper"], p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1]),
        "tol": float(rng.choice([1e-2, 1e-3, 1e-4, 1e-6], p=[0.2, 0.5, 0.2, 0.1])),
        "seed": int(rng.integers(100)),
    }
    if more["scale"] is None:
        more["scale"] = float(10.0 ** rng.uniform(-3, 3))
    more["scale"] = more["scale"] if isinstance(more["scale"], float) else str(more["scale"])
    options = _options(rng, str(criterion), y, more)
    return Drawn(seed, str(family), str(criterion), str(solver), options, X, y, spec, more)


def _rows(rng):
    n = int(rng.choice([rng.integers(2, 6), rng.integers(6, 20), rng.integers(20, MOST_ROWS + 1)], p=[0.25, 0.45, 0.3]))
    d = int(rng.integers(1, MOST_COLUMNS + 1))
    X = rng.normal(size=(n, d)) if rng.random() < 0.7 else rng.integers(0, 3, size=(n, d)).astype(float)
    if rng.random() < 0.3:  # some rows are copies
        X[rng.integers(n, size=n // 2 + 1)] = X[rng.integers(n, size=n // 2 + 1)]
    if rng.random() < 0.4:  # columns in other units
        X = X * 10.0 ** rng.uniform(-6, 6, size=d)
    if rng.random() < 0.2:  # far from 0
        X = X + np.abs(X).max(axis=0) * 10.0 ** rng.uniform(0, 6, size=d)
    if d > 1 and rng.random() < 0.2:
        X[:, rng.integers(d)] = rng.choice([0.0, 1.0, 1e6])
    return X


def _labels(rng, n):
    classes = 3 if n >= 3 and rng.random() < 0.15 else 2
    code = rng.integers(classes, size=n)
    if rng.random() < 0.25:  # all classes but one have a single row
        code[:] = 0
    code[:classes] = np.arange(classes)
    code = rng.permutation(code)
    names = [np.array([-1, 1, 2]), np.array([0, 1, 2]), np.array(["a", "b", "c"])][rng.integers(3)]
    return names[code]


def _numbers(rng, X):
    n = len(X)
    shape = (n, 2) if rng.random() < 0.15 else (n,)
    y = rng.normal(size=shape)
    if rng.random() < 0.5:  # something to be learned
        unit = X[:, 0] / (np.abs(X[:, 0]).max() or 1.0)
        y = 0.2 * y + (np.sin(3.0 * unit) if len(shape) == 1 else np.sin(3.0 * unit)[:, None])
    if rng.random() < 0.4:
        y = y * 10.0 ** rng.uniform(-6, 6)
    if rng.random() < 0.2:
        y = y + np.abs(y).max() * 10.0 ** rng.uniform(0, 4)
    if rng.random() < 0.05:
        y = np.zeros(shape) + rng.choice([0.0, 1.0])
    return y


def _weights(rng, criterion, X, y):
    more = {}
    if criterion not in ("alignment", "evidence") and rng.random() < 0.25:
        weight = 10.0 ** rng.uniform(-1, 1, size=len(X)) * 10.0 ** rng.choice([0.0, -4.0, 4.0], p=[0.8, 0.1, 0.1])
        if rng.random() < 0.3 and len(X) > 4:
            weight[rng.integers(len(X), size=2)] = 0.0
        more["sample_weight"] = weight
    if criterion in CLASSIFIERS and rng.random() < 0.2:
        labels = np.unique(y).tolist()
        more["class_weight"] = "balanced" if rng.random() < 0.5 else {labels[0]: float(10.0 ** rng.uniform(-2, 2))}
    return more


def row_weights(problem):
    """s of each row: sample weights times class weights."""
    s = np.array(problem.more.get("sample_weight", np.ones(len(problem.X))), dtype=float)
    given = problem.more.get("class_weight")
    if given is None:
        return s
    factor, held = np.ones(len(s)), s > 0.0
    for label in np.unique(problem.y[held]).tolist():
        member = problem.y == label
        if given == "balanced":
            factor[member] = s.sum() / (len(np.unique(problem.y[held])) * s[member].sum())
        else:
            factor[member] = given.get(label, 1.0)
    return s * factor


def encoded(problem):
    """Targets of each output on the rows with weight, shape (n, c)."""
    held = row_weights(problem) > 0.0
    if problem.y is None:
        return np.ones((held.sum(), 1))
    y = problem.y[held]
    if problem.criterion not in CLASSIFIERS and not labelled(problem):
        return np.asarray(y, dtype=float).reshape(len(y), -1)
    classes = np.unique(y)
    if len(classes) == 2:
        return np.where(y == classes[1], 1.0, -1.0)[:, None]
    return np.where(y[:, None] == classes, 1.0, -1.0)


def labelled(problem):
    """Whether the evidence takes these numbers for labels: two values."""
    y = problem.y
    return problem.criterion == "evidence" and y.ndim == 1 and len(np.unique(y)) <= 2


def _options(rng, criterion, y, more):
    C = float(10.0 ** rng.uniform(-4, 4))
    if criterion in ("svc", "l2-svc"):
        return {"C": C}
    if criterion == "lagrangian-svc":
        return {"c": C}
    if criterion in ("nu-svc", "margin"):
        return _balanced(rng, criterion, y, more)
    if criterion == "one-class":
        return {"nu": float(rng.choice([1e-3, 0.1, 0.5, 1.0 - 1e-9, 1.0]))}
    if criterion == "svr":
        spread = float(np.std(y)) or 1.0
        return {"C": C * spread, "epsilon": float(rng.choice([0.0, 0.1 * spread, 10.0 * spread]))}
    if criterion == "nu-svr":
        return {"C": C * (float(np.std(y)) or 1.0), "nu": float(rng.choice([1e-3, 0.1, 0.5, 1.0 - 1e-9, 1.0]))}
    if criterion == "ridge":
        return {"lam": C}
    if criterion == "evidence":
        return {"floor": float(10.0 ** rng.uniform(-8, -1))} if rng.random() < 0.5 else {}
    return {}


def _balanced(rng, criterion, y, more):
    """nu at most twice the share of the smallest class of any output, C at least one over its weight."""
    problem = Drawn(0, "", "svc", "", {}, np.zeros((len(y), 1)), y, None, more)
    s = row_weights(problem)
    s, targets = s[s > 0.0], encoded(problem)
    smallest = min(min(s[t > 0].sum(), s[t < 0].sum()) for t in targets.T) or 1.0
    if criterion == "margin":
        return {"C": float(rng.choice([np.inf, 1.0 / smallest, 1.5 / smallest, 100.0 / smallest]))}
    most = min(2.0 * smallest / s.sum(), 1.0)
    return {"nu": float(most * rng.choice([1e-3, 0.3, 1.0 - 1e-9, 1.0]))}
