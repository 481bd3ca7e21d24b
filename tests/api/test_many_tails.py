"""Many rows with one target whose noise has heavy tails: intervals hold the share of new targets that they say."""

import numpy as np
import pytest
from some_rows import smooth, some_rows

import kernelopt
from kernelopt import Dictionary, Evidence

N = 1500
ROWS = some_rows(4500)
X, Z = ROWS.X[:N], ROWS.X[N:]
LISTS = {
    "landmarks": Dictionary([("rbf", {"gamma": 0.3}), "linear"]),
    "the whole kernel": Dictionary([("laplacian", {"gamma": 1.0})]),
}
pytestmark = pytest.mark.usefixtures("few_are_many")


def targets(degrees):
    rng = np.random.default_rng(3)
    noise = rng.normal(size=len(ROWS.X)) if degrees is None else rng.standard_t(degrees, len(ROWS.X))
    return smooth(ROWS.X) + 0.3 * noise


def learned(family, y, monkeypatch, **options):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 30, "quick": 300})
    rough = family == "the whole kernel"
    criterion = Evidence(targets="numbers", effort="normal" if rough else "quick", noise="gaussian")
    s = kernelopt.solve(X, y, family=LISTS[family], criterion=criterion, **options)
    assert any("the whole kernel predicts" in note for note in s.notes) == rough
    return s


@pytest.mark.parametrize("family", LISTS)
def test_intervals_of_heavy_tails_hold_half_and_nearly_all(family, monkeypatch, tmp_path):
    y = targets(2.0)
    s = learned(family, y[:N], monkeypatch)
    assert s.posterior.degrees is not None
    for share, off in ((0.5, 0.2), (0.95, 0.04)):  # Gaussian ones of a half hold four fifths
        lower, upper = s.predict_interval(Z, share=share)
        assert np.mean((lower < y[N:]) & (y[N:] < upper)) == pytest.approx(share, abs=off)
    s.save(tmp_path / "model")
    read = kernelopt.load(tmp_path / "model").predict_interval(Z, share=0.5)
    np.testing.assert_array_equal(read, s.predict_interval(Z, share=0.5))


@pytest.mark.parametrize("family", LISTS)
def test_intervals_about_gaussian_noise_are_gaussian(family, monkeypatch):
    assert learned(family, targets(None)[:N], monkeypatch).posterior.degrees is None


def test_copies_that_a_weight_counts_say_nothing_of_tails(monkeypatch):
    y = targets(2.0)[:N]
    assert learned("landmarks", y, monkeypatch, sample_weight=np.full(N, 2.0)).posterior.degrees is None
