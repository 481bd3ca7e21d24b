"""Capabilities that the core's own families lack: a searched, smooth one and a penalised one, under their laws."""

import numpy as np

from kernelopt.testing import Capacity, FamilySuite, Waves


def pairwise(kernel, X):
    return np.array([[kernel(x, z) for z in X] for x in X])


class TestWaves(FamilySuite):
    """A searched family: explicit and smooth, its ceiling an estimate."""

    def family(self):
        return Waves()

    def random_atoms(self, family, data, rng, k):
        return rng.uniform(0.0, family.top, size=(k, 1))

    def naive_gram(self, family, part, X):
        pairs = list(zip(part.atoms[:, 0], part.weights, strict=True))
        return pairwise(lambda x, z: sum(w * np.cos(a * (x[0] - z[0])) for a, w in pairs), X)


class TestCapacity(FamilySuite):
    """A penalised family: equal shares cost nothing, one atom alone costs most."""

    def family(self):
        return Capacity()

    def naive_gram(self, family, part, X):
        pairs = [(int(a), w) for a, w in zip(part.atoms[:, 0], part.weights, strict=True)]
        return pairwise(lambda x, z: sum(w * x[j] * z[j] for j, w in pairs), X)
