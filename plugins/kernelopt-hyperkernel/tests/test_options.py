"""Options, words, and whole solutions."""

import kernelopt_hyperkernel
import numpy as np
import pytest
from kernelopt_hyperkernel import Hyperkernel

import kernelopt
from kernelopt.plugin import CONTRACT, InvalidData, InvalidOption, Part
from kernelopt.testing import two_classes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
ONE_RBF = [("rbf", {"gamma": 1.0})]


def prepared(**options):
    return Hyperkernel(**options).prepare(X, np.ones(len(X)))


def test_the_hook_offers_the_family():
    assert kernelopt_hyperkernel.kernelopt_families() == [Hyperkernel]
    assert kernelopt_hyperkernel.KERNELOPT_CONTRACT == CONTRACT
    assert "hyperkernel" in kernelopt.families()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "cubic"}, "kind must be one of 'harmonic', 'isotropic'"),
        ({"lambda_h": 0.0}, "lambda_h must be a positive finite number"),
        ({"lambda_h": 1.0}, "lambda_h must be below 1 for kind='harmonic'"),
        ({"kind": "arctanh", "lambda_h": 1.5}, "lambda_h must be below 1 for kind='arctanh'"),
        ({"lambda_q": -1.0}, "lambda_q must be a number of at least 0"),
        ({"lambda_q": "papers"}, "lambda_q must be a number of at least 0 or \"paper\", got 'papers'"),
        ({"sigma": "median"}, "sigma must be .* got 'median'"),
        ({"sigma": 0.0}, "sigma must be"),
        ({"sigma": "0 quantile"}, "sigma must be .* got '0 quantile'"),
        ({"sigma": "-4 quantile"}, "sigma must be"),
        ({"sigma": "4 printed"}, "sigma must be"),
        ({"sigma": (1.0, -1.0)}, "sigma must be"),
        ({"sigma": ()}, "sigma must be"),
        ({"penalty": "l1"}, "penalty must be one of 'norm', 'squared'"),
        ({"total": 0.0}, "total must be a positive finite number"),
        ({"total": None}, 'total=None needs penalty="squared"'),
        ({"pivots": 0}, "pivots must be an integer of at least 1"),
        ({"pivots": "some"}, "pivots must be an integer of at least 1"),
        ({"tolerance": 2.0}, "tolerance must be a number from 0 to 1"),
        ({"c1": 0.0}, "c1 must be a positive finite number"),
        ({"b": -1.0}, "b must be a number of at least 0"),
        ({"p": 0.5}, "p must be an integer of at least 1"),
        ({"kind": "sum"}, r'kernels=\[...\] belongs to kind="sum"'),
        ({"kernels": ONE_RBF}, r'kernels=\[...\] belongs to kind="sum"'),
        ({"kind": "sum", "kernels": ["nonsense"]}, "scikit-learn has no kernel 'nonsense'"),
        ({"kind": "sum", "kernels": ONE_RBF, "coefficients": [1.0, 2.0]}, "got 2 coefficients for 1 kernels"),
        ({"kind": "sum", "kernels": ONE_RBF, "coefficients": [-1.0]}, "coefficients must be a positive"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        Hyperkernel(**options)


def test_options_are_known_by_the_names_that_the_constructor_takes():
    rows, y = two_classes(np.random.default_rng(0), 20, 2)
    with pytest.raises(InvalidOption, match="penalty must be one of"):
        kernelopt.solve(rows, y[:, 0], family={"name": "hyperkernel", "penalty": "l1"})
    with pytest.raises(InvalidOption, match="_penalty"):
        kernelopt.solve(rows, y[:, 0], family={"name": "hyperkernel", "_penalty": "norm"})


def test_what_cannot_be_prepared_says_so():
    with pytest.raises(InvalidOption, match=r"call prepare\(X, weight\) first"):
        Hyperkernel().bind(X)
    with pytest.raises(InvalidOption, match="sigma has 3 entries for 2 columns"):
        prepared(sigma=(1.0, 1.0, 1.0))
    with pytest.raises(InvalidData, match="none may be negative"):
        prepared(kind="sum", kernels=["linear"])
    with pytest.raises(InvalidData, match="infinite; rescale"):
        Hyperkernel(kind="polynomial-gaussian", p=60).prepare(1e6 * X, np.ones(len(X)))


def test_a_multiple_of_the_quantile_multiplies_every_width():
    def kernel(sigma):
        return Hyperkernel(sigma=sigma).prepare(X, np.ones(len(X)))._frame.kernel

    np.testing.assert_allclose(kernel("2.5 quantile").sigma, 2.5 * kernel("quantile").sigma, rtol=1e-15)


def test_one_column_makes_the_harmonic_and_the_isotropic_kind_one():
    rows = X[:, :1]
    harmonic, isotropic = (
        Hyperkernel(kind=kind, sigma=5.0).prepare(rows, np.ones(12)) for kind in ("harmonic", "isotropic")
    )
    np.testing.assert_array_equal(harmonic.dictionary().atoms, isotropic.dictionary().atoms)
    part = harmonic.dictionary()
    np.testing.assert_allclose(harmonic.cross(part, rows, rows), isotropic.cross(part, rows, rows), rtol=1e-14)


def test_the_mixture_in_words():
    family = prepared()
    same, other = np.hstack([X[0], X[0]]), np.hstack([X[0], X[1]])
    part = Part(np.array([same, other, np.hstack([X[2], X[3]])]), np.array([0.75, 0.25, 0.0]))
    assert family.describe(part) == "2 pairs of points, 0.75 + 0.25; 75% on pairs of a point with itself"
    assert family.describe(Part(np.zeros((0, 4)), np.zeros(0))) == "no pair"


@pytest.mark.parametrize(
    ("options", "kernel"),
    [
        ({}, "prod_j 0.4 / (1 - 0.6 exp(-sigma_j (x_j - z_j)^2))"),
        ({"kind": "isotropic"}, "0.4 / (1 - 0.6 exp(-sum_j sigma_j (x_j - z_j)^2))"),
        ({"kind": "exp", "lambda_h": 2.0}, "exp(2 exp(-sum_j sigma_j (x_j - z_j)^2))"),
        ({"kind": "log"}, "-ln(1 - 0.6 exp(-sum_j sigma_j (x_j - z_j)^2))"),
    ],
)
def test_nothing_learned_is_said_with_the_kernel(options, kernel):
    family = prepared(**options)
    same, other = np.hstack([X[0], X[0]]), np.hstack([X[0], X[1]])
    V = np.ones((12, 1))
    assert kernel in family.remark(Part(same[None], np.ones(1)), V)
    assert family.remark(Part(np.array([same, other]), np.array([0.9, 0.1])), V) is None
    polynomial = prepared(kind="polynomial-gaussian")
    assert polynomial.remark(Part(same[None], np.ones(1)), V) is None


def test_the_named_kernel_is_that_of_a_pair_of_a_point_with_itself():
    sigma, exp = (0.5, 2.0), np.exp
    squares = [s * (X[:, j, None] - X[:, j]) ** 2 for j, s in enumerate(sigma)]
    part = Part(np.hstack([X[3], X[3]])[None], np.ones(1))
    for options, wanted in (
        ({}, np.prod([0.4 / (1 - 0.6 * exp(-t)) for t in squares], axis=0)),
        ({"kind": "isotropic"}, 0.4 / (1 - 0.6 * exp(-sum(squares)))),
        ({"kind": "cosh"}, np.cosh(0.6 * exp(-sum(squares)))),
    ):
        np.testing.assert_allclose(prepared(sigma=sigma, **options).cross(part, X, X), wanted, rtol=1e-12)


@pytest.mark.parametrize("solver", ["fw", "ipm"])
@pytest.mark.parametrize(("penalty", "total"), [("norm", 1.0), ("norm", 3.0), ("squared", 1.0), ("squared", None)])
def test_a_proved_answer_by_name(solver, penalty, total):
    rows, y = two_classes(np.random.default_rng(0), 40, 3)
    family = {"name": "hyperkernel", "lambda_q": 400.0, "penalty": penalty, "total": total, "pivots": 40}
    options = {"family": family, "solver": solver, "criterion": {"name": "svc", "C": 10.0}, "tol": 1e-4}
    s = kernelopt.solve(rows, y[:, 0], **options)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.exact
    assert s.objective < s.baseline
    assert s.mixture.mass == pytest.approx(total) if total else s.mixture.mass > 0.0
    assert "of points" in str(s)
    assert s.decision_function(rows) == pytest.approx(s.decision_function(rows[::-1])[::-1])


def test_at_a_low_price_the_centre_is_proved_to_be_the_optimum():
    rows, y = two_classes(np.random.default_rng(0), 40, 3)
    options = {"solver": "ipm", "criterion": {"name": "svc", "C": 10.0}, "tol": 1e-4}
    low, high = (kernelopt.solve(rows, y[:, 0], family=Hyperkernel(lambda_q=q), **options) for q in (1.0, 400.0))
    assert low.objective == pytest.approx(low.baseline)
    assert any("the optimum is the fixed kernel prod_j 0.4 / (1 - 0.6" in note for note in low.notes)
    assert not high.notes


@pytest.mark.parametrize("penalty", ["norm", "squared"])
def test_the_price_of_the_paper_is_a_hundred_for_each_row(penalty, tmp_path):
    rows, y = two_classes(np.random.default_rng(0), 40, 3)
    options = {"solver": "ipm", "criterion": {"name": "svc", "C": 100.0}, "scale": "paper", "tol": 1e-6}
    named, given = (
        kernelopt.solve(rows, y[:, 0], family=Hyperkernel(lambda_q=q, penalty=penalty), **options)
        for q in ("paper", 100.0 * len(rows))
    )
    assert named.objective == pytest.approx(given.objective, rel=1e-12)
    assert named.objective < 0.99 * named.baseline
    named.save(tmp_path / "model.npz")
    np.testing.assert_array_equal(
        kernelopt.load(tmp_path / "model.npz").decision_function(rows), named.decision_function(rows)
    )


def test_the_price_of_the_paper_counts_a_row_by_its_weight():
    twice = Hyperkernel(lambda_q="paper").prepare(X, np.full(len(X), 2.0))
    copies = Hyperkernel(lambda_q=200.0 * len(X)).prepare(np.vstack([X, X]), np.ones(2 * len(X)))
    weights = twice.dictionary().weights
    assert twice.penalty.value(weights) == pytest.approx(copies.penalty.value(weights))


def test_the_widths_of_the_paper_are_fifty_quantiles():
    part = Part(np.hstack([X[:2], X[1:3]]), np.ones(2))
    sigma = tuple(50.0 * np.quantile(np.abs(x[:, None] - x), 0.9, method="inverted_cdf") for x in X.T)
    np.testing.assert_allclose(prepared(sigma="printed").cross(part, X, X), prepared(sigma=sigma).cross(part, X, X))


def test_kernels_of_any_size_cost_something():
    with pytest.raises(InvalidOption, match="total=None needs lambda_q > 0, got 0"):
        Hyperkernel(lambda_q=0.0, penalty="squared", total=None)


def test_the_price_of_a_mixture_is_known_for_pairs_of_training_rows_only():
    rows, y = two_classes(np.random.default_rng(0), 10, 2)
    rows = rows + 1e-3
    options = {"family": Hyperkernel(pivots="all"), "criterion": "svc", "scale": "paper"}
    there, back = (np.hstack([rows[a], rows[b]])[None] for a, b in ((0, 1), (1, 0)))
    mixtures = [kernelopt.Mixture((Part(atom, np.ones(1)),)) for atom in (there, back, there + 1.0)]
    one, two = (kernelopt.certify(rows, y[:, 0], mixture=mixture, **options) for mixture in mixtures[:2])
    assert one.upper == pytest.approx(two.upper, rel=1e-9)
    with pytest.raises(InvalidOption, match="1 of 1 atoms are no pivots"):
        kernelopt.certify(rows, y[:, 0], mixture=mixtures[2], **options)
