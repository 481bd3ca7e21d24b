"""Lists of kernels: precomputed matrices, the default list, and what is refused."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import cosine_similarity, pairwise_kernels
from sklearn.svm import SVC

import kernelopt
from kernelopt import Dictionary, Precomputed, Status, default_dictionary, fixed, on
from kernelopt._families.dictionary.grams._gram_parts import heights
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel, diagonal
from kernelopt._families.dictionary.kernels._named_kernels import named_kernel
from kernelopt._families.dictionary.seen._places import Metric
from kernelopt.plugin import InvalidData, InvalidOption, Part
from kernelopt.testing import two_classes

X, Y = two_classes(np.random.default_rng(0), 60, 3)
Y = Y[:, 0]
TRAIN, TEST = np.arange(36), np.arange(36, 60)

NAMED = (
    "linear",
    "poly",
    ("polynomial", {"degree": 2, "gamma": 0.3, "coef0": 0.5}),
    "rbf",
    ("rbf", {"gamma": 0.0}),
    "laplacian",
    ("laplacian", {"gamma": 2.0}),
    "cosine",
    ("sigmoid", {"gamma": 0.1}),
)
"""Kernels of scikit-learn, the last one not always positive semidefinite."""


def gaussian(A, B, gamma=0.5):
    return np.exp(-gamma * ((A[:, None] - B) ** 2).sum(axis=2))


def numbers(rows):
    return rows[:, None]


def solved(rows, y, family, **options):
    return kernelopt.solve(rows, y, family=family, **{"criterion": "svc", "tol": 1e-6} | options)


def test_a_precomputed_matrix_gives_the_machine_of_its_kernel():
    wide, narrow = (lambda A, B: gaussian(A, B, 0.2)), (lambda A, B: gaussian(A, B, 2.0))
    one = solved(X[TRAIN], Y[TRAIN], Dictionary([wide, narrow]))
    two = solved(numbers(TRAIN), Y[TRAIN], Dictionary([Precomputed(wide(X, X)), Precomputed(narrow(X, X))]))
    assert two.objective == pytest.approx(one.objective, rel=1e-9)
    got, wanted = two.decision_function(numbers(TEST)), one.decision_function(X[TEST])
    np.testing.assert_allclose(got, wanted, atol=1e-9)
    restored = pickle.loads(pickle.dumps(two.predictor))
    np.testing.assert_array_equal(restored.decision_function(numbers(TEST)), got)


def test_a_precomputed_matrix_agrees_with_scikit_learn():
    K = gaussian(X, X)
    s = solved(numbers(TRAIN), Y[TRAIN], fixed(Precomputed(K)), scale="paper", tol=1e-8)
    theirs = SVC(kernel="precomputed", tol=1e-9).fit(K[np.ix_(TRAIN, TRAIN)], Y[TRAIN])
    wanted = theirs.decision_function(K[np.ix_(TEST, TRAIN)])
    np.testing.assert_allclose(s.decision_function(numbers(TEST)), wanted, atol=1e-4)


def test_row_numbers_and_columns_live_side_by_side():
    both = np.column_stack([np.arange(60.0), X])
    family = on(Dictionary([Precomputed(gaussian(X, X), name="blood")]), [0]) + on("tk", [1, 2, 3])
    s = solved(both[TRAIN], Y[TRAIN], family)
    assert s.status.converged
    assert s.decision_function(both[TEST]).shape == (24,)
    assert "blood" in str(s)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Precomputed(np.ones((2, 3))), "got an array of shape .2, 3., wanted a square matrix"),
        (lambda: Precomputed([[1.0, np.nan], [np.nan, 1.0]]), "NaN or infinite"),
        (lambda: Precomputed([[1.0, 0.5], [0.4, 1.0]]), "not symmetric"),
        (lambda: solved(X, Y, fixed(Precomputed(np.eye(60)))), "row numbers from 0 to 59 in one column"),
        (lambda: solved(X[:, :1], Y, fixed(Precomputed(np.eye(60)))), "row numbers from 0 to 59"),
        (lambda: solved(numbers(TRAIN), Y[TRAIN], fixed(Precomputed(np.eye(30)))), "row numbers from 0 to 29"),
        (
            lambda: solved(numbers(TRAIN), Y[TRAIN], fixed(Precomputed(gaussian(X, X) - 0.5 * np.eye(60)))),
            "precomputed is not positive semidefinite on the training rows",
        ),
        (lambda: solved(numbers(TRAIN), Y[TRAIN], Dictionary([Precomputed(np.zeros((60, 60)))])), "has no variance"),
        (lambda: solved(X, Y, Dictionary(["linear", lambda A, B: np.ones((len(A), len(B)))])), "has no variance"),
    ],
)
def test_mistakes_are_told(make, message):
    with pytest.raises(InvalidData, match=message):
        make()


def test_columns_of_small_numbers_are_told_how_to_be_scaled_and_the_advice_works():
    small = 1e-8 * X
    with pytest.raises(InvalidData, match=r'has no variance .*; remove it, or, .*, as rescale="standard" does'):
        solved(small, Y, Dictionary(["linear", "rbf"]))
    assert solved(small, Y, Dictionary(["linear", "rbf"], rescale="standard")).status.converged


@pytest.mark.parametrize("normalize", ["trace", "variance"])
def test_columns_of_huge_numbers_are_refused_without_a_warning_of_numpy(normalize):
    family = Dictionary(["linear", ("poly", {"degree": 2})], normalize=normalize)
    with pytest.raises(InvalidData, match="scale the columns of X"):
        family.prepare(1e150 * X, np.ones(len(X)))


def test_the_matrix_is_a_copy_that_nobody_writes_into():
    K = gaussian(X, X)
    kernel = Precomputed(K)
    K[0, 0] = 7.0
    assert kernel.gram[0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        kernel.gram[0, 0] = 2.0


def test_the_default_list_is_that_of_the_papers():
    kernels = default_dictionary(np.column_stack([X, np.ones(60)])).kernels
    assert len(kernels) == 13 * 4
    widths = [1.0 / np.sqrt(2.0 * options["gamma"]) for _, options in kernels[:10]]
    assert (widths[0], widths[-1]) == pytest.approx((0.5, 10.0))
    assert [options["degree"] for _, options in kernels[10:13]] == [1, 2, 3]
    assert len(default_dictionary(X[:, :1]).kernels) == 13


def test_a_pair_of_a_name_and_options_may_be_a_list_as_files_have_it():
    assert Dictionary([["rbf", {"gamma": 0.5}], "linear"]).kernels == (("rbf", {"gamma": 0.5}), "linear")
    with pytest.raises(InvalidOption, match="wanted a name"):
        Dictionary([["rbf", 0.5]])


def test_a_dictionary_without_a_list_takes_the_default_one():
    one, two, three = (solved(X, Y, family, tol=1e-4) for family in ("dictionary", Dictionary(), default_dictionary(X)))
    assert one.objective == two.objective == three.objective
    assert "rbf(gamma=" in str(one) or "poly(degree=" in str(one)


def test_the_units_of_the_columns_do_not_matter_to_the_default_list():
    moved = X * [1e6, 1e-6, 1.0] + [0.0, 5.0, -3.0]
    one, two = (solved(rows, Y, "dictionary", tol=1e-6) for rows in (X, moved))
    assert two.objective == pytest.approx(one.objective, rel=1e-5)


def test_the_default_list_learns():
    wine = load_wine()
    s = kernelopt.solve(wine.data[::2], wine.target[::2], family="dictionary")
    assert s.score(wine.data[1::2], wine.target[1::2]) > 0.9


def test_a_list_for_other_columns_says_so():
    with pytest.raises(InvalidData, match=r"rbf\(gamma=.*\) of x2 was listed, and there are 2 columns"):
        solved(X[:, :2], Y, default_dictionary(X))
    with pytest.raises(InvalidOption, match=r"call prepare\(X, weight\) first"):
        Dictionary().center()


@pytest.mark.parametrize("kernel", NAMED, ids=str)
def test_diagonals_are_those_of_scikit_learn(kernel):
    """In closed form where there is one here, with scikit-learn's defaults."""
    name, options = (kernel, {}) if isinstance(kernel, str) else kernel
    X = np.random.default_rng(0).normal(size=(130, 3))
    family = kernelopt.Dictionary([kernel], normalize=None).prepare(X, np.ones(130))
    wanted = np.diagonal(pairwise_kernels(X, metric=name, **options))
    assert family.diag(family.dictionary(), X) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("few", [0, 1 << 20], ids=["compiled", "by numpy"])
