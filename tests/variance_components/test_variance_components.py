"""The estimates against a brute-force likelihood and closed forms, and the laws that hold whatever the data."""

import tracemalloc

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import kstest

import kernelopt
from kernelopt import variance_components
from kernelopt._variance_components._mixed_model import MixedModel

METHODS = pytest.mark.parametrize("method", ["reml", "ml"])


def data(n=60, w=(1.0, 0.6), noise=0.5, seed=0, q=2):
    """Kernels of rank n / 2, a trait that they explain in part, and covariates."""
    rng = np.random.default_rng(seed)
    kernels, y = {}, noise**0.5 * rng.normal(size=n)
    for a, weight in enumerate(w):
        Z = rng.normal(size=(n, n // 2))
        kernels[f"k{a}"] = Z @ Z.T / (n // 2)
        y += Z @ rng.normal(size=n // 2) * (weight / (n // 2)) ** 0.5
    X = rng.normal(size=(n, q))
    return kernels, y + 2.0 + X.sum(axis=1), X


def brute(kernels, y, X, w, method):
    """The log-likelihood by its definition: of contrasts of y, or of y at the best fixed effects."""
    V = sum(weight * K for weight, K in zip(w, [*kernels.values(), np.eye(len(y))], strict=True))
    design = np.column_stack([np.ones(len(y)), X])
    if method == "reml":
        A = np.linalg.svd(design)[0][:, design.shape[1] :]
        S, r = A.T @ V @ A, A.T @ y
    else:
        W = np.linalg.inv(V)
        S, r = V, y - design @ np.linalg.solve(design.T @ W @ design, design.T @ W @ y)
    return -0.5 * (np.linalg.slogdet(S)[1] + r @ np.linalg.solve(S, r) + len(r) * np.log(2.0 * np.pi))


def climbed(kernels, y, X, method):
    """The maximum from a few starts by a method that knows no derivative."""
    m = len(kernels) + 1
    runs = [
        minimize(
            lambda s: -brute(kernels, y, X, s**2, method),
            np.full(m, start),
            method="Nelder-Mead",
            options={"xatol": 1e-7, "fatol": 1e-10, "maxiter": 6000, "maxfev": 6000},
        )
        for start in (0.5, 1.0)
    ]
    best = min(runs, key=lambda run: run.fun)
    return best.x**2, -best.fun


@METHODS
def test_estimates_are_those_of_a_brute_force_likelihood(method):
    kernels, y, X = data()
    found = variance_components(kernels, y, X, method=method)
    w, value = climbed(kernels, y, X, method)
    assert found.converged
    assert found.variances == pytest.approx(w, rel=2e-3)
    assert found.log_likelihood == pytest.approx(value, abs=1e-6)
    assert found.log_likelihood == pytest.approx(brute(kernels, y, X, found.variances, method), abs=1e-8)


@METHODS
def test_information_is_the_average_of_observed_and_expected(method):
    kernels, y, X = data()
    found = variance_components(kernels, y, X, method=method)
    w, m, h = found.variances, 3, 1e-3
    observed = np.zeros((m, m))
    for a in range(m):
        for b in range(m):
            at = [
                brute(kernels, y, X, w + h * (s * np.eye(m)[a] + t * np.eye(m)[b]), method)
                for s, t in ((1, 1), (1, -1), (-1, 1), (-1, -1))
            ]
            observed[a, b] = -(at[0] - at[1] - at[2] + at[3]) / (4.0 * h * h)
    listed = [*kernels.values(), np.eye(len(y))]
    P = np.linalg.inv(sum(weight * K for weight, K in zip(w, listed, strict=True)))
    if method == "reml":
        D = np.column_stack([np.ones(len(y)), X])
        P = P - P @ D @ np.linalg.solve(D.T @ P @ D, D.T @ P)
    expected = np.array([[0.5 * np.trace(P @ K @ P @ L) for L in listed] for K in listed])
    assert found.information == pytest.approx(0.5 * (observed + expected), rel=2e-3, abs=1e-3)
    assert found.covariance @ found.information == pytest.approx(np.eye(m), abs=1e-8)
    assert [c.std_error for c in found.components] == pytest.approx(np.sqrt(np.diagonal(found.covariance))[:-1])


def test_score_is_zero_inside_and_points_out_on_the_boundary():
    kernels, y, X = data(w=(1.0, 0.0), seed=8)
    found = variance_components(kernels, y, X)
    assert found["k1"].on_boundary
    assert np.isnan(found["k1"].std_error)
    assert any("variance is 0" in note for note in found.notes)
    assert found.gradient_norm < 1e-3
    up = brute(kernels, y, X, found.variances + np.array([0.0, 1e-4, 0.0]), "reml")
    assert up < found.log_likelihood
    assert found["k1"].statistic == 0.0
    assert found["k1"].p_value == 1.0


def test_statistic_is_that_of_the_fit_without_the_kernel():
    kernels, y, X = data()
    found = variance_components(kernels, y, X)
    for name in kernels:
        rest = {other: K for other, K in kernels.items() if other != name}
        without = variance_components(rest, y, X, tests=False).log_likelihood
        assert found[name].statistic == pytest.approx(2.0 * (found.log_likelihood - without), abs=2e-3)
    single = variance_components({"k0": kernels["k0"]}, y, X)
    design = np.column_stack([np.ones(len(y)), X])
    rss = np.linalg.lstsq(design, y)[1][0]
    alone = brute({}, y, X, [rss / (len(y) - 3)], "reml")
    assert single["k0"].statistic == pytest.approx(2.0 * (single.log_likelihood - alone), abs=1e-6)


def test_balanced_groups_have_the_estimates_of_anova():
    rng = np.random.default_rng(0)
    groups, size = 12, 5
    group = np.repeat(np.arange(groups), size)
    y = rng.normal(size=groups)[group] + 0.7 * rng.normal(size=groups * size)
    table = y.reshape(groups, size)
    between = size * table.mean(axis=1).var(ddof=1)
    within = table.var(axis=1, ddof=1).mean()
    found = variance_components({"group": (group[:, None] == group).astype(float)}, y, tol=1e-12)
    assert found.residual.variance == pytest.approx(within, rel=1e-5)
    assert found["group"].variance == pytest.approx((between - within) / size, rel=1e-5)
    assert found.fixed_effects[0].estimate == pytest.approx(y.mean())
    assert found.fixed_effects[0].std_error == pytest.approx(np.sqrt(between / (groups * size)), rel=1e-5)
    shrunk = (1.0 - within / between) * (table.mean(axis=1) - y.mean())
    assert found.blup("group") == pytest.approx(shrunk[group], abs=1e-5)


def test_unbalanced_groups_are_those_of_statsmodels():
    pytest.importorskip("statsmodels", reason="statsmodels is not installed")
    from statsmodels.regression.mixed_linear_model import MixedLM

    rng = np.random.default_rng(1)
    group = rng.integers(0, 15, size=80)
    X = rng.normal(size=80)
    y = rng.normal(size=15)[group] + X + 0.8 * rng.normal(size=80)
    found = variance_components([(group[:, None] == group).astype(float)], y, X, tol=1e-12)
    other = MixedLM(y, np.column_stack([np.ones(80), X]), group).fit(reml=True)
    assert found.variances == pytest.approx([other.cov_re[0, 0], other.scale], rel=1e-3)
    assert [e.estimate for e in found.fixed_effects] == pytest.approx(other.fe_params, rel=1e-4)
    assert [e.std_error for e in found.fixed_effects] == pytest.approx(other.bse_fe, rel=1e-3)


@settings(max_examples=15)
@given(
    seed=st.integers(0, 50), scale=st.floats(1e-3, 1e3), move=st.lists(st.floats(-50.0, 50.0), min_size=3, max_size=3)
)
def test_units_and_fixed_effects_of_the_trait_do_not_matter(seed, scale, move):
    kernels, y, X = data(n=40, seed=seed)
    first = variance_components(kernels, y, X, tol=1e-10)
    moved = scale * (y + np.column_stack([np.ones(40), X]) @ move)
    second = variance_components(dict(reversed(kernels.items())), moved, X, tol=1e-10)
    for name in (*kernels, "residual"):
        assert second[name].variance == pytest.approx(scale**2 * first[name].variance, rel=1e-3, abs=1e-4 * scale**2)
        assert second[name].share == pytest.approx(first[name].share, abs=1e-3)
    assert all(c.statistic >= 0.0 and 0.0 <= c.p_value <= 1.0 for c in second.components)
    assert second.log_likelihood + 37 * np.log(scale) == pytest.approx(first.log_likelihood, abs=1e-4)


@METHODS
@pytest.mark.parametrize("level", [1e4, 1e7, -1e9])
def test_a_large_level_of_the_trait_takes_no_digits(method, level):
    kernels, y, X = data(n=40)
    near, far = (variance_components(kernels, y + more, X, method=method) for more in (0.0, level))
    assert far.converged
    assert far.log_likelihood == pytest.approx(near.log_likelihood, abs=1e-5)
    assert far.variances == pytest.approx(near.variances, rel=1e-4)
    assert far.fixed_effects[0].estimate - level == pytest.approx(near.fixed_effects[0].estimate, abs=1e-5)
    new = {name: K[:3] for name, K in kernels.items()}
    assert far.predict(new, X[:3]) - level == pytest.approx(near.predict(new, X[:3]), abs=1e-5)


@METHODS
def test_a_kernel_that_explains_the_level_of_the_trait_is_refused_where_that_takes_its_digits(method):
    kernels, y, _ = data(n=40)
    kernels["ones"] = np.ones((40, 40))
    near, far = (variance_components(kernels, y + level, method=method, intercept=False) for level in (1e3, 1e5))
    assert far["residual"].variance == pytest.approx(near["residual"].variance, rel=1e-2)
    with pytest.raises(kernelopt.InvalidData, match="'ones' explains so much more than the residual that rounding"):
        variance_components(kernels, y + 1e8, method=method, intercept=False)


@pytest.mark.parametrize("unit", [1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9])
def test_units_of_a_kinship_do_not_matter(unit):
    kernels, y, X = data(n=80)
    one = variance_components(kernels, y, X)
    other = variance_components({**kernels, "k1": unit * kernels["k1"]}, y, X)
    assert other.heritability == pytest.approx(one.heritability, abs=1e-4)
    assert other["k1"].variance * unit == pytest.approx(one["k1"].variance, rel=1e-3)
    assert other["k1"].std_error * unit == pytest.approx(one["k1"].std_error, rel=1e-3)
    assert other["k1"].statistic == pytest.approx(one["k1"].statistic, abs=5e-3)
    assert other.log_likelihood == pytest.approx(one.log_likelihood, abs=1e-6)


@METHODS
def test_columns_of_the_same_span_have_the_same_likelihood(method):
    kernels, y, X = data()
    mixed = X @ [[2.0, 1.0], [0.5, -3.0]] + 7.0
    first, second = (variance_components(kernels, y, one, method=method) for one in (X, mixed))
    assert second.log_likelihood == pytest.approx(first.log_likelihood, abs=1e-6)
    assert second.random_effects == pytest.approx(first.random_effects, abs=1e-4)


def test_shares_have_the_errors_of_the_delta_method():
    kernels, y, X = data()
    found = variance_components({name: 3.0 * K for name, K in kernels.items()}, y, X)
    d = np.array([*(c.mean_diagonal for c in found.components), 1.0])
    draws = np.random.default_rng(0).multivariate_normal(found.variances, 1e-6 * found.covariance, size=20000) * d
    shares = draws / draws.sum(axis=1, keepdims=True)
    told = [c.share_error for c in (*found.components, found.residual)]
    assert shares.std(axis=0) / 1e-3 == pytest.approx(told, rel=0.03)
    assert found.heritability == pytest.approx(sum(c.share for c in found.components))
    assert found.heritability_error == found.residual.share_error


def test_p_values_of_a_kernel_that_explains_nothing_are_the_mixtures():
    """Half of all statistics are 0, and the p values of the others are uniform below a half."""
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 60))
    K = Z @ Z.T / 60
    found = [variance_components([K], rng.normal(size=60))["K1"] for _ in range(300)]
    bound = np.array([one.on_boundary for one in found])
    assert 0.4 < bound.mean() < 0.65
    assert all(one.p_value == 1.0 for one in np.array(found)[bound])
    inside = np.array([one.p_value for one in np.array(found)[~bound]])
    assert kstest(inside, "uniform", args=(0.0, 0.5)).pvalue > 0.01


def test_effects_sum_to_the_trait_and_new_rows_continue_them():
    kernels, y, X = data()
    found = variance_components(kernels, y, X)
    fitted = found.predict(kernels, X)
    assert fitted + found.blup("residual") == pytest.approx(y)
    assert found.predict({name: K[:5] for name, K in kernels.items()}, X[:5]) == pytest.approx(fitted[:5])
    assert found.blup("k0", kernels["k0"][:5]) == pytest.approx(found.blup("k0")[:5])


def test_the_table_has_every_number():
    kernels, y, X = data()
    found = variance_components(kernels, y, X)
    told = str(found)
    assert max(map(len, told.splitlines())) <= 78
    for word in ("k0", "residual", "intercept", "x2", f"{found['k0'].variance:.3f}", f"{found.log_likelihood:.3f}"):
        assert word in told
        assert word in found._repr_html_()
    assert "k0" in repr(found)


def test_a_frame_has_a_row_for_each_component():
    pytest.importorskip("pandas")
    kernels, y, X = data()
    found = variance_components(kernels, y, X)
    frame = found.to_frame()
    assert list(frame.index) == ["k0", "k1", "residual"]
    assert frame.loc["k1", "p_value"] == found["k1"].p_value


def test_names_come_from_tables():
    pd = pytest.importorskip("pandas")
    kernels, y, X = data()
    found = variance_components(list(kernels.values()), y, pd.DataFrame(X, columns=["age", "sex"]), names=["a", "b"])
    assert [effect.name for effect in found.fixed_effects] == ["intercept", "age", "sex"]
    assert found.names == ("a", "b")
    assert variance_components(kernels, y, intercept=False).fixed_effects == ()
    few = variance_components(kernels, y, pd.Series(X[:, 0], name="age"), start=[1.0, 1.0, 1.0], max_steps=1)
    assert few.fixed_effects[1].name == "age"
    assert not few.converged
    assert any("raise max_steps" in note for note in few.notes)


def test_new_covariates_have_the_names_of_the_fit():
    pd = pytest.importorskip("pandas")
    kernels, y, X = data()
    table = pd.DataFrame(X, columns=["age", "sex"])
    found = variance_components(kernels, y, table, tests=False)
    wanted = found.predict(kernels, X)
    assert found.predict(kernels, table) == pytest.approx(wanted)
    with pytest.raises(kernelopt.InvalidData, match="covariates has 'sex' as column 0, wanted 'age' as in the fit"):
        found.predict(kernels, table[["sex", "age"]])
    assert variance_components(kernels, y, X, tests=False).predict(kernels, table) == pytest.approx(wanted)
    single = variance_components(kernels, y, table["age"], tests=False)
    with pytest.raises(kernelopt.InvalidData, match="wanted 'age' as in the fit"):
        single.predict(kernels, table["sex"])
    called = variance_components(kernels, y, table.rename(columns={"sex": "name"}), tests=False)
    assert [effect.name for effect in called.fixed_effects] == ["intercept", "age", "name"]


def test_a_covariate_may_be_called_intercept():
    pd = pytest.importorskip("pandas")
    kernels, y, X = data()
    own = np.column_stack([np.ones(len(y)), X])
    table = pd.DataFrame(own, columns=["intercept", "age", "sex"])
    found = variance_components(kernels, y, table, intercept=False, tests=False)
    assert found.predict(kernels, table) == pytest.approx(
        variance_components(kernels, y, X, tests=False).predict(kernels, X)
    )


def broken(**changes):
    kernels, y, X = data(n=20)
    given = {"kernels": list(kernels.values()), "y": y, "covariates": X, **changes}
    return variance_components(given.pop("kernels"), given.pop("y"), given.pop("covariates"), **given)


I20 = np.eye(20)
HOLED = np.where(np.arange(20) < 3, np.nan, 1.0)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"y": HOLED}, "3 values that are NaN"),
        ({"covariates": HOLED}, "covariates has 3 values"),
        ({"y": np.ones(20)}, "one value"),
        ({"y": ["a", "b"] * 10}, "has words"),
        ({"y": np.ones((20, 2))}, "once for each trait"),
        ({"y": 2.0 * data(n=20)[2][:, 0] + 1.0}, "a combination of the covariates"),
        ({"kernels": []}, "got none"),
        ({"kernels": [np.eye(19)]}, "wanted \\(20, 20\\)"),
        ({"kernels": [-I20]}, "diagonal whose mean"),
        ({"kernels": [I20 + 0.9 * np.eye(20, k=1)]}, "not symmetric"),
        ({"kernels": [I20 - 0.5]}, "no kernel: it has the eigenvalue"),
        ({"kernels": [I20]}, "'K1' and the residual cannot be told apart"),
        ({"kernels": [I20 + 1.0, I20 + 2.0]}, "cannot be told apart"),
        ({"kernels": [np.ones((20, 20))]}, "explains only what the covariates explain"),
        ({"names": ["a", "a"]}, "different names"),
        ({"names": ["a", "residual"]}, "different names"),
        ({"covariates": np.ones(20)}, "'x1' can be computed"),
        ({"covariates": np.zeros((20, 19))}, "more rows than that"),
        ({"covariates": np.zeros((19, 1))}, "19 rows and y has 20"),
        ({"start": [1.0]}, "wanted 3 variances"),
        ({"method": "mle"}, "method must be one of"),
        ({"tol": -1.0}, "tol must be"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_a_sentence(changes, words):
    with pytest.raises(kernelopt.KerneloptError, match=words):
        broken(**changes)


def test_questions_to_a_result_are_checked():
    kernels, y, X = data()
    found = variance_components(kernels, y, X, tests=False)
    assert np.isnan(found["k0"].p_value)
    with pytest.raises(kernelopt.UnknownName, match="there are k0, k1, residual"):
        found.blup("k2")
    with pytest.raises(kernelopt.InvalidData, match="leave it out"):
        found.blup("residual", kernels["k0"])
    with pytest.raises(kernelopt.InvalidData, match="wanted a matrix for each"):
        found.predict({"k0": kernels["k0"]}, X)
    with pytest.raises(kernelopt.InvalidData, match="got list, wanted a mapping from names of kernels to matrices"):
        found.predict(list(kernels.values()), X)
    with pytest.raises(kernelopt.InvalidData, match="the columns of the fit"):
        found.predict(kernels)
    with pytest.raises(kernelopt.InvalidData, match="as many in each"):
        found.predict({"k0": kernels["k0"], "k1": kernels["k1"][:3]}, X)


def model_of(w, **options):
    """A model of three kernels, of which two have full rank together, at some variances."""
    kernels, y, X = data(n=200, w=(1.0, 0.6, 0.3))
    Q = np.linalg.qr(np.column_stack([np.ones(len(y)), X]))[0]
    model = MixedModel(tuple(kernels.values()), y, Q, **options)
    return model, np.array(w)


@pytest.mark.parametrize("restricted", [False, True])
@pytest.mark.parametrize(("w", "digits"), [((0.7, 0.2, 0.4, 0.3), 1e-5), ((0.7, 0.0, 0.0, 1e-6), 1e-9)])
def test_rough_slopes_have_seven_digits_and_all_where_single_precision_has_too_few(restricted, w, digits):
    model, w = model_of(w, restricted=restricted)
    exact, rough = (attrs.evolve(model, rough=one) for one in (False, True))
    whole, some = exact.slopes(exact.at(w)), rough.slopes(rough.at(w))
    assert np.allclose(some.prices, whole.prices, rtol=digits)
    assert np.allclose(some.information, whole.information, rtol=1e-6)
    V = sum(weight * K for weight, K in zip(w, [*model.kernels, np.eye(200)], strict=True))
    P = np.linalg.inv(V)
    if restricted:
        P -= P @ model.Q @ np.linalg.solve(model.Q.T @ P @ model.Q, model.Q.T @ P)
    assert np.allclose(whole.prices[:-1], [np.vdot(P, K) for K in model.kernels], rtol=1e-4)


def test_one_matrix_may_be_nested_lists():
    kernels, y, X = data(n=20, w=(1.0,))
    found, wanted = (variance_components(K, y, X) for K in (kernels["k0"].tolist(), kernels))
    assert found.components[0].variance == wanted.components[0].variance


def test_a_list_of_kernels_is_not_copied_into_one_array():
    kernels, y, X = data(n=200, w=(1.0,) * 12)
    listed = list(kernels.values())
    tracemalloc.start()
    try:
        variance_components(listed, y, X, tests=False)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < sum(K.nbytes for K in listed)


@pytest.mark.parametrize("seed", range(8, 14))
def test_a_singular_information_has_no_standard_errors_and_no_warning(seed):
    """Five rows and three kernels: in one of these draws rounding makes an entry of the diagonal negative."""
    rng = np.random.default_rng(seed)
    roots = [rng.normal(size=(5, rng.integers(1, 10))) for _ in range(3)]
    found = kernelopt.variance_components([root @ root.T / root.shape[1] for root in roots], rng.normal(size=5))
    errors = np.array([one.std_error for one in found.components])
    assert not (errors < 0.0).any()


def centred(seed=0, n=50):
    """Kinships of centred columns, which are 0 along the intercept, and a trait that they explain wholly."""
    rng = np.random.default_rng(seed)
    kernels, y = {}, np.zeros(n)
    for a in range(2):
        Z = rng.normal(size=(n, 4 * n))
        Z -= Z.mean(axis=0)
        kernels[f"k{a}"] = Z @ Z.T / Z.shape[1]
        y += Z @ rng.normal(size=Z.shape[1]) / Z.shape[1] ** 0.5
    return kernels, y


@pytest.mark.parametrize("seed", range(6))
def test_the_restricted_likelihood_does_not_depend_on_the_kernels_along_the_intercept(seed):
    """Where no residual is left the sum of centred kernels is singular, and that of lifted ones is not."""
    kernels, y = centred(seed)
    found = variance_components(kernels, y)
    lifted = variance_components({name: K + 0.7 for name, K in kernels.items()}, y)
    assert found.converged
    assert lifted.converged
    assert found.variances == pytest.approx(lifted.variances, rel=1e-2, abs=1e-2)
    assert found.log_likelihood == pytest.approx(lifted.log_likelihood, abs=1e-4)
    statistics = [[c.statistic for c in one.components] for one in (found, lifted)]
    assert statistics[0] == pytest.approx(statistics[1], abs=1e-2)


def test_an_intercept_along_which_nothing_varies_has_no_standard_error():
    kernels, y = centred(n=60)
    found = variance_components(kernels, y)
    assert found.residual.on_boundary
    assert np.isnan(found.fixed_effects[0].std_error)
    assert found.fixed_effects[0].estimate == pytest.approx(y.mean())
    assert any("no standard error of: intercept" in note for note in found.notes)
    assert found.ml_log_likelihood == np.inf


def test_a_likelihood_without_a_maximum_is_refused():
    kernels, y = centred(n=60)
    with pytest.raises(kernelopt.InvalidData, match="grows without limit"):
        variance_components(kernels, y, method="ml")
