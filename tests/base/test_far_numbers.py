"""Numbers and weights beside which sums overflow, or nothing else counts, are refused at the door."""

import numpy as np
import pandas as pd
import pytest

import kernelopt

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = X[:, 0] + 0.3 * RNG.normal(size=30)
FAR = np.where(np.arange(60).reshape(30, 2) == 7, np.finfo(float).max, X)


def test_a_number_that_stands_for_a_missing_one_is_told():
    with pytest.raises(kernelopt.InvalidData, match=r"X has 1.8e\+308 in row 3, column 1, wanted 1e\+300 in size"):
        kernelopt.solve(FAR, Y)
    with pytest.raises(kernelopt.InvalidData, match=r"column 'b' holds 1.8e\+308, wanted 1e\+300 .*, in row 3 "):
        kernelopt.solve(pd.DataFrame(FAR, columns=["a", "b"]), Y)
    with pytest.raises(kernelopt.InvalidData, match=r"has -1.8e\+308 in row 3, column 1"):
        kernelopt.solve(kernelopt.row_blocks(-FAR, Y))


def test_a_file_with_such_a_number_is_refused_with_its_line(tmp_path):
    path = tmp_path / "far.csv"
    pd.DataFrame(FAR, columns=["a", "b"]).assign(y=Y).to_csv(path, index=False)
    with pytest.raises(kernelopt.InvalidData, match=r"holds '1.79769\d+e\+308', wanted finite numbers .* \(line 5\)"):
        kernelopt.row_blocks(path, target="y")


def test_the_advice_helps():
    kernelopt.solve(np.where(FAR > 1e300, np.nan, FAR), Y, family="auto", max_steps=1)
    kernelopt.solve(FAR / [1.0, np.finfo(float).max], Y, family="auto", max_steps=1)


@pytest.mark.parametrize("learn", [kernelopt.solve, kernelopt.solve_targets])
def test_one_weight_beside_which_all_others_are_lost_is_refused(learn):
    with pytest.raises(kernelopt.InvalidData, match=r"1e\+20 in row 4 \(counted from 0\) and 29 in all other rows"):
        learn(X, Y, sample_weight=np.where(np.arange(30) == 4, 1e20, 1.0))
    with pytest.raises(kernelopt.InvalidData, match=r"sample_weight has values up to 1e\+300, wanted 1e\+100 at most"):
        learn(X, Y, sample_weight=np.full(30, 1e300))
    with pytest.raises(kernelopt.InvalidData, match=r"sample_weight has values down to 1e-310, wanted 0 or 1e-150"):
        learn(X, Y, sample_weight=np.where(np.arange(30) < 4, 1e-310, 1.0))


def test_dual_variables_whose_squares_are_rounded_to_0_leave_true_bounds():
    """The lower bound was twice the upper one."""
    options = {"family": kernelopt.Dictionary(["linear"]), "criterion": {"name": "l2-svc", "C": 1e-60}}
    s = kernelopt.solve(X, Y > 0.0, sample_weight=np.full(30, 1e-140), **options)
    assert s.status.proved
    assert 0.0 < s.certificate.lower <= 1.5e-199
    assert s.certificate.upper == pytest.approx(s.certificate.lower, rel=1e-3)


def test_weights_of_classes_that_are_too_far_from_1_are_refused():
    for weight in (1e-300, 1e300):
        with pytest.raises(
            kernelopt.InvalidOption, match=r"class_weight\[True\] must be a number from 1e-150 to 1e\+100"
        ):
            kernelopt.solve(X, Y > 0.0, class_weight={True: weight}, criterion="l2-svc")


def test_weights_of_any_other_size_count():
    weight = RNG.uniform(0.5, 1.5, size=30)
    one, other = (kernelopt.solve(X, Y, sample_weight=size * weight).predict(X) for size in (1.0, 1e90))
    np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-4)
    kernelopt.solve(X, Y, sample_weight=np.r_[np.zeros(20), np.ones(10)], max_steps=1)