def test_sums_of_absolute_differences_are_the_same_for_few_rows_and_for_many(monkeypatch, few):
    """Of few numpy computes them in blocks of rows, and nothing is compiled."""
    monkeypatch.setattr("kernelopt._families.dictionary.kernels._pairwise._FEW", few)
    A, B = np.random.default_rng(1).normal(size=(130, 3)), np.random.default_rng(2).normal(size=(40, 3))
    family = Dictionary([("laplacian", {"gamma": 0.5})], normalize=None).prepare(B, np.ones(40))
    wanted = pairwise_kernels(A, B, metric="laplacian", gamma=0.5)
    np.testing.assert_allclose(family.cross(family.dictionary(), A, B), wanted, rtol=1e-13)
    assert family.cross(family.dictionary(), A[:0], B).shape == (0, 40)


def test_of_many_rows_small_blocks_too_are_computed_by_compiled_code(monkeypatch):
    """What counts is how many pairs of rows there are in all: a block of a large Gram is one of many."""
    X = np.random.default_rng(1).normal(size=(700, 3))
    monkeypatch.setattr("kernelopt._families.dictionary.kernels._pairwise._FEW", len(X) ** 2)
    monkeypatch.setattr("kernelopt._families.dictionary.kernels._pairwise._add_plainly", None)
    assert max(one.stop - one.start for one in heights(len(X), len(X))) * 3 < len(X)
    family = Dictionary([("laplacian", {"gamma": 0.5})], normalize=None).prepare(X, np.ones(len(X)))
    gram = family.gram(family.dictionary(), family.bind(X)).dense()
    np.testing.assert_allclose(gram, pairwise_kernels(X, metric="laplacian", gamma=0.5), rtol=1e-12)


