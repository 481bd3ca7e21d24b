"""Standard deviations: those of a Gaussian process, from Grams and from factors, and how often they hold."""

import attrs
import numpy as np
import pytest
from scipy.stats import norm
from sklearn.gaussian_process import GaussianProcessRegressor

import kernelopt
from kernelopt import InvalidData, InvalidOption
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.variances._constant import Constant
from kernelopt._families.variances._delta import Delta
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._posterior import Thin, Whole
from kernelopt._prediction._posterior_of import factor_of, posterior_of


@pytest.mark.parametrize("name", ["list", "features"])
def test_it_is_that_of_scikit_learns_gaussian_process(name, data, family, rows):
    X, y = data
    s = kernelopt.solve(X, y, family=family(name), criterion="evidence")
    noise = s.mixture.parts[-1].mass + 1e-6 * float(np.var(y))
    process = GaussianProcessRegressor(s.kernel.for_gaussian_process(), alpha=noise, optimizer=None)
    process.fit(X, y - y.mean())
    Z = np.vstack([rows(20, seed=1)[0], X[:3], [[50.0, -50.0]]])
    mean, deviation = s.predict(Z, return_std=True)
    wanted_mean, wanted = process.predict(Z, return_std=True)
    np.testing.assert_allclose(mean, wanted_mean + y.mean(), atol=1e-6)
    np.testing.assert_allclose(deviation, np.sqrt(s.posterior.doubt * (wanted**2 + noise)), rtol=1e-5)
    assert np.array_equal(s.predict(Z), mean)


def test_intervals_hold_as_often_as_they_say(rows):
    X, y = rows(800)
    train = np.random.default_rng(0).permutation(len(y)) < len(y) // 2
    s = kernelopt.solve(X[train], y[train], family="auto", criterion="evidence")
    mean, deviation = s.predict(X[~train], return_std=True)
    off = np.abs(y[~train] - mean) / deviation
    for share in (0.5, 0.8, 0.95):
        assert np.mean(off <= norm.ppf(0.5 + 0.5 * share)) == pytest.approx(share, abs=0.06)


def test_several_outputs_share_it(data, family):
    X, y = data
    s = kernelopt.solve(X, np.column_stack([y, -y]), family=family("list"), criterion="evidence")
    mean, deviation = s.predict(X, return_std=True)
    assert mean.shape == deviation.shape == (len(X), 2)
    np.testing.assert_array_equal(deviation[:, 0], deviation[:, 1])


def test_who_has_none_says_so(data, family):
    X, y = data
    for target, criterion in ((y, "ridge"), (y > 2.0, "evidence")):
        s = kernelopt.solve(X, target, family=family("list"), criterion=criterion)
        with pytest.raises(InvalidOption, match="only a regression with the evidence"):
            s.predict(X, return_std=True)


@pytest.mark.parametrize("name", ["list", "features"])
def test_a_row_of_weight_k_is_k_rows(name, data, family, rows):
    X, y = data
    s = kernelopt.solve(X, y, family=family(name), criterion="evidence")
    weight = np.random.default_rng(3).integers(1, 4, len(X)).astype(float)
    every, Z = np.repeat(np.arange(len(X)), weight.astype(int)), rows(20, seed=1)[0]
    machine = s.predictor
    mine = posterior_of(s.kernel, X, 0.1, weight).deviation(machine, Z)
    copies = attrs.evolve(machine, support_vectors=X[every])
    assert mine == pytest.approx(posterior_of(s.kernel, X[every], 0.1).deviation(copies, Z), rel=1e-8)
    assert np.array_equal(
        posterior_of(s.kernel, X, 0.1, np.ones(len(X))).deviation(machine, Z),
        posterior_of(s.kernel, X, 0.1).deviation(machine, Z),
    )


