"""Columns in units of their own: where they share one, what is loud counts by what it is."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

import kernelopt
from kernelopt._device._arrays import Arrays
from kernelopt._families.dictionary.seen._coded_columns import Coded, Span, seen_from
from kernelopt._families.dictionary.seen._places import OwnUnits

DEVIATION = np.array([3.0, 1.0, 2.0, 2.5])


def in_own_units(X):
    """What the kernels of columns in their own units see."""
    family = kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)))
    return {kernel.place for kernel in family.listed if isinstance(getattr(kernel, "place", None), OwnUnits)}


@pytest.mark.parametrize(
    "deviation",
    [np.ones(5), [1.0, 1.1, 0.9], [1.0, 1e6], [1e-150, 1e150], [3.0]],
    ids=["alike", "nearly", "drowned", "far", "one"],
)
def test_columns_that_look_alike_and_single_ones_have_no_second_look(deviation):
    X = np.random.default_rng(0).normal(size=(50, len(deviation)))
    assert not in_own_units(X / X.std(axis=0) * deviation)


@pytest.mark.parametrize(("deviation", "shown"), [(np.ones(5), 5.0), ([7.0, 1e-9, 0.0], 1.0), ([2.0, 2.0, 0.0], 2.0)])
def test_it_is_counted_how_many_columns_show(deviation, shown):
    assert OwnUnits.of_columns(np.array(deviation)).shown == pytest.approx(shown)


def test_a_column_that_does_not_vary_on_these_rows_is_not_seen():
    """Its deviation counts as 1 elsewhere, which may be much beside the others; rows of a part may be alike in it."""
    X = 1e-3 * DEVIATION * np.random.default_rng(0).normal(size=(50, 4))
    (units,) = in_own_units(np.column_stack([X, np.zeros(50)]))
    assert units.deviation[4] == 0.0
    assert units.deviation[:4] / units.deviation[1] == pytest.approx(X.std(axis=0) / X[:, 1].std())


@pytest.mark.parametrize("unit", [1.0, 1e-200, 1e200])
def test_only_the_ratios_of_deviations_count(unit):
    units = OwnUnits.of_columns(unit * DEVIATION)
    assert np.mean(units.deviation**2) == pytest.approx(1.0)
    assert units.deviation / units.deviation[1] == pytest.approx(DEVIATION)


def test_the_columns_are_seen_as_they_came():
    rng = np.random.default_rng(0)
    X = DEVIATION * rng.normal(size=(40, 4)) + 5.0
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    units = OwnUnits.of_columns(X.std(axis=0))
    size = np.mean(X.var(axis=0))
    assert rbf_kernel(units.of(standard), gamma=0.3) == pytest.approx(rbf_kernel(X, gamma=0.3 / size))
    behind = np.hstack([standard, rng.normal(size=(40, 2))])  # such as ranks
    assert np.array_equal(units.of(behind), units.of(standard))
    assert np.array_equal(units.there(Arrays(), behind), units.of(standard))
    assert units.width(6) == 4


@pytest.mark.parametrize("forged", [[], [0.0, 0.0], [1.0, np.nan], [1.0, -1.0], np.ones((1, 4)), 2.0])
def test_what_are_no_deviations_is_refused(forged):
    with pytest.raises(kernelopt.InvalidData, match="wanted finite numbers of at least 0"):
        OwnUnits(np.array(forged))


def test_gradients_go_back_the_way_that_rows_came():
    rng = np.random.default_rng(0)
    units = OwnUnits.of_columns(DEVIATION)
    X, G = rng.normal(size=(2, 10, 6)), rng.normal(size=(10, 4))
    there = np.einsum("ij,ij->i", units.of(X[0]) - units.of(X[1]), G)
    assert np.einsum("ij,ij->i", X[0] - X[1], units.pulled(G, X, 6)) == pytest.approx(there)


def test_rows_with_codes_are_seen_as_those_that_are_written_out():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, size=(20, 1)).astype(np.int32)
    rows = Coded(rng.normal(size=(20, 4)), np.arange(4), codes, np.ones((20, 1)), (Span(4, 8),))
    units = OwnUnits.of_columns(DEVIATION)
    assert np.array_equal(seen_from(units, rows), units.of(rows.dense))


def sounds(seed, n):
    """Forty channels in one unit: two loud ones carry the signal, and the others hardly vary."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 40)) * np.where(np.arange(40) < 4, 1.0, 0.05)
    return X, np.sin(X[:, 0] + X[:, 1]) + 0.5 * X[:, 2] * X[:, 3] + 0.1 * rng.normal(size=n)


