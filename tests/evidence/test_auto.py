"""What family="auto" lists, and the start from some rows."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

import kernelopt
from kernelopt import Status, plot
from kernelopt._base import _memory
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel
from kernelopt._families.dictionary.lists import _auto
from kernelopt.cli import _report


@pytest.mark.parametrize(("n", "d", "wanted"), [(300, 4, 13 + 12), (100, 4, 13), (300, 1, 13)])
def test_columns_are_listed_where_there_are_rows_for_them(n, d, wanted):
    X = np.random.default_rng(0).normal(size=(n, d))
    assert len(kernelopt.Dictionary("auto").prepare(X, np.ones(n)).dictionary()) == wanted


QUICK = kernelopt.Evidence(effort="quick")


@pytest.mark.parametrize("room", [None, 10**12, 8 * 600 * 600 * 14])
def test_the_same_data_have_the_same_kernels_on_every_machine(monkeypatch, rows, room):
    """It needs little memory with features of single columns; where there is less, a note says that some rows learn."""
    X, y = rows(600)
    X = np.hstack([X, X[:, ::-1] ** 2])[:, :4]
    X[:, 2:] = np.sqrt(X[:, 2:])  # no column has heavy tails
    X /= X.std(axis=0)  # and none stands out by its unit
    plain = kernelopt.solve(X, y, family="auto", criterion=QUICK, max_steps=2)
    monkeypatch.setattr(_memory, "available_bytes", lambda: room)
    s = kernelopt.solve(X, y, family="auto", criterion=QUICK, max_steps=2)
    (leaf,) = (leaf for leaf in s.kernel.leaves if isinstance(leaf.family, kernelopt.Dictionary))
    assert len(leaf.family.dictionary()) == 13 + 3 * X.shape[1]
    assert s.objective == plain.objective
    monkeypatch.setattr(_memory, "available_bytes", lambda: 8 * 600 * 600 * 4)
    fewer = kernelopt.solve(X, y, family="auto", criterion=QUICK, max_steps=2)
    assert any(note.startswith("data: 600 rows would take") for note in fewer.notes)


def test_what_a_list_is_said_to_hold_it_holds(rows):
    X = np.hstack([rows(400)[0], rows(400)[0][:, :1] ** 3])
    family = kernelopt.Dictionary("auto").prepare(X, np.ones(400))
    sums = family.sums(X)
    held = sums.only(np.arange(sums.m)).held()
    size = held.factors.features.nbytes + sum(tile.nbytes for gram in held.tiles.grams for tile in gram)
    assert size <= family.sums_bytes(*X.shape) <= family.bind_bytes(*X.shape)


def test_units_of_the_columns_do_not_matter(data):
    X, y = data
    first = kernelopt.solve(X, y, family="auto", criterion=QUICK, tol=1e-5)
    second = kernelopt.solve(1e3 * X + 7.0, y, family="auto", criterion=QUICK, tol=1e-5)
    assert second.objective == pytest.approx(first.objective, abs=1e-3)


def test_columns_that_may_share_a_unit_are_listed_as_they_are_too():
    X = np.random.default_rng(0).normal(size=(100, 6))
    apart, alike = (
        kernelopt.Dictionary("auto").prepare(Z, np.ones(100)) for Z in (X * np.arange(1.0, 7.0), X / X.std(axis=0))
    )
    assert len(apart.dictionary()) == len(alike.dictionary()) + 8


def test_it_goes_into_unions_and_other_criteria(data):
    X, y = data
    assert kernelopt.solve(X, y, family=["auto", "delta"], criterion="ridge", tol=1e-2).status.converged
    assert kernelopt.solve(X, y > 2.0, family={"name": "dictionary", "kernels": "auto"}, tol=1e-2).status.converged


def test_some_rows_give_a_start_for_all(rows):
    X, y = rows(400)
    plain = kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(rough=400, effort="quick"), tol=1e-4)
    begun = kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(rough=100, effort="quick"), tol=1e-4)
    assert begun.status is Status.STATIONARY
    assert begun.trace[0].upper < plain.trace[0].upper
    assert begun.objective == pytest.approx(plain.objective, abs=0.1)
    assert "centre kernel" in str(plain)
    assert "learning the kernel lowered this objective by" in dict(_report.rows(plain))["centre kernel"]


def test_a_run_that_begins_elsewhere_does_not_look_at_the_centre(rows):
    s = kernelopt.solve(*rows(400), family="auto", criterion=kernelopt.Evidence(rough=100))
    assert s.baseline is None
    assert s.gain is None
    assert "centre kernel" not in str(s)
    assert "centre kernel" not in dict(_report.rows(s))
    assert plot.BoundsDisplay.from_solution(s).baseline is None


@pytest.mark.parametrize("smallest", [True, False])
def test_a_stop_among_some_rows_has_their_kernel_with_bounds_on_all(smallest, rows, monkeypatch):
    X, y = rows(700)
    asked = []
    plain = kernelopt.Scoring.step

    def stopped(self, problem, state, budget):
        asked.append(problem.n)
        if (problem.n < 200) == smallest:
            raise KeyboardInterrupt
        return plain(self, problem, state, budget)

    monkeypatch.setattr(kernelopt.Scoring, "step", stopped)
    s = kernelopt.solve(X, y, family="auto", criterion=kernelopt.Evidence(rough=70, effort="quick"), tol=1e-5)
    assert s.status is Status.INTERRUPTED
    assert max(asked) < len(X)
    monkeypatch.undo()
    again = kernelopt.certify(X, y, family="auto", criterion="evidence", mixture=s.mixture)
    assert again.upper == pytest.approx(s.objective, rel=1e-9)


def test_a_column_of_two_values_needs_one_gaussian():
    """The wider Gaussians there are sums of the narrowest and a constant."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=200), rng.integers(2, size=200) * 7.0 - 2.0])
    listed = kernelopt.Dictionary("auto").prepare(X, np.ones(200))
    columns = [kernel.column for kernel in listed.listed if isinstance(kernel, ColumnKernel)]
    assert columns == [0, 0, 0, 1]
    narrowest = listed.bind(X)[-1]
    z = (X[:, 1:] - X[:, 1].mean()) / X[:, 1].std()
    for gamma in _auto.ALONE[:-1]:
        wider = rbf_kernel(z, gamma=gamma)
        share = (1.0 - wider.min()) / (1.0 - narrowest.min())
        np.testing.assert_allclose(wider, share * narrowest + (1.0 - share), atol=1e-12)
        assert 0.0 < share < 1.0


def test_what_learning_gained_is_told_in_nats(rows):
    s = kernelopt.solve(*rows(60), family="dictionary", criterion="evidence")
    assert f"lowered this objective by {s.baseline - s.objective:.4g} nats" in s.gained
