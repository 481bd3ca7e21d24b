"""Numbers whose squares overflow or vanish are refused where they are learned, whoever learns them."""

import numpy as np
import pytest

import kernelopt

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 2))
Y = X[:, 0] + 0.3 * RNG.normal(size=30)
K = X @ X.T


def by_solve(size: float) -> None:
    kernelopt.solve(X, size * Y, family=kernelopt.Dictionary(["linear"]), criterion="evidence")


def by_blocks(size: float) -> None:
    kernelopt.solve(kernelopt.row_blocks(X, size * Y), family=kernelopt.Dictionary(["linear"]), criterion="evidence")


def by_targets(size: float) -> None:
    kernelopt.solve_targets(X, np.column_stack([Y, size * Y]))


@pytest.mark.parametrize("learn", [by_solve, by_blocks, by_targets])
@pytest.mark.parametrize(
    ("size", "message"),
    [
        (1e-200, "wanted 1e-140 at least, because their squares would be rounded to 0; divide y by its largest value"),
        (1e-310, "wanted 1e-140 at least"),
        (1e200, r"wanted 1e\+90 at most, because sums of their squares would overflow"),
    ],
)
def test_targets_whose_squares_are_no_numbers_are_refused(learn, size, message):
    with pytest.raises(kernelopt.InvalidData, match=message):
        learn(size)


@pytest.mark.parametrize("learn", [by_solve, by_blocks, by_targets])
@pytest.mark.parametrize("size", [1e-130, 1e80])
def test_targets_of_other_sizes_are_learned(learn, size):
    learn(size)


@pytest.mark.parametrize("size", [1e-200, 1e-70, 1e70, 1e200])
def test_a_trait_has_fourth_powers(size):
    with pytest.raises(kernelopt.InvalidData, match=r"wanted 1e-60 to 1e\+60, .*; divide y by its largest value"):
        kernelopt.variance_components([K], size * Y)


@pytest.mark.parametrize("size", [1e-55, 1e55])
def test_variances_are_in_the_units_of_the_trait(size):
    one, other = (kernelopt.variance_components([K], y) for y in (Y, size * Y))
    assert other.log_likelihood == pytest.approx(one.log_likelihood - 29 * np.log(size), rel=1e-6)


def test_the_advice_helps():
    y = 1e-200 * Y
    kernelopt.solve(X, y / np.abs(y).max(), family=kernelopt.Dictionary(["linear"]), criterion="evidence")


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_kernels_of_wild_size_are_refused_by_variance_components(size):
    with pytest.raises(kernelopt.InvalidData, match=r"wanted a number from 1e-60 to 1e\+60; divide the kernel"):
        kernelopt.variance_components([size * K], Y)


def test_constant_targets_alone_need_no_factorisation(capfd):
    found = kernelopt.solve_targets(X, np.ones((30, 2)))
    np.testing.assert_allclose(found.predict(X), 1.0, rtol=1e-12)
    assert capfd.readouterr() == ("", "")  # where LAPACK says that it got no columns


def test_whole_numbers_of_python_are_no_classes_that_fall_together():
    y = [10**30, 10**30 + 1, 10**31] * 10
    with pytest.raises(kernelopt.InvalidData, match="which are one number in double precision"):
        kernelopt.solve(X, y)
    assert len(kernelopt.solve(X, [str(value) for value in y], criterion="svc").classes) == 3