@pytest.fixture(scope="module")
def heard():
    return kernelopt.solve(*sounds(0, 100), criterion=kernelopt.Evidence(effort="quick"))


def test_columns_that_share_a_unit_predict_better_as_they_are(heard):
    (X, y), (Z, z) = sounds(0, 100), sounds(1, 1000)
    scaler = StandardScaler().fit(X)
    without = kernelopt.solve(scaler.transform(X), y, criterion=kernelopt.Evidence(effort="quick"))
    assert "columns in their own units" in str(heard)
    assert "columns in their own units" not in str(without)
    assert 1.0 - heard.score(Z, z) < 0.5 * (1.0 - without.score(scaler.transform(Z), z))
    assert heard.objective < without.objective


def test_the_unit_that_all_share_does_not_matter(heard):
    X, y = sounds(0, 100)
    again = kernelopt.solve(1e-3 * X, y, criterion=kernelopt.Evidence(effort="quick"))
    Z = sounds(1, 100)[0]
    assert again.predict(1e-3 * Z) == pytest.approx(heard.predict(Z), abs=1e-6)


def test_a_file_and_a_run_that_goes_on_keep_them(heard, tmp_path):
    Z = sounds(1, 50)[0]
    heard.save(tmp_path / "model")
    assert np.array_equal(kernelopt.load(tmp_path / "model").predict(Z), heard.predict(Z))
    X, y = sounds(0, 100)
    rows = np.arange(100) != 7
    again = kernelopt.solve(X[rows], y[rows], criterion=kernelopt.Evidence(effort="quick"), start=heard)
    assert "columns in their own units" in str(again)
    assert not any("start" in note for note in again.notes)


def test_a_run_on_more_rows_goes_on_with_the_longer_list_that_these_have():
    """Only there are Gaussians of single columns; of kernels that joined there are none."""
    scale = np.array([1.0, 1.0, 0.1, 0.1])
    Z = scale * np.random.default_rng(0).normal(size=(150, 4))
    z = np.sin(2.0 * Z[:, 0] + Z[:, 1])
    small = kernelopt.solve(Z[:80], z[:80], criterion=kernelopt.Evidence(effort="quick"))
    large = kernelopt.solve(Z, z, criterion=kernelopt.Evidence(effort="quick"), start=small)
    assert "columns in their own units" in str(small)
    assert not any("start" in note for note in large.notes)
    (family,) = (leaf.family for leaf in large.kernel.leaves if isinstance(leaf.family, kernelopt.Dictionary))
    assert len(family.listed) == len(kernelopt.Dictionary("auto").prepare(Z, np.ones(150)).listed)


def places(machine):
    """What the kernels of a list see, each once."""
    (family,) = (leaf.family for leaf in machine.kernel.leaves if isinstance(leaf.family, kernelopt.Dictionary))
    return {id(kernel.place) for kernel in family.listed}, len(family.listed)


def test_rows_of_a_model_from_a_file_are_seen_once_for_all_kernels_of_a_place(heard, tmp_path):
    heard.save(tmp_path / "model")
    (learned, m), (read, same) = places(heard.model), places(kernelopt.load(tmp_path / "model"))
    assert len(learned) == len(read) == 1
    assert m == same > 1


def test_they_stand_beside_ranks_categories_and_names():
    X, y = sounds(0, 100)
    rng = np.random.default_rng(5)
    table = np.column_stack([X, rng.standard_t(1.5, size=100), rng.integers(0, 5, size=100), rng.integers(0, 30, 100)])
    s = kernelopt.solve(table, y, criterion=kernelopt.Evidence(effort="quick"))
    assert np.isfinite(s.predict(table)).all()
