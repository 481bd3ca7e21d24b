"""How likely targets are, beside scipy's densities and scikit-learn's log-loss."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import log_loss

import kernelopt
from kernelopt._prediction._likelihood import density

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
NUMBERS = np.sin(2.0 * X[:, 0]) + 0.1 * RNG.normal(size=80)
FAMILY = kernelopt.Dictionary([("rbf", {"gamma": 0.5})])
QUICK = {"name": "evidence", "effort": "quick"}
AWAY, DEVIATION = RNG.normal(size=(7, 2)), RNG.uniform(0.5, 2.0, size=(7, 2))


def test_gaussian_densities_are_products():
    wanted = stats.norm.logpdf(AWAY, scale=DEVIATION).sum(axis=1)
    assert density(AWAY, DEVIATION, None) == pytest.approx(wanted)


@pytest.mark.parametrize("degrees", [2.5, 4.0, 30.0])
def test_densities_of_students_t_share_their_factor(degrees):
    scale = DEVIATION * np.sqrt((degrees - 2.0) / degrees)
    one = stats.t.logpdf(AWAY[:, 0], degrees, scale=scale[:, 0])
    assert density(AWAY[:, :1], DEVIATION[:, :1], degrees) == pytest.approx(one)
    both = [stats.multivariate_t.logpdf(a, shape=np.diag(s**2), df=degrees) for a, s in zip(AWAY, scale, strict=True)]
    assert density(AWAY, DEVIATION, degrees) == pytest.approx(np.array(both))


@pytest.mark.parametrize("y", [NUMBERS > 0.0, np.digitize(NUMBERS, [-0.5, 0.5])], ids=["two", "three"])
def test_of_classes_it_is_minus_the_log_loss(y, tmp_path):
    s = kernelopt.solve(X, y, family=FAMILY, criterion=QUICK)
    told = s.score_samples(X, y)
    assert -told.mean() == pytest.approx(log_loss(y, s.predict_proba(X)))
    s.save(tmp_path / "model")
    assert np.array_equal(kernelopt.load(tmp_path / "model").score_samples(X, y), told)


def test_a_bad_target_is_the_least_likely_one():
    bad = NUMBERS.copy()
    bad[11] = 50.0
    s = kernelopt.solve(X, bad, family=FAMILY, criterion=QUICK)
    told = s.score_samples(X, bad)
    assert np.argmin(told) == 11
    assert told[11] < np.delete(told, 11).min() - 3.0


@pytest.mark.parametrize(
    ("y", "asked", "error", "told"),
    [
        (NUMBERS, NUMBERS[:3], kernelopt.InvalidData, "y has 3 values and Z has 80 rows"),
        (NUMBERS, np.column_stack([NUMBERS, NUMBERS]), kernelopt.InvalidData, "wanted \\(80,\\), as what is predicted"),
        (
            NUMBERS > 0,
            np.full(80, 7),
            kernelopt.InvalidData,
            "y has the class 7, wanted one of the classes of training",
        ),
    ],
)
def test_targets_of_another_kind_are_refused(y, asked, error, told):
    s = kernelopt.solve(X, y, family=FAMILY, criterion=QUICK)
    with pytest.raises(error, match=told):
        s.score_samples(X, asked)


def test_machines_without_probabilities_say_so():
    with pytest.raises(kernelopt.InvalidOption, match="wanted classes learned with the evidence"):
        kernelopt.solve(X, NUMBERS > 0, family=FAMILY, criterion="svc").score_samples(X, NUMBERS > 0)
