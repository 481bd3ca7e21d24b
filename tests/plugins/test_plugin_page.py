"""The page that plugin authors import from: its groups are whole, and what it calls enough is enough."""

import re

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import plugin
from kernelopt.plugin import BestAtoms, Dense, KernelFamily, Part, Query
from kernelopt.testing import two_classes

TOLD = {
    what.strip(): tuple(names.split(", "))
    for what, names in re.findall(r"^    (a \w+) +(\w+(?:, \w+)*)", plugin.__doc__, re.MULTILINE)
}


def test_every_name_stands_once():
    assert len(plugin.__all__) == len(set(plugin.__all__))
    assert all(hasattr(plugin, name) for name in plugin.__all__)


def test_the_page_says_what_is_enough():
    assert set(TOLD) == {"a family", "a criterion", "a solver"}
    assert len(TOLD["a family"]) == 6
    for names in TOLD.values():
        assert set(names) <= set(plugin.__all__)


@attrs.frozen
class Directions(KernelFamily):
    """k(x, z) = <p, x> <p, z> over all directions p, written with the six names and nothing else."""

    name = "directions"

    def gram(self, part: Part, data: np.ndarray) -> Dense:
        return Dense(self.cross(part, data, data))

    def cross(self, part: Part, Z: np.ndarray, X: np.ndarray) -> np.ndarray:
        return ((Z @ part.atoms.T) * part.weights) @ (X @ part.atoms.T).T

    def diag(self, part: Part, X: np.ndarray) -> np.ndarray:
        return ((X @ part.atoms.T) ** 2) @ part.weights

    def best_atoms(self, data: np.ndarray, V: np.ndarray, query: Query) -> BestAtoms:
        values, vectors = np.linalg.eigh(data.T @ V @ V.T @ data)
        return BestAtoms(vectors.T[::-1][: query.k], values[::-1][: query.k], float(values[-1]), exact=True)

    def center(self) -> Part:
        return Part(np.eye(2), np.full(2, 0.5))


@pytest.mark.parametrize("solver", ["auto", "ipm", "smo"])
def test_six_names_are_enough_for_a_family(solver):
    used = {cls.__name__ for cls in (KernelFamily, Part, Query, BestAtoms, Dense)}
    assert used | {"hookimpl"} == set(TOLD["a family"])
    X, y = two_classes(np.random.default_rng(0), 40, 2)
    s = kernelopt.solve(X, y[:, 0], family=Directions(), solver=solver, criterion="svc", tol=1e-4)
    assert s.status is kernelopt.Status.CONVERGED
    assert s.certificate.relative_gap <= 1e-4
