"""What novelty detection takes where no family is named."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.metrics import roc_auc_score

import kernelopt
from kernelopt import KernelOutlierDetector, fixed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) * [1.0, 3.0, 0.2] + [0.0, 5.0, -1.0]
NEW = RNG.normal(size=(15, 3)) * [2.0, 6.0, 0.4] + [0.0, 5.0, -1.0]
TIGHT = {"criterion": {"name": "one-class", "nu": 0.3}, "tol": 1e-10}


def decided(rows, new, **options):
    return kernelopt.solve(rows, **TIGHT, **options).decision_function(new)


def note_of(solution):
    (note,) = (note for note in solution.notes if note.startswith("family:"))
    return note


def test_a_note_says_what_was_taken_and_how_wide_it_is():
    s = kernelopt.solve(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    squares = ((Z[:, None] - Z) ** 2).sum(axis=2)
    width = float(re.search(r"\|x - z\|\^2 / (\S+)\) on standardised columns was taken", note_of(s)).group(1))
    kernel = np.exp(-squares / width)
    assert kernel[~np.eye(len(Z), dtype=bool)].mean() == pytest.approx(3.0 / np.sqrt(len(Z)), rel=0.01)
    assert "over pairs of 40 rows is 0.474" in note_of(s)
    assert s.kernel(X, X) == pytest.approx(kernel, abs=0.01)


@pytest.mark.parametrize("nu", [0.1, 0.5])
@pytest.mark.parametrize(("n", "d", "most"), [(60, 2, 0.25), (500, 1, 0.1), (500, 2, 0.1), (500, 10, 0.11)])
def test_of_new_usual_rows_about_a_share_of_nu_is_said_to_be_strange(n, d, most, nu):
    rng = np.random.default_rng(0)
    rows, new = rng.normal(size=(n, d)), rng.normal(size=(2000, d))
    detector = KernelOutlierDetector(criterion={"name": "one-class", "nu": nu}).fit(rows)
    assert np.mean(detector.predict(new) == -1) == pytest.approx(nu, abs=most)
    assert np.mean(detector.predict(4.0 * new) == -1) > 0.6


def test_a_family_that_is_named_is_taken():
    s = kernelopt.solve(X, family=fixed("rbf"))
    assert not any(note.startswith("family:") for note in s.notes)
    assert s.kernel(X[:1], X[:2])[0, 1] == pytest.approx(np.exp(-((X[0] - X[1]) ** 2).sum() / 3.0))


def test_neither_units_nor_origins_nor_the_order_of_columns_matter():
    order, scale, shift = [2, 0, 1], np.array([1e4, 1e-3, -1.0]), np.array([10.0, 0.0, -1.0])
    wanted = decided(X, NEW)
    assert decided((X * scale + shift)[:, order], (NEW * scale + shift)[:, order]) == pytest.approx(wanted, abs=1e-7)


def test_a_constant_column_says_nothing():
    assert decided(np.insert(X, 1, 3.0, axis=1), np.insert(NEW, 1, 7.0, axis=1)) == pytest.approx(decided(X, NEW))


def test_a_weight_is_so_many_copies():
    counts = RNG.integers(0, 4, len(X))
    wanted = decided(np.repeat(X, counts, axis=0), NEW)
    got = decided(X, NEW, sample_weight=counts)
    assert got == pytest.approx(wanted, abs=1e-6 * np.abs(wanted).max())


def test_the_seed_does_not_matter_and_the_solution_is_certified_over_the_same_kernel():
    rows = RNG.normal(size=(400, 2))
    one, other = (kernelopt.solve(rows, seed=seed) for seed in (0, 1))
    assert note_of(one) == note_of(other)
    assert kernelopt.certify(rows, None, mixture=one.mixture).upper == pytest.approx(one.certificate.upper, rel=1e-3)


@pytest.mark.parametrize("rows", [[[0.0], [1.0]], [[0.0, 1.0]] * 9 + [[1.0, 1.0]], RNG.normal(size=(5, 2000))])
def test_few_rows_copies_and_many_columns_are_no_reason_to_fail(rows):
    s = kernelopt.solve(np.array(rows))
    assert s.status.name == "CONVERGED"
    assert np.isfinite(s.decision_function(np.array(rows))).all()


def test_what_is_learned_is_kept_in_a_file(tmp_path):
    s = kernelopt.solve(X)
    s.save(tmp_path / "model.npz")
    assert np.array_equal(kernelopt.load(tmp_path / "model.npz").decision_function(NEW), s.decision_function(NEW))


def test_the_detector_takes_the_same_and_goes_on_with_other_rows():
    detector = KernelOutlierDetector(warm_start=True).fit(X)
    assert np.array_equal(detector.decision_function(NEW), kernelopt.solve(X).decision_function(NEW))
    assert np.isfinite(detector.fit(NEW).decision_function(X)).all()


def test_a_ring_in_odd_units_is_told_from_its_middle_and_from_afar():
    def ring(radius, n):
        angle = RNG.uniform(0.0, 2.0 * np.pi, n)
        return radius * np.column_stack([np.cos(angle), np.sin(angle)]) + 0.1 * RNG.normal(size=(n, 2))

    units = np.array([1e3, 1e-3])
    train, usual, strange = ring(1.0, 200), ring(1.0, 60), np.vstack([ring(0.1, 30), ring(2.0, 30)])
    new, truth = np.vstack([usual, strange]) * units, np.repeat([1, 0], 60)
    areas = [
        roc_auc_score(truth, kernelopt.solve(train * units, family=family).decision_function(new))
        for family in (None, fixed("rbf"))
    ]
    assert areas[0] > 0.97 > 0.9 > areas[1]


def in_views(n, *, loud=None, seed=0):
    """Rows in three views, one of them sparse, the first half of them five times as far out in one view."""
    rng, far = np.random.default_rng(seed), np.where(np.arange(n) < n // 2, 5.0, 1.0)[:, None]
    views = {"narrow": rng.normal(size=(n, 2)), "wide": rng.normal(size=(n, 40)), "sparse": rng.normal(size=(n, 5))}
    views = {name: rows * (far if name == loud else 1.0) for name, rows in views.items()}
    return {**views, "sparse": sparse.csr_matrix(views["sparse"])}


@pytest.mark.parametrize("loud", ["narrow", "wide", "sparse"])
def test_what_is_strange_in_any_view_is_found(loud):
    s = kernelopt.solve(in_views(200))
    scores = s.decision_function(in_views(100, loud=loud, seed=1))
    assert roc_auc_score(np.arange(100) < 50, -scores) > 0.85
    assert "each view counts as one column" in note_of(s)


def test_views_are_groups_of_columns_and_overlapping_ones_count_for_both():
    groups = {"left": [0, 1], "all": [0, 1, 2]}
    s = kernelopt.solve(X, family=kernelopt.by_view(groups))
    Z = (X - X.mean(axis=0)) / X.std(axis=0) * np.sqrt([1 / 2 + 1 / 3, 1 / 2 + 1 / 3, 1 / 3])
    squares = ((Z[:, None] - Z) ** 2).sum(axis=2)
    K = s.kernel(X, X)
    width = -squares[0, 1] / np.log(K[0, 1])
    assert pytest.approx(np.exp(-squares / width)) == K
    blocks = kernelopt.solve({"left": X[:, :2], "all": X})
    assert blocks.kernel([X[:, :2], X], [X[:, :2], X]) == pytest.approx(K)


def test_a_row_may_lack_a_view_and_categories_stand_in_it():
    rng = np.random.default_rng(0)
    A, table = rng.normal(size=(100, 3)), pd.DataFrame({"colour": rng.choice(["red", "blue"], 100)})
    A[:30] = np.nan
    s = kernelopt.solve([A, table])
    assert s.status.name == "CONVERGED"
    assert np.isfinite(s.decision_function([A, table])).all()


def test_a_view_of_constant_columns_alone_is_refused():
    with pytest.raises(kernelopt.InvalidOption, match="view 'view1': its only column is constant"):
        kernelopt.solve([X, np.ones((len(X), 1))])