@pytest.mark.parametrize("kernel", [("rbf", {}), ("laplacian", {"gamma": 2.0}), ("poly", {"degree": 2})], ids=str)
def test_the_diagonal_asks_what_is_seen_of_rows_only_where_it_matters(kernel, monkeypatch):
    """An image of many rows under a metric takes long."""
    asked, of = [], Metric.of
    monkeypatch.setattr(Metric, "of", lambda self, X: asked.append(1) or of(self, X))
    place = Metric(np.random.default_rng(0).normal(size=(3, 2)))
    rows = np.random.default_rng(1).normal(size=(50, 3))
    found = diagonal(PlacedKernel(kernel, place), rows)
    assert found == pytest.approx(diagonal(kernel, rows @ place.root))
    assert bool(asked) is (kernel[0] == "poly")


@pytest.mark.parametrize("d", [1, 2, 7])
@pytest.mark.parametrize("kernel", [one for one in NAMED if one[0] != "sigmoid"], ids=str)
def test_values_are_those_of_scikit_learn(kernel, d):
    """Alone, and within a list whose other members share what they are functions of."""
    name, options = (kernel, {}) if isinstance(kernel, str) else kernel
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(33, d)) + 5.0, rng.normal(size=(6, d)) + 5.0
    wanted = pairwise_kernels(Z, X, metric=name, **options)
    for others in ((), ("laplacian", "rbf", "linear")):
        family = Dictionary([*others, kernel], normalize=None, rescale=None).prepare(X, np.ones(33))
        part = kernelopt.Part(np.array([[float(len(others))]]), np.ones(1))
        assert family.cross(part, Z, X) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
        whole = family.gram(part, family.bind(X)).dense()
        assert whole == pytest.approx(pairwise_kernels(X, metric=name, **options), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "kernels", [["linear", "rbf"], [("poly", {"degree": 2, "coef0": 0.0})], [lambda A, B: A @ B.T]]
)
@pytest.mark.parametrize("storage", ["held", "summed"])
def test_a_row_of_length_0_stays_one_when_every_other_is_brought_to_length_1(kernels, storage):
    """Then the Gram is still that of features: finite, semidefinite, and 0 in the row of no direction."""
    rows = X[:30].copy()
    rows[[4, 7]] = 0.0
    family = Dictionary(kernels, normalize="diagonal").prepare(rows, np.ones(30))
    part = kernelopt.Part(np.zeros((1, 1)), np.ones(1))
    if storage == "held":
        K = family.gram(part, family.bind(rows)).apply(np.eye(30))
    else:
        K = family.sums(rows).combined(np.eye(len(family.listed))[0])
    assert np.isfinite(K).all()
    assert not K[[4, 7]].any()
    assert family.diag(part, rows) == pytest.approx(np.diagonal(K), abs=1e-12)
    assert np.diagonal(np.delete(np.delete(K, [4, 7], 0), [4, 7], 1)) == pytest.approx(np.ones(28))
    assert np.linalg.eigvalsh(K)[0] > -1e-9
    np.testing.assert_allclose(family.cross(part, rows[:9], rows), K[:9], atol=1e-12)


