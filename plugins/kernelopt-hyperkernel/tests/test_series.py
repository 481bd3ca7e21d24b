"""Hyperkernels of one's own: power series of a base kernel, against sums that are written out."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernelopt_hyperkernel import GaussianBase, Hyperkernel, Series
from kernelopt_hyperkernel._pairs import base_values

import kernelopt
from kernelopt.plugin import InvalidData, InvalidOption, Part
from kernelopt.testing import FamilySuite, two_classes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(9, 2))
SIGMA = (0.7, 0.2)
ONES = np.ones(len(X))
PLUS_ONE = ("poly", {"degree": 2, "gamma": 1.0, "coef0": 1.0})


def prepared(series, rows=X):
    return Hyperkernel(kind=series).prepare(rows, np.ones(len(rows)))


def hyper_gram(series, rows=X):
    """Between all pairs of rows, as the family computes it."""
    kernel = prepared(series, rows)._fixed.kernel
    values = base_values(kernel, rows)
    return kernel.between(values, values)


def written_out(coefficients, value, rows=X):
    """sum_i c_i (k(a, b) k(c, d))^i between all pairs, one number after the other."""
    pairs = [(rows[i], rows[j]) for i in range(len(rows)) for j in range(i, len(rows))]
    k = [value(a, b) for a, b in pairs]
    return np.array([[math.fsum(c * (u * v) ** i for i, c in enumerate(coefficients)) for v in k] for u in k])


def gaussian(a, b):
    return math.exp(-sum(s * (p - q) ** 2 for s, p, q in zip(SIGMA, a, b, strict=True)))


def column(j):
    return lambda a, b: math.exp(-SIGMA[j] * (a[j] - b[j]) ** 2)


def polynomial(a, b):
    return (1.0 + sum(p * q for p, q in zip(a, b, strict=True))) ** 2


class SeriesLaws(FamilySuite):
    """Of a series with coefficients and base kernels that are written out below."""

    coefficients = (0.2, 0.5, 0.0, 0.3)

    def base_values(self, family, a, b):
        sigma = family._frame.kernel.base_kernel.widths
        return [math.exp(-sum(s * (p - q) ** 2 for s, p, q in zip(sigma, a, b, strict=True)))]

    def naive_gram(self, family, part, X):
        d = X.shape[1]

        def entry(x, z):
            total = 0.0
            for atom, w in zip(part.atoms, part.weights, strict=True):
                both = zip(self.base_values(family, atom[:d], atom[d:]), self.base_values(family, x, z), strict=True)
                total += w * math.prod(sum(c * (u * v) ** i for i, c in enumerate(self.coefficients)) for u, v in both)
            return total

        return np.array([[entry(x, z) for z in X] for x in X])


class TestCoefficients(SeriesLaws):
    def family(self):
        return Hyperkernel(kind=Series(self.coefficients), pivots=20)


class TestCoefficientsForEachColumn(SeriesLaws):
    def family(self):
        return Hyperkernel(kind=Series(self.coefficients, base=GaussianBase(columns="each")), penalty="squared")

    def base_values(self, family, a, b):
        sigma = family._frame.kernel.base_kernel.widths
        return [math.exp(-s * (p - q) ** 2) for s, p, q in zip(sigma, a, b, strict=True)]


class TestCoefficientsOfAPolynomial(SeriesLaws):
    coefficients = (0.0, 1.0, 0.1)

    def family(self):
        return Hyperkernel(kind={"terms": [0.0, 1.0, 0.1], "base": PLUS_ONE}, pivots=20)

    def base_values(self, family, a, b):
        return [polynomial(a, b)]


coefficients = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e3)), min_size=1, max_size=7).filter(any)
bases = st.sampled_from([GaussianBase(SIGMA), GaussianBase(SIGMA, columns="each"), ("laplacian", {"gamma": 0.5})])


@settings(max_examples=15, deadline=None)
@given(coefficients, bases)
def test_the_hyper_gram_and_the_kernel_of_every_pair_are_positive_semidefinite(c, base):
    series, rows = Series(c, base=base), X[:6]
    family = prepared(series, rows)
    some = family.dictionary().atoms[:3]
    kernels = [family.cross(Part(atom[None], np.ones(1)), rows, rows) for atom in some]
    for matrix in (hyper_gram(series, rows), *kernels):
        assert np.linalg.eigvalsh(matrix).min() >= -1e-12 * np.trace(matrix)


@settings(max_examples=20, deadline=None)
@given(coefficients)
def test_a_series_is_the_sum_of_its_terms(c):
    rows = X[:5]
    one, two, both, other = (written_out(c, k, rows) for k in (column(0), column(1), gaussian, polynomial))
    for base, wanted in ((GaussianBase(SIGMA), both), (GaussianBase(SIGMA, "each"), one * two), (PLUS_ONE, other)):
        np.testing.assert_allclose(hyper_gram(Series(c, base=base), rows), wanted, rtol=1e-11)


@pytest.mark.parametrize("i", [0, 1, 2, 5])
def test_a_series_of_one_term_is_the_product_of_two_powers(i):
    k = np.array([gaussian(X[a], X[b]) for a, b in zip(*np.triu_indices(len(X)), strict=True)])
    gram = hyper_gram(Series([0.0] * i + [0.3], base=GaussianBase(SIGMA)))
    np.testing.assert_allclose(gram, 0.3 * np.outer(k**i, k**i), rtol=1e-12)
    assert len(prepared(Series([0.0] * i + [0.3], base=GaussianBase(SIGMA))).dictionary()) == 1


@pytest.mark.parametrize("columns", ["together", "each"])
@pytest.mark.parametrize("name", ["harmonic", "exp", "sinh", "cosh", "arctanh", "log"])
def test_a_name_is_the_limit_of_its_coefficients(name, columns):
    closed = Series(name, base=GaussianBase(SIGMA, columns), lambda_h=0.5)
    series = Series(closed.coefficients(60), base=GaussianBase(SIGMA, columns))
    np.testing.assert_allclose(hyper_gram(series), hyper_gram(closed), rtol=1e-13)


def test_the_coefficients_of_the_harmonic_series_are_those_of_the_paper():
    np.testing.assert_allclose(Series("harmonic", lambda_h=0.3).coefficients(5), [0.7 * 0.3**i for i in range(5)])
    np.testing.assert_array_equal(Series([1.0, 2.0], lambda_h=0.5).coefficients(4), [1.0, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("kind", "terms", "columns"),
    [("harmonic", "harmonic", "each"), ("isotropic", "harmonic", "together"), ("cosh", "cosh", "together")],
)
def test_the_names_of_kinds_are_ready_objects(kind, terms, columns):
    named = Hyperkernel(kind=kind, sigma=SIGMA, lambda_h=0.8).prepare(X, ONES)
    given_ = prepared(Series(terms, GaussianBase(SIGMA, columns), lambda_h=0.8))
    part = named.dictionary()
    np.testing.assert_array_equal(part.atoms, given_.dictionary().atoms)
    np.testing.assert_array_equal(named.cross(part, X, X), given_.cross(part, X, X))


def test_powers_of_a_gaussian_are_the_gaussians_of_a_sum():
    kernels = [("rbf", {"gamma": 0.4}), ("rbf", {"gamma": 0.8})]
    sum_ = Hyperkernel(kind="sum", kernels=kernels, coefficients=[2.0, 0.5]).prepare(X, ONES)
    series = prepared(Series([0.0, 2.0, 0.5], base=GaussianBase(0.4)))
    part = sum_.dictionary()
    np.testing.assert_allclose(sum_.cross(part, X, X), series.cross(part, X, X), rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terms": "cubic"}, "terms must be one of 'harmonic', 'exp'"),
        ({"terms": [0.0, 0.0]}, "one of them above 0"),
        ({"terms": []}, "one of them above 0"),
        ({"terms": [1.0, -1e-9]}, "a finite number of at least 0"),
        ({"terms": [1.0, math.inf]}, "a finite number of at least 0"),
        ({"terms": [1.0, math.nan]}, "a finite number of at least 0"),
        ({"terms": [[1.0]]}, "a list of coefficients"),
        ({"terms": 1.0}, "a list of coefficients"),
        ({"terms": "log", "lambda_h": 1.0}, "lambda_h must be below 1 for 'log'"),
        ({"terms": "harmonic", "base": "rbf", "lambda_h": 1.0}, "lambda_h must be below 1 for 'harmonic'"),
        ({"terms": [1.0], "lambda_h": 0.0}, "lambda_h must be a positive finite number"),
        ({"terms": [1.0], "base": {"sigma": -1.0}}, "sigma must be"),
        ({"terms": [1.0], "base": {"columns": "all"}}, "columns must be one of 'together', 'each'"),
        ({"terms": [1.0], "base": {"width": 1.0}}, r"got the options \['width'\], wanted some of \['sigma', 'columns'"),
        ({"terms": [1.0], "base": "nonsense"}, "has no kernel 'nonsense'"),
        ({"lambda_h": 1.0}, 'a mapping needs "terms"'),
        ({"terms": [1.0], "radius": 1.0}, r"got the options \['radius'\]"),
    ],
)
def test_what_is_no_hyperkernel_is_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        Hyperkernel(kind=options)


def test_a_series_has_its_own_lambda_h_and_widths():
    with pytest.raises(InvalidOption, match=r"kind=Series\(...\) has its own lambda_h, got lambda_h=0\.5 beside"):
        Hyperkernel(kind=Series("exp"), lambda_h=0.5)
    with pytest.raises(InvalidOption, match=r"has its own sigma, got sigma=2\.0 beside it; write Series"):
        Hyperkernel(kind=Series("exp"), sigma=2.0)
    with pytest.raises(InvalidOption, match="kind must be one of 'harmonic', 'isotropic', 'exp'"):
        Hyperkernel(kind=("exp",))


def test_a_base_kernel_beyond_the_radius_of_convergence_is_refused_at_every_row():
    series = Series("log", base=("poly", {"degree": 2, "gamma": 1.0, "coef0": 0.0}), lambda_h=0.25)
    inside = np.sqrt(1.9) * np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8]]) / 1.9**0.25
    family = prepared(series, inside)
    part = family.dictionary()
    wanted = -math.log1p(-0.25 * 1.9**2)
    assert family.center().atoms.shape == (1, 4)
    np.testing.assert_allclose(family.diag(family.center(), inside[:1]), wanted)
    with pytest.raises(InvalidData, match=r"lambda_h=0\.25 the series 'log' converges below 2 only"):
        family.cross(part, 1.1 * inside, inside * 1.1)
    with pytest.raises(InvalidData, match="converges below 2 only"):
        prepared(series, 1.1 * inside)
    with pytest.raises(InvalidData, match="none may be negative"):
        prepared(Series([0.0, 1.0], base="linear"))


@pytest.mark.parametrize(
    "kind",
    [
        Series([0.1, 0.5, 0.4]),
        Series("exp", base=GaussianBase((0.5, 1.0, 2.0), "each")),
        {"terms": "arctanh", "base": ["rbf", {"gamma": 0.5}], "lambda_h": 0.9},
        {"terms": [0, 1, 2], "base": {"sigma": 0.5, "columns": "each"}},
    ],
)
def test_a_machine_learned_with_a_series_is_saved_and_loaded(kind, tmp_path):
    rows, y = two_classes(np.random.default_rng(0), 30, 3)
    family = {"name": "hyperkernel", "kind": kind, "lambda_q": 300.0, "pivots": 20}
    s = kernelopt.solve(rows, y[:, 0], family=family, criterion={"name": "svc", "C": 10.0}, solver="ipm", tol=1e-3)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.exact
    s.save(tmp_path / "model")
    loaded = kernelopt.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.decision_function(rows), s.decision_function(rows))
    mine, its = (one.kernel.leaves[0].family.kind for one in (s, loaded))
    assert mine == its
    assert isinstance(its, Series)
    assert str(its) in str(loaded.kernel)


@pytest.mark.parametrize(
    ("series", "text"),
    [
        (Series([0.1, 0.5, 0, 0.4]), "0.1 + 0.5 k k' + 0.4 (k k')^3 with k(x, z) = exp(-sum_j sigma_j (x_j - z_j)^2)"),
        (Series([1, 1, 1, 1, 1, 1], base="rbf"), "1 + k k' + (k k')^2 + (k k')^3 + ... with k = 'rbf'"),
        (
            Series("exp", GaussianBase(columns="each"), lambda_h=2.0),
            "prod_j (exp(2 k_j k'_j)) with k_j(x, z) = exp(-sigma_j (x_j - z_j)^2)",
        ),
    ],
)
def test_a_series_in_words(series, text):
    assert str(series) == text
    family = prepared(series)
    assert family.describe(family.dictionary()).endswith(text)


def test_nothing_learned_names_the_kernel_of_a_series():
    family = prepared(Series([0.1, 0.9], base=GaussianBase(SIGMA)))
    point = Part(np.hstack([X[3], X[3]])[None], np.ones(1))
    assert "fixed kernel 0.1 + 0.9 exp(-sum_j sigma_j (x_j - z_j)^2);" in family.remark(point, np.ones((9, 1)))
    wanted = [[0.1 + 0.9 * gaussian(x, z) for z in X] for x in X]
    np.testing.assert_allclose(family.cross(point, X, X), wanted, rtol=1e-13)


def test_constant_columns_leave_a_series_as_it_is():
    rows, y = two_classes(np.random.default_rng(0), 20, 2)
    wide = np.insert(rows, 1, 3.0, axis=1)
    options = {"criterion": "svc", "solver": "ipm"}
    for base, seen in (
        (GaussianBase((0.5, 9.0, 2.0)), GaussianBase((0.5, 2.0))),
        (("rbf", {"gamma": 0.5}), ("rbf", {"gamma": 0.5})),
    ):
        one, two = (
            kernelopt.solve(data, y[:, 0], family=Hyperkernel(kind=Series([0, 1, 1], b), pivots=20), **options)
            for data, b in ((wide, base), (rows, seen))
        )
        assert one.objective == pytest.approx(two.objective, rel=1e-12)


def test_rows_far_away_are_no_finite_number_instead_of_an_overflow():
    rows, y = two_classes(np.random.default_rng(0), 20, 2)
    learned = kernelopt.solve(rows, y[:, 0], family=Hyperkernel(kind=Series([0, 1, 1], PLUS_ONE)), criterion="svc")
    with pytest.raises(InvalidData, match="no finite number"):
        learned.predict(1e100 * rows)
