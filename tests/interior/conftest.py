import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._families._matrix import MatrixFamily
from kernelopt._linalg._cones import identity
from kernelopt.interior import Saddle, matrix_block, on_atoms
from kernelopt.interior._iterate import Point
from kernelopt.plugin import FeatureFamily, Leaf, Problem
from kernelopt.testing import Affine, Columns

CRITERIA = {
    "svc": (kernelopt.SVC(C=2.0), 1),
    "l2-svc": (kernelopt.L2SVC(C=0.7), 1),
    "lagrangian-svc": (kernelopt.LagrangianSVC(c=0.4), 1),
    "nu-svc": (kernelopt.NuSVC(nu=0.6), 1),
    "margin": (kernelopt.Margin(), 1),
    "svr": (kernelopt.SVR(C=1.5, epsilon=0.2), 1),
    "nu-svr": (kernelopt.NuSVR(C=1.5, nu=0.6), 1),
    "one-class": (kernelopt.OneClass(nu=0.5), 1),
    "ridge": (kernelopt.Ridge(lam=0.05), 1),
    "alignment": (kernelopt.Alignment(), 1),
    "svc, two outputs": (kernelopt.SVC(C=2.0), 2),
    "svc, three outputs": (kernelopt.SVC(C=2.0), 3),
    "svr, two outputs": (kernelopt.SVR(C=1.5, epsilon=0.2), 2),
    "lagrangian-svc, two outputs": (kernelopt.LagrangianSVC(c=0.4), 2),
    "nu-svc, two outputs": (kernelopt.NuSVC(nu=0.6), 2),
}


class Forms(FeatureFamily):
    """Quadratic forms in [1, x1, x2, x1 x2]."""

    name = "forms"

    @property
    def order(self):
        return 4

    def features(self, X):
        return np.column_stack([np.ones(len(X)), X, X[:, 0] * X[:, 1]])


UNIONS = {
    "matrix": (Affine(),),
    "features": (Forms(),),
    "features, matrix and identity": (Forms(), Affine(), kernelopt.Delta()),
    "list": (Columns(),),
    "list and identity": (Columns(), kernelopt.Delta()),
    "matrix, list and identity": (Affine(), Columns(), kernelopt.Delta()),
}


def targets(criterion, rng, n, outputs):
    if criterion.task == "classification":
        return np.column_stack([np.roll(np.where(np.arange(n) % 2, 1.0, -1.0), c % 2) for c in range(outputs)])
    return rng.normal(size=(n, outputs)) if criterion.task == "regression" else np.ones((n, outputs))


def make_problem(name, union, *, n=6, seed=0, hold=None):
    """A problem on n rows with some factors; `hold` gives (output, variable, value) triples to fix."""
    rng = np.random.default_rng(seed)
    criterion, outputs = CRITERIA[name]
    X = rng.normal(size=(n, 2))
    families = UNIONS[union] if isinstance(union, str) else union
    leaves = tuple(
        Leaf(family.prepare(X, np.ones(n)), np.arange(2), factor)
        for family, factor in zip(families, (0.8, 1.7, 0.3), strict=False)
    )
    data = tuple(leaf.family.bind(X) for leaf in leaves)
    qps = list(criterion.outputs(targets(criterion, rng, n, outputs), np.ones((n, outputs))))
    for c, i, value in hold or ():
        lower, upper = qps[c].lower.copy(), qps[c].upper.copy()
        lower[i] = upper[i] = value
        qps[c] = attrs.evolve(qps[c], lower=lower, upper=upper)
    return Problem(leaves, data, criterion, tuple(qps))


def whole_blocks(problem):
    """Every parameter of every leaf."""
    return tuple(
        matrix_block(leaf, data)
        if isinstance(leaf.family, MatrixFamily)
        else on_atoms(leaf, data, leaf.family.dictionary().atoms)
        for leaf, data in zip(problem.leaves, problem.data, strict=True)
    )


def positive_parameters(like, rng):
    """A random point of the cone that `like` is from."""
    if like.ndim == 1:
        return rng.uniform(0.2, 1.5, size=like.shape)
    F = rng.normal(size=like.shape)
    return F @ F.T / len(F) + 0.3 * identity(like)


def random_point(saddle, rng):
    """Strictly interior, and no equation holds."""
    qp = saddle.qp
    low = np.where(np.isfinite(qp.lower), qp.lower, -1.0)
    high = np.where(np.isfinite(qp.upper), qp.upper, low + 2.0)
    walls = qp.upper > qp.lower
    return Point(
        alpha=low + rng.uniform(0.1, 0.9, size=qp.size) * (high - low),
        b=rng.normal(size=len(qp.target)),
        tau=rng.uniform(1.0, 2.0),
        S=tuple(positive_parameters(block.start, rng) for block in saddle.blocks),
        z=np.where(walls & np.isfinite(qp.lower), rng.uniform(0.3, 2.0, size=qp.size), 0.0),
        u=np.where(walls & np.isfinite(qp.upper), rng.uniform(0.3, 2.0, size=qp.size), 0.0),
        Z=tuple(positive_parameters(block.start, rng) for block in saddle.blocks),
    )


@pytest.fixture(name="make_problem")
def _make_problem():
    return make_problem


@pytest.fixture(name="make_saddle")
def _make_saddle():
    def made(name, union, **options):
        problem = make_problem(name, union, **options)
        return Saddle.of(problem, whole_blocks(problem))

    return made


@pytest.fixture(name="whole_blocks")
def _whole_blocks():
    return whole_blocks


@pytest.fixture(name="random_point")
def _random_point():
    return random_point


@pytest.fixture(params=list(UNIONS))
def union_name(request):
    return request.param


# Without bounds or curvature the system is as singular as the kernel: the identity keeps it away from that.
CASES = [(name, union) for name in CRITERIA for union in UNIONS if name != "alignment" or "identity" in union]


@pytest.fixture(params=CASES, ids=", ".join)
def case(request):
    return request.param


@pytest.fixture(params=["whole", "by parameters"])
def factorisation(request, monkeypatch):
    """Either way to solve with the Newton matrix, whichever were cheaper."""
    by_parameters = request.param == "by parameters"
    monkeypatch.setattr("kernelopt.interior._newton.cheaper_by_parameters", lambda *_: by_parameters)
