"""The nearest kernel of a family: programs (20) and (21) of Colbert and Peet (2020)."""

import numpy as np
import pytest
from kernelopt_sdp import nearest_kernel

import kernelopt
from kernelopt.plugin import InvalidData, InvalidOption, Refused
from kernelopt.testing import Waves

NORMS = {"mean": lambda D: np.abs(D).mean(), "max": lambda D: np.abs(D).max()}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(12, 2))
LABELS = np.repeat([-1.0, 1.0], 6)
IDEAL = np.outer(LABELS, LABELS)
"""The best kernel for these labels where any is allowed (theorem 10)."""
WIDTHS = [("rbf", {"gamma": gamma}) for gamma in (0.1, 1.0, 10.0)]
FAMILIES = {
    "gpk": {"name": "gpk", "degree": 2},
    "tk": {"name": "tk", "degree": 1},
    "gaussians": kernelopt.Dictionary(WIDTHS),
    "a union": [{"name": "gpk", "degree": 1}, "delta"],
}


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("family", FAMILIES)
def test_the_bounds_meet_and_no_kernel_of_the_family_is_nearer(family, norm):
    found = nearest_kernel(IDEAL, X, family=FAMILIES[family], norm=norm)
    assert found.distance == pytest.approx(NORMS[norm](found.gram - IDEAL))
    assert found.lower <= found.distance <= found.lower + 1e-5
    assert np.linalg.eigvalsh(found.gram)[0] >= -1e-9
    for part in found.kernel.mixture.parts:
        assert (part.weights >= 0.0).all()
    s = kernelopt.solve(X, LABELS, family=FAMILIES[family], criterion="svc")
    others = s.kernel(X)
    for size in (0.0, 0.3, 1.0, 3.0):
        assert NORMS[norm](size / np.abs(others).max() * others - IDEAL) >= found.lower


@pytest.mark.parametrize("norm", NORMS)
def test_a_kernel_of_the_family_is_its_own_nearest_one(norm):
    s = kernelopt.solve(X, LABELS, family=FAMILIES["tk"], criterion="svc")
    found = nearest_kernel(s.kernel(X), X, family=FAMILIES["tk"], norm=norm)
    size = np.abs(s.kernel(X)).max()
    assert found.distance <= 1e-6 * size
    np.testing.assert_allclose(found.kernel(X), s.kernel(X), atol=1e-4 * size)


@pytest.mark.parametrize("norm", NORMS)
def test_tessellated_kernels_contain_the_polynomials_and_gaussians_cannot_be_negative(norm):
    """Lemma 11, and the bounds 0.5 and 1 that the paper derives for (22)."""
    distance = {
        name: nearest_kernel(IDEAL, X, family=family, norm=norm).distance
        for name, family in (("gpk", {"name": "gpk", "degree": 1}), ("tk", "tk"), ("rbf", FAMILIES["gaussians"]))
    }
    assert distance["tk"] <= distance["gpk"] + 1e-6
    assert distance["rbf"] >= {"mean": 0.5, "max": 1.0 - 1e-7}[norm]


@pytest.mark.parametrize("norm", NORMS)
def test_the_distance_is_that_of_the_same_matrices_in_another_unit(norm):
    one, ten = (nearest_kernel(t * IDEAL, X, family=FAMILIES["gpk"], norm=norm) for t in (1.0, 10.0))
    assert ten.distance == pytest.approx(10.0 * one.distance, rel=1e-4)


def test_mistakes_are_told():
    with pytest.raises(InvalidOption, match='wanted "mean"'):
        nearest_kernel(IDEAL, X, norm="l1")
    with pytest.raises(InvalidData, match=r"got shape \(12, 12\), wanted \(11, 11\)"):
        nearest_kernel(IDEAL, X[1:])
    with pytest.raises(InvalidData, match="symmetric"):
        nearest_kernel(np.triu(IDEAL), X)
    with pytest.raises(Refused, match="waves is neither a matrix family nor a finite list"):
        nearest_kernel(IDEAL, X, family=Waves())
    with pytest.raises(Refused, match="P of tk would be 6 x 6, and the limit is 5"):
        nearest_kernel(IDEAL, X, most=5)


def test_what_was_found_is_a_sentence():
    assert "<= distance of the nearest kernel <=" in str(nearest_kernel(IDEAL, X, family=FAMILIES["gaussians"]))
