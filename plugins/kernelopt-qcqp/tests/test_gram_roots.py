"""An image's square is v'Kv, whatever moves and whatever is held."""

import numpy as np
import pytest
from kernelopt_qcqp._gram_roots import image

from kernelopt.plugin import Dense, LowRank


def gram(kind, rng, n):
    F = rng.normal(size=(n, 3))
    if kind == "thin":
        return LowRank(F)
    if kind == "thin with a ridge":
        return LowRank(F, 0.7)
    if kind == "thin with ridges":
        return LowRank(F, np.linspace(0.0, 2.0, n))
    if kind == "wide":
        return LowRank(rng.normal(size=(n, 2 * n)), 0.2)
    if kind == "of low rank":
        return Dense(F @ F.T)
    return Dense(np.exp(-((F[:, None] - F) ** 2).sum(axis=2)))


@pytest.mark.parametrize("kind", ["thin", "thin with a ridge", "thin with ridges", "wide", "of low rank", "dense"])
@pytest.mark.parametrize("held", ["nothing", "some", "much", "also what moves"])
def test_the_square_of_an_image(kind, held):
    rng = np.random.default_rng(5)
    n = 12
    K = gram(kind, rng, n)
    rows = np.arange(n) if held == "nothing" else np.sort(rng.choice(n, size=5, replace=False))
    rest = np.zeros(n)
    if held != "nothing":
        rest = (1e4 if held == "much" else 1.0) * rng.normal(size=n)
        rest[rows] = rng.normal(size=5) if held == "also what moves" else 0.0
    found = image(K, rows, rest, 1e-14)
    for _ in range(3):
        z = rng.normal(size=len(rows))
        v = rest.copy()
        v[rows] += z
        assert np.sum((found.matrix @ z + found.offset) ** 2) == pytest.approx(v @ K.apply(v), rel=1e-8)
    if kind == "of low rank" and held == "nothing":
        assert found.matrix.shape[0] == 3
