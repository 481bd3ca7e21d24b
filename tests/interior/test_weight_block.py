"""A block of weights on the atoms of a family that computes a Gram anew whenever it is asked."""

import numpy as np
import pytest
from kernelopt_metric import Metric

from kernelopt._families._leaf import Leaf
from kernelopt.interior._weight_block import WeightBlock
from kernelopt.plugin import Part

RNG = np.random.default_rng(0)
X = RNG.normal(size=(30, 3))


def test_the_gram_of_held_atoms_is_that_of_their_family_and_is_not_computed_anew(monkeypatch):
    family = Metric().prepare(X, np.ones(30))
    data, atoms, S = family.bind(X), family.draw(4, RNG), np.array([0.5, 0.0, 2.0, 1.0])
    block = WeightBlock.of(Leaf(family, np.arange(3), factor=1.5), data, atoms)
    wanted = family.gram(Part(atoms, 1.5 * S), data).dense()
    monkeypatch.setattr(Metric, "gram", lambda *_: pytest.fail("the Gram of an atom was computed anew"))
    for _ in range(2):  # what is held is only read
        found = block.gram(S).scaled(1.0).dense()
        np.testing.assert_allclose(found, wanted, rtol=1e-13)
        found += 1.0
    image = block.couple(X[:, 0]).apply(S)
    np.testing.assert_allclose(image, wanted @ X[:, 0], rtol=1e-12)
