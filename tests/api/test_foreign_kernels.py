"""Kernels that are none, and kernels that are none of the family: no bound would be true of them."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import InvalidData, InvalidOption, Mixture, Part, Status
from kernelopt._io import _checkpoint
from kernelopt.testing import Waves

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, 1, 0)


def growing(Z, X):
    """1 + |x - z|^2 / 10: symmetric, 1 for a row with itself, and no kernel, for it is more for any other row."""
    return 1.0 + 0.1 * ((Z[:, None] - X) ** 2).sum(axis=2)


ODD = {
    "polynomial": ("polynomial", {"degree": 2, "coef0": -1.0, "gamma": 1.0}),
    "rbf": ("rbf", {"gamma": -0.05}),
    "sigmoid": "sigmoid",
    "callable": growing,
}


@pytest.mark.parametrize("kernel", ODD.values(), ids=ODD)
@pytest.mark.parametrize("criterion", ["svc", "evidence"])
def test_a_kernel_that_is_not_positive_semidefinite_is_never_an_answer(kernel, criterion):
    try:
        s = kernelopt.solve(X, Y, family=kernelopt.fixed(kernel), criterion=criterion)
    except InvalidOption:
        return
    if criterion == "evidence" and s.status is not Status.INDEFINITE:  # noise on the diagonal may make up for it
        assert not s.status.converged or np.linalg.eigvalsh(s.kernel(X))[0] > -1e-8 * np.trace(s.kernel(X))
        return
    assert s.status is Status.INDEFINITE
    assert s.certificate.upper == np.inf
    assert s.gain is None
    assert any("eigenvalue -" in note for note in s.notes)


def test_one_odd_kernel_on_a_list_is_seen_where_it_is_taken():
    family = kernelopt.Dictionary(["rbf", growing], normalize=None)
    s = kernelopt.solve(X, Y, family=family, criterion={"name": "svc", "C": 100}, tol=1e-4)
    assert s.status in (Status.INDEFINITE, Status.CONVERGED)
    assert (s.status is Status.INDEFINITE) == (np.linalg.eigvalsh(s.kernel(X))[0] < -1e-8)


def mixtures(family):
    """A true mixture of the family, and some that are none, with a word of what is said of them."""
    (part, *rest) = kernelopt.solve(X, Y, family=family, tol=1e-2).mixture.parts

    def of(atoms, weights):
        return Mixture((Part(atoms, weights), *rest))

    nan = part.weights.copy()
    nan[0] = np.nan
    negative = np.concatenate([part.weights * 1.5, [-0.5]])
    yield of(part.atoms, part.weights), None
    yield of(part.atoms, nan), "finite"
    yield of(np.vstack([part.atoms, part.atoms[:1]]), negative), ">= 0"
    if family != "hyperkernel":  # its weights have any sum
        yield of(part.atoms, 2.0 * part.weights), "sum to"
    yield of(part.atoms[:, :0], part.weights), "numbers each"
    if family != "cosine":  # every frequency is one of its atoms
        yield of(-part.atoms - 0.37 - np.arange(part.atoms.shape[1]), part.weights), "is not of the family"


@pytest.mark.parametrize("family", ["tk", "gpk", "gaussian", "cosine", "dictionary", "hyperkernel"])
def test_certify_and_start_take_kernels_of_the_family_alone(family):
    for mixture, word in mixtures(family):
        if word is None:
            certificate = kernelopt.certify(X, Y, family=family, mixture=mixture)
            assert certificate.lower <= certificate.upper
            kernelopt.solve(X, Y, family=family, start=mixture, max_steps=1)
            continue
        with pytest.raises(InvalidOption, match=f"^mixture: .*{word}"):
            kernelopt.certify(X, Y, family=family, mixture=mixture)
        with pytest.raises(InvalidOption, match=f"^start: .*{word}"):
            kernelopt.solve(X, Y, family=family, start=mixture)


def test_certify_refuses_a_kernel_that_is_none():
    family = kernelopt.fixed(ODD["callable"])
    mixture = Mixture((Part(np.zeros((1, 1)), np.ones(1)),))
    with pytest.raises(InvalidData, match="not positive semidefinite"):
        kernelopt.certify(X, Y, family=family, mixture=mixture)


def test_a_checkpoint_holds_a_kernel_of_the_family(tmp_path):
    path = tmp_path / "run.ckpt"
    s = kernelopt.solve(X, Y, family="tk", tol=1e-2)
    (part,) = s.mixture.parts
    _checkpoint.write(path, attrs.evolve(s.response, mixture=Mixture((Part(10.0 * part.atoms, part.weights),))))
    with pytest.raises(InvalidData, match="not of the family tk"):
        kernelopt.solve(X, Y, family="tk", checkpoint=path)


WAVES = {"criterion": "svc", "solver": "fw", "tol": 1e-2}


def test_a_solution_whose_atoms_are_out_of_bounds_is_not_told_to_be_passed_itself():
    s = kernelopt.solve(X, Y, family=Waves(top=3.0), start=at(3.0), max_steps=1, **WAVES)
    with pytest.raises(InvalidOption, match=r"of an atom is 3, wanted one from 0 to 2\.9999999$") as caught:
        kernelopt.solve(X, Y, family=Waves(top=2.9999999), start=s, **WAVES)
    assert "pass the solution" not in str(caught.value)


def test_an_atom_that_rounding_put_beyond_its_bound_is_of_the_family():
    """As those of solutions that were saved."""
    top = 0.7
    family, beyond = Waves(top=top), at(float(np.nextafter(top, 1.0)))
    assert family.stranger(beyond.parts[0].atoms) is None
    assert "0.70001, wanted" in family.stranger(np.array([[0.70001]]))
    assert "0.7000000001, wanted" in family.stranger(np.array([[0.7000000001]]))
    assert kernelopt.certify(X, Y, family=family, criterion="svc", mixture=beyond).upper < np.inf


def at(atom):
    """The kernel of one atom."""
    return Mixture((Part(np.array([[atom]]), np.ones(1)),))


def test_the_kernel_of_groups_is_certified_with_the_groups():
    rng = np.random.default_rng(0)
    rows, groups = rng.normal(size=(40, 2)), np.repeat(np.arange(10), 4)
    y = np.sin(rows[:, 0]) + rng.normal(size=10)[groups] + 0.1 * rng.normal(size=40)
    asked = {"family": kernelopt.Dictionary(["linear", "rbf"]), "criterion": kernelopt.Evidence(targets="numbers")}
    s = kernelopt.solve(rows, y, groups=groups, **asked)
    found = kernelopt.certify(rows, y, mixture=s.mixture, groups=groups, **asked)
    assert found.upper == pytest.approx(s.certificate.upper, rel=1e-9)
    assert found.lower <= found.upper
    with pytest.raises(kernelopt.InvalidOption, match="one for each family: dictionary, constant, delta"):
        kernelopt.certify(rows, y, mixture=s.mixture, **asked)