def test_a_row_of_length_0_leaves_true_bounds():
    rows = X[:20].copy()
    rows[3] = 0.0
    family = Dictionary(["linear", "rbf"], normalize="diagonal")
    s = kernelopt.solve(rows, family=family, criterion={"name": "one-class", "nu": 1.0}, solver="fw")
    assert s.status.converged
    assert np.isfinite([s.certificate.lower, s.certificate.upper]).all()


def test_a_kernel_that_is_0_on_every_row_cannot_be_brought_to_length_1():
    with pytest.raises(InvalidData, match="has no diagonal on the training rows"):
        solved(X, Y, Dictionary(["rbf", lambda A, B: np.zeros((len(A), len(B)))], normalize="diagonal"))


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (
            ("rbf", {"gama": 1}),
            r"the kernel rbf has no option 'gama' \(did you mean 'gamma'\?\); its options are gamma",
        ),
        (("laplacian", {"gama": 1}), r"the kernel laplacian has no option 'gama' \(did you mean 'gamma'\?\)"),
        (
            ("poly", {"degre": 2}),
            r"has no option 'degre' \(did you mean 'degree'\?\); its options are degree, gamma, coef0",
        ),
        (("rbf", {"gamma": "a"}), r"gamma of the kernel rbf must be a finite number >= 0, got 'a'"),
        (("rbf", {"gamma": -1.0}), r"gamma of the kernel rbf must be a finite number >= 0, got -1\.0"),
        (("rbf", {"gamma": np.float64(np.nan)}), r"gamma of the kernel rbf must be .* got nan"),
        (("poly", {"coef0": None}), r"coef0 of the kernel poly must be a finite number, got None"),
        ("rbv", r"has no kernel 'rbv' \(did you mean 'rbf'\?\); it has"),
        ("exponental", r"has no kernel 'exponental' \(did you mean 'exponential'\?\); .* kernelopt adds exponential,"),
    ],
    ids=str,
)
def test_options_that_a_kernel_has_not_are_refused_when_it_is_listed(kernel, words):
    with pytest.raises(InvalidOption, match=words):
        Dictionary([kernel])


@pytest.mark.parametrize("name", ["chi2", "additive_chi2"])
def test_a_kernel_that_cannot_take_the_rows_says_so(name):
    with pytest.raises(InvalidData, match=f"the kernel {name} cannot take these rows: X contains negative values"):
        solved(X, Y, Dictionary([name]))
    assert solved(np.abs(X), Y, Dictionary(["chi2"]), tol=1e-3).status.converged


@pytest.mark.parametrize("unit", [1e-60, 1e-9, 1e9, 1e60])
@pytest.mark.parametrize("normalize", ["variance", "trace"])
def test_a_normalised_kernel_is_the_same_in_any_unit(normalize, unit):
    """Columns of nanometres have a variance of 1e-18: this is no rounding error."""
    X = np.random.default_rng(0).normal(size=(12, 3))
    K, rows = X @ X.T + np.eye(12), np.arange(12.0)[:, None]
    part = Part(np.array([[0.0]]), np.ones(1))

    def gram(kernel, rows):
        family = Dictionary([kernel], normalize=normalize).prepare(rows, np.ones(12))
        return family.cross(part, rows, rows)

    assert gram("linear", unit * X) == pytest.approx(gram("linear", X), rel=1e-9, abs=1e-12)
    assert gram(lambda A, B: A @ B.T, unit * X) == pytest.approx(gram("linear", X), rel=1e-9, abs=1e-12)
    assert gram(Precomputed(unit * K), rows) == pytest.approx(gram(Precomputed(K), rows), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("normalize", ["variance", "trace", "diagonal", None])
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda A, B: 1.0, r"returned shape \(\), wanted \(60, 60\): its value for each row"),
        (lambda A, B: (A @ B.T)[:, :1], r"returned shape \(60, 1\), wanted \(60, 60\)"),
        (lambda A, B: (A @ B.T) * (1 + 0.1j), r"returned values of dtype complex128, wanted real numbers"),
        (lambda A, B: None, r"returned values of dtype object, wanted real numbers"),
        (
            lambda A, B: 3.0 + A[:, :1] - B[:, :1].T,
            r"is not symmetric: k\(x, z\) and k\(z, x\) differ by .* return",
        ),
        (
            lambda A, B: -(A @ B.T),
            r"is -.* for a row with itself, wanted at least 0",
        ),
    ],
    ids=["scalar", "column", "complex", "nothing", "asymmetric", "negative"],
)
def test_a_function_that_is_no_kernel_is_told_what_it_returned(function, words, normalize):
    with pytest.raises(InvalidData, match=words):
        solved(X, Y, Dictionary([function], normalize=normalize))


