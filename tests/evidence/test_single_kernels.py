"""Which one kernel makes the targets the most likely, against the evidence of each alone."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Dictionary
from kernelopt._evidence.lists._single_kernels import most_likely

KERNELS = ("linear", ("rbf", {"gamma": 0.05}), ("rbf", {"gamma": 2.0}), ("laplacian", {"gamma": 0.5}))


def drawn(kernel, n=60, outputs=1, noise=0.2):
    """Targets at a level, drawn from a process with one of the kernels."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 2))
    family = listed(kernel).prepare(X, np.ones(n))
    K = family.cross(family.dictionary(), X, X)
    Y = np.linalg.cholesky(K / np.trace(K) * n + 1e-9 * np.eye(n)) @ rng.normal(size=(n, outputs))
    return X, Y + 3.0 + noise * rng.normal(size=(n, outputs))


def listed(*kernels):
    return Dictionary(kernels, normalize=None, rescale=None)


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_it_is_the_kernel_whose_own_evidence_is_the_largest(kernel, outputs, posed_rows):
    X, Y = drawn(kernel, outputs=outputs)
    Y = Y / (Y.std(axis=0) if outputs > 1 else 1.0)
    mixture = most_likely(posed_rows(listed(*KERNELS), X, Y))
    alone = [kernelopt.solve(X, Y, family=listed(one), criterion="evidence").objective for one in KERNELS]
    (place,) = mixture.parts[0].atoms[:, 0].astype(int)
    assert alone[place] <= min(alone) + 0.1
    found = posed_rows(listed(*KERNELS), X, Y).respond(mixture).upper
    assert alone[place] - 1e-6 <= found <= alone[place] + 2.0 * outputs


def test_noise_has_none(posed_rows):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    assert most_likely(posed_rows(listed(*KERNELS), X, y)) is None
    assert most_likely(posed_rows(listed(*KERNELS), X, np.full(80, 2.0))) is None


def test_it_does_not_depend_on_the_units_of_the_targets(posed_rows):
    X, y = drawn("linear")
    one, other = (most_likely(posed_rows(listed(*KERNELS), X, t * y)) for t in (1.0, 1e3))
    for mine, theirs in zip(one.parts, other.parts, strict=True):
        assert np.array_equal(mine.atoms, theirs.atoms)
        assert theirs.weights == pytest.approx(1e6 * mine.weights)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_a_row_that_counts_several_times_is_as_many_copies(kernel, posed_rows):
    X, y = drawn(kernel)
    times = np.random.default_rng(4).integers(1, 4, size=len(X))
    counted = most_likely(posed_rows(listed(*KERNELS), X, y, times.astype(float)))
    copied = most_likely(posed_rows(listed(*KERNELS), np.repeat(X, times, axis=0), np.repeat(y, times, axis=0)))
    for mine, theirs in zip(counted.parts, copied.parts, strict=True):
        np.testing.assert_array_equal(mine.atoms, theirs.atoms)
        np.testing.assert_allclose(mine.weights, theirs.weights, rtol=1e-6)
