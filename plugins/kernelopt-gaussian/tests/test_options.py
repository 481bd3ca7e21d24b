"""Options, what `prepare` fixes, words, and whole solutions."""

import kernelopt_gaussian
import numpy as np
import pytest
from kernelopt_gaussian import Gaussian

import kernelopt
from kernelopt.plugin import CONTRACT, InvalidOption, Part, Query
from kernelopt.testing import two_classes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3)) * [1.0, 2.0, 0.1]


def prepared(rows=X, **options):
    return Gaussian(**options).prepare(rows, np.ones(len(rows)))


def test_the_hook_offers_the_family():
    assert kernelopt_gaussian.kernelopt_families() == [Gaussian]
    assert kernelopt_gaussian.KERNELOPT_CONTRACT == CONTRACT
    assert "gaussian" in kernelopt.families()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eta": -1.0}, "eta must be a number of at least 0, got -1.0"),
        ({"eta": float("nan")}, "eta must be a number"),
        ({"eta": 0.0}, "omega has no upper limit"),
        ({"omega_max": 0.0}, "omega has no upper limit, or no value is allowed"),
        ({"omega_max": -2.0}, "omega_max must be a number of at least 0"),
        ({"omega_max": float("inf")}, "omega_max must be a number"),
        ({"rescale": "standard"}, "rescale must be one of 'distance', None"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        Gaussian(**options)


def test_a_family_without_data_says_so():
    with pytest.raises(InvalidOption, match=r"call prepare\(X, weight\) first"):
        Gaussian().bind(X)


@pytest.mark.parametrize("columns", [1, 3])
def test_two_training_rows_are_at_distance_one_in_the_quadratic_mean(columns):
    family = prepared(X[:, :columns])
    assert family.bind(X[:, :columns]).mean() == pytest.approx(1.0)
    assert family.center().atoms[0, 0] <= 1.0
    plain = prepared(X[:, :columns], rescale=None, eta=1e-9)
    assert plain.center().atoms[0, 0] == pytest.approx(1.0 / plain.bind(X[:, :columns]).mean())


def test_the_units_of_a_column_do_not_matter():
    units = X * [1e9, 1e-9, -1.0] + [1e9, 0.0, 5.0]
    plain, scaled = prepared(X), prepared(units)
    np.testing.assert_allclose(scaled.bind(units), plain.bind(X), atol=1e-6)


def test_a_constant_column_does_no_harm():
    rows = np.column_stack([X, np.full(30, 7.0)])
    np.testing.assert_allclose(prepared(rows).bind(rows), prepared().bind(X), rtol=1e-12)


def test_the_largest_width_is_kept():
    family = prepared(eta=0.0, omega_max=0.7)
    low, high = family.atom_bounds()
    assert (low[0], high[0]) == (0.0, 0.7)
    assert family.center().atoms[0, 0] <= 0.7
    best = family.best_atoms(family.bind(X), RNG.normal(size=(30, 1)), Query(k=3))
    assert best.atoms.max() <= 0.7


def test_apply_needs_the_support_rows_only():
    family, V = prepared(), np.zeros((30, 2))
    V[[3, 17], [0, 1]] = [2.0, -1.0]
    data = family.bind(X)
    wild = data.copy()
    wild[:, np.delete(np.arange(30), [3, 17])] = np.nan
    part = Part(np.array([[0.5], [2.0]]), np.array([0.4, 0.6]))
    np.testing.assert_allclose(family.apply(part, wild, V), family.gram(part, data).apply(V), atol=1e-14)


def test_the_mixture_in_words():
    family = prepared(eta=1e-9)
    part = Part(np.array([[0.5], [2.0], [8.0], [9.0]]), np.array([0.1, 0.6, 0.25, 0.05]))
    assert family.describe(part) == "4 widths: 0.6 exp(-2 r^2) + 0.25 exp(-8 r^2) + 0.1 exp(-0.5 r^2) + 1 more"
    assert family.describe(Part(np.zeros((0, 1)), np.zeros(0))) == "no width"


@pytest.mark.parametrize("criterion", ["svc", "margin", {"name": "svr", "C": 1.0}])
def test_a_proved_answer_by_name(criterion):
    rows, y = two_classes(np.random.default_rng(0), 50, 3)
    s = kernelopt.solve(rows, y[:, 0], family=["gaussian", "delta"], solver="fw", criterion=criterion, tol=1e-4)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.exact
    assert s.certificate.upper <= s.baseline
    assert "gaussian: proved by" in s.trace[0].note
    assert "width" in str(s)


@pytest.mark.parametrize("options", [{"eta": 0.01}, {"eta": 1.0}, {"eta": 1e4}, {"eta": 0.0, "omega_max": 2.0}])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_largest_variance_is_that_of_the_best_of_many_widths(options, weighted):
    """On rows for several blocks."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(700, 2)) * [1.0, 5.0]
    weight = rng.integers(1, 4, size=700).astype(float) if weighted else np.ones(700)
    family, share = Gaussian(**options).prepare(rows, weight), weight / weight.sum()
    largest = family.largest_atom(rows, weight, centred=True)
    high = family.omega_max or 3.0 / np.sqrt(2.0 * family.eta)
    squared = family.bind(rows)
    widths = high * np.linspace(0.01, 1.0, 80)
    sizes = [np.exp(-family.eta * w * w) * (1.0 - share @ np.exp(-w * squared) @ share) for w in widths]
    assert max(sizes) <= largest * (1.0 + 1e-12)
    assert max(sizes) == pytest.approx(largest, rel=1e-3)


def test_equal_rows_have_no_variance():
    same = np.ones((5, 2))
    assert prepared(same).largest_atom(same, np.ones(5), centred=True) == 0.0
