"""Options, what `prepare` fixes, words, and whole solutions."""

import kernelopt_cosine
import numpy as np
import pytest
from kernelopt_cosine import Cosine

import kernelopt
from kernelopt.plugin import CONTRACT, InvalidOption, LowRank, Part, Query
from kernelopt.testing import two_classes

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))


def prepared(rows=X, **options):
    return Cosine(**options).prepare(rows, np.ones(len(rows)))


def test_the_hook_offers_the_family():
    assert kernelopt_cosine.kernelopt_families() == [Cosine]
    assert kernelopt_cosine.KERNELOPT_CONTRACT == CONTRACT
    assert "cosine" in kernelopt.families()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"beta": 0.0}, 'beta must be a positive finite number or "auto", got 0.0'),
        ({"beta": float("inf")}, "beta must be"),
        ({"norm": "l3"}, "norm must be one of 'l2', 'l1', got 'l3'"),
        ({"search": "grid"}, "search must be one of"),
        ({"starts": 0}, "starts must be an integer of at least 1"),
        ({"repeats": 1.5}, "repeats must be an integer"),
        ({"rescale": "minmax"}, "rescale must be one of"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        Cosine(**options)


def test_a_proof_in_many_columns_is_refused_before_any_work():
    with pytest.raises(InvalidOption, match="in 2 columns at most, got 3"):
        prepared(search="exact")


def test_a_family_without_data_says_so():
    with pytest.raises(InvalidOption, match=r"call prepare\(X, weight\) first"):
        Cosine().center()


@pytest.mark.parametrize("rescale", ["standard", None])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 9])
def test_the_price_is_an_eighth_of_the_total_variance_or_half_of_the_mean_one(rescale, d):
    rows = np.column_stack([3.0 * RNG.normal(size=(30, d)), np.ones(30)])
    weight = np.arange(30.0)
    family = Cosine(rescale=rescale).prepare(rows, weight)
    weighted = np.cov(rows, rowvar=False, aweights=weight, ddof=0)
    size = float(family.diag(Part(np.eye(d + 1)[:1], np.ones(1)), rows)[0])  # exp(-beta)
    total = d if rescale else np.trace(weighted)
    assert -np.log(size) == pytest.approx(max(total / 8, total / d / 2))


def test_the_average_of_priced_frequencies_is_the_gaussian_of_scale():
    X = RNG.normal(size=(30, 4))
    family = prepared(X, rescale=None)
    atoms = family.draw(400_000, np.random.default_rng(2))
    Z = X[:4]
    average = family.cross(Part(atoms, np.full(len(atoms), 1.0 / len(atoms))), Z, Z)
    squares = np.sum((Z[:, None] - Z) ** 2, axis=2)
    gaussian = np.exp(-squares / X.var(axis=0).sum())
    np.testing.assert_allclose(average / average[0, 0], gaussian, atol=5e-3)


def test_constant_columns_have_a_price():
    size = prepared(np.ones((5, 2))).diag(Part(np.array([[1.0, 0.0]]), np.ones(1)), np.ones((5, 2)))
    assert size == pytest.approx(np.exp(-1.0))


def test_the_centre_of_many_columns_has_few_frequencies():
    many = prepared(RNG.normal(size=(30, 100)))
    assert len(many.center()) <= 32
    assert many.center().mass == pytest.approx(1.0)
    assert np.count_nonzero(many.center().atoms.any(axis=0)) == len(many.center())


def test_the_units_of_a_column_do_not_matter():
    units = X * [1e9, 1e-9, -1.0] + [1e9, 0.0, 5.0]
    plain, scaled = prepared(X * [1.0, 1.0, -1.0]), prepared(units)
    V = np.random.default_rng(1).normal(size=(30, 1))
    one, two = plain.best_atoms(X * [1.0, 1.0, -1.0], V, Query()), scaled.best_atoms(units, V, Query())
    assert one.ceiling == pytest.approx(two.ceiling, rel=1e-6)
    np.testing.assert_allclose(one.atoms, two.atoms, atol=1e-5)


def test_a_constant_column_does_no_harm():
    rows = X.copy()
    rows[:, 1] = 7.0
    family = prepared(rows)
    assert np.isfinite(family.center().atoms).all()
    assert family.best_atoms(rows, RNG.normal(size=(30, 1)), Query()).ceiling > 0.0


def test_grams_are_of_low_rank():
    family = prepared()
    gram = family.gram(family.center(), family.bind(X))
    assert isinstance(gram, LowRank)
    assert gram.factor.shape == (30, 6)


def test_equal_options_make_equal_families():
    assert prepared() == prepared()
    assert prepared() != prepared(beta=2.0)
    assert repr(prepared()) == repr(Cosine())


def test_the_mixture_in_words():
    family = prepared(beta=1e-9)
    atoms = np.array([[1.5, 0.0, -0.5], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 0.0, 0.0]])
    text = family.describe(Part(atoms, np.array([0.5, 0.3, 0.15, 0.05])))
    assert text == "4 frequencies: 0.5 cos(1.5 x0 -0.5 x2) + 0.3 (constant) + 0.15 cos(2 x1) + 1 more"
    assert family.describe(Part(np.zeros((0, 3)), np.zeros(0))) == "no frequency"


def test_the_trace_tells_how_the_ceilings_were_found():
    rows, y = two_classes(np.random.default_rng(0), 40, 3)
    s = kernelopt.solve(rows, y[:, 0], family={"name": "cosine", "beta": 0.3}, solver="fw", tol=1e-3)
    assert s.status is kernelopt.Status.CONVERGED_ESTIMATED
    assert not s.certificate.exact
    assert all("cosine: " in record.note and " starts, " in record.note for record in s.trace)
    assert any("best / second" in record.note for record in s.trace)
    assert "frequenc" in str(s)


def test_a_proved_answer_in_two_columns():
    rows, y = two_classes(np.random.default_rng(0), 40, 2)
    s = kernelopt.solve(rows, y[:, 0], family=["cosine", "delta"], solver="fw", criterion="margin", tol=1e-4)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.exact
    assert s.certificate.upper <= s.baseline


@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("beta", [0.1, 1.0, 10.0])
def test_the_largest_variance_is_that_of_rows_at_two_points(norm, beta):
    """There the bound is attained: 1 - |phi|^2 = sin^2 of gamma'x."""
    rows = np.array([[1.0, 0.0], [-1.0, 0.0]])
    family = prepared(rows, norm=norm, beta=beta)
    gammas = np.column_stack([np.linspace(0.0, 3.0, 3001), np.zeros(3001)])
    grams = [family.cross(Part(gamma[None], np.ones(1)), rows, rows) for gamma in gammas]
    largest = max(np.trace(K) / 2.0 - K.mean() for K in grams)
    assert family.largest_atom(rows, np.ones(2), centred=True) == pytest.approx(largest, rel=1e-6)


def test_equal_rows_have_no_variance():
    same = np.ones((5, 2))
    assert prepared(same).largest_atom(same, np.ones(5), centred=True) == 0.0
