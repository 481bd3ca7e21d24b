"""What batches of targets share: memory, and the eigenvalues that rays know."""

import numpy as np
import pytest

from kernelopt._base._typing import FloatArray
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._laws import Laws
from kernelopt._targets._subspace import Room, Subspaces, multiplied

rng = np.random.default_rng(0)
M, T, R = 3, 8, 12


def grams() -> FloatArray:
    roots = rng.normal(size=(M, R, R))
    return np.asarray(roots @ roots.transpose(0, 2, 1) / R)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_what_a_batch_leaves_in_memory_is_not_seen_by_the_next(kind):
    kernels, room = grams().astype(kind), Room()
    targets = rng.normal(size=(T, R)).astype(kind)
    w, v = rng.random((T, M + 1)), rng.random((T, 3))
    longer = np.pad(v, ((0, 0), (0, 1)))

    def told(room: Room) -> list[FloatArray]:
        spaces = Subspaces(targets, np.zeros(T), multiplied(kernels), M, 4, room)
        for which in (np.arange(T), np.array([1, 4, 5]), np.array([0, 4])):
            spaces.add(which, targets[which] + spaces.vectors[: spaces.held.min(), which].sum(axis=0) + which[:, None])
        every = np.arange(T)
        return [
            spaces.residual(every, w, v),
            spaces.imaged(every, v.astype(kind)),
            spaces.solution(v),
            spaces.solution(longer),
            spaces.vectors[:3].copy(),
        ]

    dirty = Subspaces(np.full((2 * T, R), 3.0, dtype=kind), np.zeros(2 * T), multiplied(kernels), M, 6, room)
    dirty.vectors[:] = np.nan
    dirty.images[:] = np.nan
    for got, wanted in zip(told(room), told(Room()), strict=True):
        assert np.array_equal(got, wanted)


@pytest.mark.parametrize("rays", [1, 2, 20])
def test_laws_have_the_eigenvalues_of_each_kernel_however_many_rays_there_are(rays):
    kernels = grams()
    kernels[1] *= 5.0
    laws = Atlas.first(kernels, 3.0 * R, 1e-6, rays, 0).determinant.laws
    wanted = Laws.of(np.linalg.eigvalsh(kernels))
    r = rng.random((5, M))
    assert np.allclose(laws.at(r), wanted.at(r))
    assert np.allclose(laws.largest, wanted.largest)
