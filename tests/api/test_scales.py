"""What each scale makes 1, and that the units of kernels do not matter then."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Delta, Dictionary, fixed
from kernelopt.plugin import InvalidData, InvalidOption, Part
from kernelopt.testing import Affine, two_classes

X, Y = two_classes(np.random.default_rng(0), 40, 2)
Y = Y[:, 0]
SCALES = ("unit", "atom", "variance")


def polynomial(factor, degree):
    return lambda A, B: factor * (1.0 + A @ B.T) ** degree


def learned(family, scale, **options):
    return kernelopt.solve(X, Y, family=family, scale=scale, tol=1e-6, criterion="svc", **options)


@pytest.mark.parametrize("scale", SCALES)
def test_the_units_of_a_members_kernels_do_not_matter(scale):
    one, other = (
        learned(Dictionary([polynomial(a, 1), polynomial(a, 3)], normalize=None) + fixed("rbf") + Delta(), scale)
        for a in (1.0, 1e4)
    )
    assert other.objective == pytest.approx(one.objective, rel=1e-5)
    weights = [np.concatenate([part.weights for part in s.mixture.parts]) for s in (one, other)]
    assert weights[1] == pytest.approx(weights[0], abs=1e-2)


def sizes(solution, *, centred):
    """The mean diagonal of every atom of a dictionary, in the leaf's scale."""
    (leaf,) = solution.kernel.leaves
    share = np.full(len(X), 1.0 / len(X))
    grams = [leaf.factor * leaf.family.cross(Part(a[None], np.ones(1)), X, X) for a in leaf.family.dictionary().atoms]
    return [share @ np.diagonal(K) - centred * (share @ K @ share) for K in grams]


def test_each_scale_makes_1_what_it_says():
    family = Dictionary([polynomial(1.0, 1), polynomial(1.0, 2), "rbf"], normalize=None)
    assert np.mean(sizes(learned(family, "unit"), centred=False)) == pytest.approx(1.0)
    assert max(sizes(learned(family, "atom"), centred=False)) == pytest.approx(1.0)
    assert max(sizes(learned(family, "variance"), centred=True)) == pytest.approx(1.0)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_largest_atom_of_a_matrix_family_is_the_solution_of_an_eigenvalue_problem(weighted):
    """On enough rows for several blocks of either kind."""
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(1900, 2)) + 1.0
    weight = rng.integers(1, 4, size=1900).astype(float) if weighted else np.ones(1900)
    family = Affine().prepare(rows, weight)
    phi = np.column_stack([np.ones(1900), rows])
    moments, mean = np.average(phi[:, :, None] * phi[:, None, :], axis=0, weights=weight), weight @ phi / weight.sum()
    for centred in (False, True):
        D = moments - centred * np.outer(mean, mean)
        largest = family.largest_atom(rows, weight, centred=centred)
        assert largest == pytest.approx(np.linalg.eigvalsh(D)[-1], rel=1e-10)


def test_a_copy_of_a_row_is_a_weight_of_two():
    twice = np.append(np.arange(40), [3, 5, 5])
    weight = np.bincount(twice).astype(float)
    for scale in SCALES:
        copied = kernelopt.solve(X[twice], Y[twice], family=["tk", "gpk"], scale=scale)
        weighted = kernelopt.solve(X, Y, family=["tk", "gpk"], scale=scale, sample_weight=weight)
        for one, two in zip(copied.kernel.leaves, weighted.kernel.leaves, strict=True):
            assert one.factor == pytest.approx(two.factor, rel=1e-9)


class Shy(Affine):
    """A family that does not say how large its atoms are."""

    name = "shy"

    def prepare(self, X, weight):
        return Shy(X.shape[1])

    def largest_atom(self, X, weight, *, centred):
        return None


@pytest.mark.parametrize("scale", ["atom", "variance"])
def test_a_family_must_know_its_largest_atom(scale):
    with pytest.raises(InvalidOption, match=f'scale="{scale}": the largest atom of shy is not known'):
        kernelopt.solve(X, Y, family=Shy(), scale=scale)


@pytest.mark.parametrize("name", ["cosine", "gaussian"])
def test_searched_families_are_known_at_the_scale_of_their_atoms(name):
    (leaf,) = kernelopt.solve(X, Y, family=name, scale="atom", tol=0.1).kernel.leaves
    assert leaf.factor == 1.0
    (leaf,) = kernelopt.solve(X, Y, family=name, scale="variance", tol=0.1).kernel.leaves
    assert leaf.factor > 1.0


def test_a_family_of_constant_kernels_has_no_variance():
    with pytest.raises(InvalidData, match="gpk: the largest atom has, after centring, the mean diagonal"):
        kernelopt.solve(X, Y, family={"name": "gpk", "degree": 0}, scale="variance")


def test_auto_is_unit_alone_and_variance_in_a_union_that_knows_it():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 3))
    y = X[:, 0] * X[:, 1] > 0.0

    def factors(family, scale):
        return [leaf.factor for leaf in kernelopt.solve(X, y, family=family, scale=scale, tol=0.1).kernel.leaves]

    assert factors("tk", "auto") == factors("tk", "unit")
    for union in (["tk", "delta"], kernelopt.each("tk")):
        assert factors(union, "auto") == factors(union, "variance") != factors(union, "unit")
    unknown = ["tk", Shy()]
    assert factors(unknown, "auto") == factors(unknown, "unit")