def test_a_function_of_another_type_or_order_of_numbers_is_a_kernel():
    whole = solved(X, Y, Dictionary([lambda A, B: (A @ B.T).astype(np.float32)]), tol=1e-3)
    turned = solved(X, Y, Dictionary([lambda A, B: (B @ A.T).T]), tol=1e-3)
    assert whole.objective == pytest.approx(turned.objective, rel=1e-3)


@pytest.fixture(scope="module")
def nearly_a_gram():
    """A matrix of 700 rows with one small negative eigenvalue beside many that are nearly 0, and labels."""
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(700, 700)))[0]
    K = (Q * np.concatenate([np.linspace(0.0, 1.0, 699), [-1e-6]])) @ Q.T
    return 0.5 * (K + K.T), np.sign(rng.normal(size=700))


def learned(nearly_a_gram, tol):
    K, y = nearly_a_gram
    family = Dictionary([Precomputed(K)], normalize=None)
    return kernelopt.solve(np.arange(700.0)[:, None], y, family=family, criterion="svc", tol=tol)


def test_a_small_negative_eigenvalue_of_a_matrix_at_hand_is_seen_on_any_number_of_rows(nearly_a_gram):
    """Steps towards the smallest eigenvalue would miss it: the Gram of the learned kernel is factored."""
    solution = learned(nearly_a_gram, 1e-9)
    assert solution.status is Status.INDEFINITE
    assert "dictionary: the learned kernel is not positive semidefinite" in " ".join(solution.notes)


def test_an_eigenvalue_below_0_that_moves_no_bound_by_the_tolerance_is_none(nearly_a_gram):
    K, y = nearly_a_gram
    values, Q = np.linalg.eigh(K)
    clipped = (Q * values.clip(0.0)) @ Q.T
    solution, exact = learned(nearly_a_gram, 1e-3), learned((0.5 * (clipped + clipped.T), y), 1e-6)
    assert solution.status is Status.CONVERGED
    assert solution.objective == pytest.approx(exact.objective, rel=1e-3)


def test_a_unit_diagonal_asks_a_function_of_the_user_for_each_block_once():
    """Besides the blocks of the Gram come those of the diagonal, whose number does not grow with the Gram's."""
    calls = 0

    def counted(A, B):
        nonlocal calls
        calls += 1
        return A @ B.T + 1.0

    rows, taken = np.random.default_rng(0).normal(size=(700, 3)), {}
    for normalize in ("trace", "diagonal"):
        family = Dictionary([counted], normalize=normalize).prepare(rows, np.ones(700))
        for storage in ("bind", "sums"):
            calls = 0
            data = getattr(family, storage)(rows)
            if storage == "sums":
                data.held()
            taken[normalize, storage] = calls
    assert taken["trace", "bind"] == len(heights(700, 700))
    for storage in ("bind", "sums"):
        assert 0 < taken["diagonal", storage] - taken["trace", storage] <= 700 // 64 + 1


@pytest.mark.parametrize("numbers", [np.arange(5, 25), np.arange(25)[::-1], np.array([3, 3, 7]), np.array([], int)])
def test_a_matrix_at_hand_gives_the_entries_of_any_rows(numbers):
    K = pairwise_kernels(X[:30], metric="rbf")
    kernel, rows = Precomputed(K), numbers[:, None].astype(float)
    np.testing.assert_array_equal(kernel(rows, np.arange(30.0)[:, None]), K[numbers])
    np.testing.assert_array_equal(kernel(rows, rows), K[np.ix_(numbers, numbers)])


def test_the_diagonal_of_the_cosine_kernel_is_that_of_its_gram_with_rows_of_zeros():
    X = np.vstack([np.random.default_rng(0).normal(size=(4, 3)), np.zeros((2, 3))])
    family = Dictionary(["cosine"], normalize=None).prepare(X, np.ones(6))
    part = family.center()
    np.testing.assert_allclose(family.diag(part, X), np.diagonal(family.cross(part, X, X)), atol=1e-15)


@pytest.mark.parametrize("scale", [1e-10, 1.0, 1e100])
def test_the_cosine_kernel_is_that_of_scikit_learn(scale):
    rng = np.random.default_rng(0)
    X, Z = scale * rng.normal(size=(7, 4)), rng.normal(size=(5, 4))
    X[2], Z[3] = 0.0, 0.0
    ours = named_kernel("cosine", {})
    np.testing.assert_allclose(ours(X, Z), cosine_similarity(X, Z), atol=1e-14)
    np.testing.assert_allclose(ours(X, X), cosine_similarity(X), atol=1e-14)
