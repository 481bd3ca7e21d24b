"""Up to how many rows the kernel is learned from all of them, by the effort; of more rows a sample learns it."""

import numpy as np
import pytest
from some_rows import some_rows

import kernelopt
from kernelopt._api.many_rows import _begun
from kernelopt._evidence import _effort

N, FEW = 400, 300
ROWS = some_rows(N)
X, NUMBERS, Z = ROWS.X, ROWS.numbers, ROWS.Z
QUICK = kernelopt.Evidence(targets="numbers", effort="quick", noise="gaussian")
RBF = kernelopt.Dictionary([("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 1.0})])


@pytest.fixture
def few(monkeypatch):
    """With little effort all rows learn the kernel if they are no more than 300."""
    monkeypatch.setattr(_effort, "_AT_ONCE", {"quick": FEW, "normal": N})
    monkeypatch.setattr(_effort, "_SAMPLE", {"quick": 200, "normal": 200})


def sampled(solution):
    """Whether a sample has learned the kernel."""
    return any("was learned from 200 of" in note for note in solution.notes)


@pytest.mark.parametrize("effort", ["quick", "normal", "thorough"])
def test_a_sample_is_not_almost_all_rows(effort):
    criterion = kernelopt.Evidence(effort=effort)
    assert criterion.sample(1) < criterion.at_once <= _begun.MANY


@pytest.mark.usefixtures("few")
def test_the_effort_says_how_many_rows_learn_the_kernel_at_once():
    normal = kernelopt.Evidence(targets="numbers", noise="gaussian")
    assert sampled(kernelopt.solve(X, NUMBERS, family=RBF, criterion=QUICK))
    assert not sampled(kernelopt.solve(X[:FEW], NUMBERS[:FEW], family=RBF, criterion=QUICK))
    assert not sampled(kernelopt.solve(X, NUMBERS, family=RBF, criterion=normal))


@pytest.mark.usefixtures("few")
def test_what_has_no_short_features_is_learned_from_all_rows():
    groups, holes = np.arange(N) // 2, X[:, 2:].copy()
    holes[::4] = np.nan
    views = {"left": X[:, :2], "right": holes}
    for found in (
        kernelopt.solve(X, NUMBERS, family=RBF, criterion=QUICK, groups=groups),
        kernelopt.solve(views, NUMBERS, family=kernelopt.by_view(), criterion=QUICK),
    ):
        assert not sampled(found)
        assert "landmarks" not in str(found.kernel)


@pytest.mark.usefixtures("few")
def test_a_start_that_is_a_solution_is_taken_and_a_mixture_is_gone_on_from():
    first = kernelopt.solve(X[:FEW], NUMBERS[:FEW], family=RBF, criterion=QUICK)
    on = kernelopt.solve(X, NUMBERS, family=RBF, criterion=QUICK, start=first)
    assert "family: the kernel of start was taken" in on.notes
    assert not any("max_seconds" in note for note in on.notes)
    mixed = kernelopt.solve(X, NUMBERS, family=RBF, criterion=QUICK, start=first.mixture)
    assert "landmarks" not in str(mixed.kernel)


@pytest.mark.usefixtures("few")
def test_gram_matrices_have_a_sample_too():
    def gram(left):
        return np.exp(-0.1 * ((left[:, None] - X[None]) ** 2).sum(axis=-1))

    found = kernelopt.solve(gram(X), NUMBERS, family="precomputed", criterion=QUICK)
    same = kernelopt.solve(X, NUMBERS, family=kernelopt.Dictionary([("rbf", {"gamma": 0.1})]), criterion=QUICK)
    assert sampled(found)
    np.testing.assert_allclose(found.predict(gram(Z)), same.predict(Z), atol=0.02)