@pytest.mark.parametrize("name", ["list", "features"])
def test_a_model_in_a_file_is_as_sure(name, data, family, rows, tmp_path):
    X, y = data
    s = kernelopt.solve(X, y, family=family(name), criterion="evidence")
    s.save(tmp_path / "model")
    model = kernelopt.load(tmp_path / "model")
    Z = rows(20, seed=1)[0]
    for got, wanted in zip(model.predict(Z, return_std=True), s.predict(Z, return_std=True), strict=True):
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("name", "posterior"),
    [
        ("list", Whole(0.0)),
        ("list", Whole(float("nan"))),
        ("list", Whole(1.0, np.ones(3))),
        ("list", Whole(1.0, np.zeros(60))),
        ("list", Thin(1.0, np.eye(2))),
        ("features", Thin(1.0, np.eye(2))),
        ("features", Whole(1.0)),
        ("features", Thin(-1.0, np.eye(2))),
    ],
)
def test_a_file_that_lies_about_it_is_refused(name, posterior, data, family, tmp_path):
    X, y = data
    model = kernelopt.solve(X, y, family=family(name), criterion="evidence").model
    with pytest.raises(kernelopt.ModelFileError):
        attrs.evolve(model, posterior=posterior).save(tmp_path / "model")


def test_a_row_that_the_mean_does_not_need_still_makes_it_surer():
    """Far from all others and of target 0: its coefficient is 0, what it says of the function there is not."""
    rng = np.random.default_rng(0)
    half = rng.normal(size=15)
    X = np.append(np.column_stack([half, -half]).ravel(), 1e3)[:, None]
    y = np.append(np.sin(2.0 * X[:30, 0]), 0.0)  # pairs of opposite targets: their mean is 0 to the bit
    family = kernelopt.Dictionary([("rbf", {"gamma": 1.0})], normalize=None)
    s = kernelopt.solve(X, y, family=family, criterion="evidence")
    assert 30 not in s.support
    _, (seen, unseen) = s.predict(np.array([[1e3], [2e3]]), return_std=True)
    assert seen < 0.5 * unseen


def test_noise_that_is_lost_beside_products_of_features_is_kept_beside_features():
    """By F = Q D W' with orthogonal Q and W: phi'(F'F + noise I)^-1 phi = |(D^2 + noise I)^-1/2 W'phi|^2."""
    rng = np.random.default_rng(0)
    sizes, noise = np.array([1e9, 1.0, 1e-2]), 1e-6
    Q, W = np.linalg.qr(rng.normal(size=(20, 3)))[0], np.linalg.qr(rng.normal(size=(3, 3)))[0]
    phi = sizes * rng.normal(size=(5, 3))
    half = np.linalg.solve(factor_of((Q * sizes) @ W.T, noise), (phi @ W.T).T)
    wanted = np.sum(phi**2 / (sizes**2 + noise), axis=1)
    np.testing.assert_allclose(np.sum(half**2, axis=0), wanted, rtol=1e-3)


def test_rows_that_lack_values_are_those_of_the_training(rows):
    """Where only noise and level were learned, the features of rows are asked for: the codes that families see."""
    X, _ = rows(5)
    X[2, 1] = np.nan
    leaves = tuple(Leaf(family, np.arange(X.shape[1]), 1.0) for family in (Constant(), Delta()))
    kernel = Kernel(leaves, Mixture(tuple(Part(np.zeros((1, 1)), np.array([w])) for w in (2.0, 0.5))), X.shape[1])
    assert posterior_of(kernel, X, 0.5).lower == pytest.approx(np.sqrt(2.0 * len(X) + 0.5))


def test_less_noise_than_rounding_takes_has_deviations_all_the_same(rows):
    """A wide kernel has few directions; in the others rounding leaves numbers below 0, and this noise is no help."""
    X, y = rows(60)
    s = kernelopt.solve(
        X, y, family={"name": "dictionary", "kernels": [("rbf", {"gamma": 1e-3})]}, criterion="evidence"
    )
    assert np.linalg.eigvalsh(s.kernel(X))[0] < -1e-18
    found = Whole(1e-20).unknown(s.predictor, X)
    assert (found >= 0.0).all()
    assert found.max() < 1e-9 * s.kernel(X).max()


def test_a_kernel_that_is_none_has_no_deviations(monkeypatch, data, family):
    X, y = data
    s = kernelopt.solve(X, y, family=family("list"), criterion="evidence")
    monkeypatch.setattr(Kernel, "gram", lambda _, rows: -np.eye(len(rows)))
    with pytest.raises(InvalidData, match="the learned kernel is not positive semidefinite"):
        Whole(0.1).deviation(s.predictor, X)
