"""What batches of targets share: memory, and the eigenvalues that rays know."""

import attrs
import numpy as np
import pytest

from kernelopt._base._typing import FloatArray
from kernelopt._targets._atlas import Atlas
from kernelopt._targets._laws import Laws
from kernelopt._targets._rays import Along, Ray
from kernelopt._targets._subspace import Room, Subspaces, multiplied
from kernelopt._targets._thin import factors
from kernelopt._targets._turned import seen

rng = np.random.default_rng(0)
M, T, R = 3, 8, 12


def grams() -> FloatArray:
    roots = rng.normal(size=(M, R, R))
    return np.asarray(roots @ roots.transpose(0, 2, 1) / R)


def held_by(spaces: Subspaces, t: int) -> FloatArray:
    """The vectors of a target."""
    return spaces.vectors[spaces.rows[t, : spaces.held[t]]]


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_what_a_batch_leaves_in_memory_is_not_seen_by_the_next(kind):
    kernels, room = grams().astype(kind), Room()
    targets = rng.normal(size=(T, R)).astype(kind)
    w, v = rng.random((T, M + 1)), rng.random((T, 3))
    longer = np.pad(v, ((0, 0), (0, 1)))

    def told(room: Room) -> list[FloatArray]:
        spaces = Subspaces(targets, np.zeros(T), multiplied(kernels), M, 4, room)
        for which in (np.arange(T), np.array([1, 4, 5]), np.array([0, 4])):
            spaces.add(
                which, targets[which] + np.stack([held_by(spaces, t).sum(axis=0) for t in which]) + which[:, None]
            )
        every = np.arange(T)
        return [
            spaces.residual(every, w, v),
            spaces.imaged(every, v.astype(kind)),
            spaces.solution(v),
            spaces.solution(longer),
            np.concatenate([held_by(spaces, t) for t in every]),
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
    laws = Atlas.first(kernels, 3.0 * R, 1e-6, rays, 0, lambda: None).determinant.laws
    wanted = Laws.of(np.linalg.eigvalsh(kernels))
    r = rng.random((5, M))
    assert np.allclose(laws.at(r), wanted.at(r))
    assert np.allclose(laws.largest, wanted.largest)


def grown() -> tuple[Subspaces, FloatArray]:
    """Targets with unlike numbers of vectors, one of which brings nothing, and their kernels."""
    kernels = grams()
    targets = rng.normal(size=(T, R))
    spaces = Subspaces(targets, rng.random(T), multiplied(kernels), M, 5, Room())
    for which in (np.arange(T), np.array([1, 4, 5]), np.array([0, 4]), np.array([4, 2])):
        spaces.add(which, targets[which] + rng.normal(size=(len(which), R)))
    spaces.add(np.array([6]), held_by(spaces, 6)[:1])
    return spaces, kernels


def test_small_problems_are_those_of_the_covariance_between_the_vectors_of_each_target():
    spaces, kernels = grown()
    which, w = np.array([4, 6, 0, 7]), rng.random((4, M + 1)) + 0.1
    found = spaces.at(which, w)
    every = np.concatenate([kernels, np.eye(R)[None]])
    for i, t in enumerate(which):
        S, outside = held_by(spaces, t), spaces.outside[t]
        S = S[np.abs(S).sum(axis=1) > 0.0]
        inner = S @ every @ S.T
        V = np.tensordot(w[i], inner, axes=1)
        v = np.linalg.solve(V, S @ spaces.targets[t])
        last = np.eye(M + 1)[-1]
        images = inner @ v
        noise = w[i, -1]
        assert np.allclose(found.quadratic[i], spaces.targets[t] @ S.T @ v + outside / noise)
        assert np.allclose(found.values[i], images @ v + last * outside / noise**2)
        wanted = images @ np.linalg.solve(V, images.T) + np.outer(last, last) * outside / noise**3
        assert np.allclose(found.information[i], wanted)
        assert np.allclose(found.solution[i, : len(S)], v)
        assert not found.solution[i, len(S) :].any()


def low() -> FloatArray:
    """Kernels of which the second has rank 2."""
    kernels, root = grams(), rng.normal(size=(R, 2))
    kernels[1] = root @ root.T
    return kernels


@pytest.mark.parametrize("direction", [[0.5, 0.3, 0.2], [0.0, 1.0, 0.0], [0.02, 0.9, 0.08]])
def test_kernels_of_low_rank_are_seen_as_the_kernels_that_they_are(direction):
    kernels = low()
    thin = factors(kernels)
    assert list(thin) == [1]
    assert thin[1].shape == (R, 2)
    view = seen(Ray.of(kernels, np.array(direction), keep=True), kernels.astype(np.float32), thin, 10 * R)
    S = rng.normal(size=(7, R))
    images = np.empty((7, M, R), dtype=np.float32)
    view.images(view.coordinates(S), images)
    for a in range(M):
        assert np.allclose(view.back(images[:, a]), S @ kernels[a], atol=1e-4)


@pytest.mark.parametrize("direction", [[0.5, 0.3, 0.2], [0.0, 1.0, 0.0]])
def test_factors_of_low_rank_leave_rays_as_they_are(direction):
    kernels, beta = low(), np.array(direction)
    ray, wanted = (Ray.of(kernels, beta, keep=True, thin=thin) for thin in (factors(kernels), {}))
    levels = np.array([0.1, 1.0])
    for got, known in zip(ray.curve(levels), wanted.curve(levels), strict=True):
        assert np.allclose(got, known)
    assert np.allclose((ray.vectors * ray.values) @ ray.vectors.T, np.tensordot(beta, kernels, axes=1), atol=1e-5)
    assert np.allclose(ray.vectors @ ray.vectors.T, np.eye(R), atol=1e-5)
    assert np.allclose(ray.diagonals, np.einsum("ij,aik,kj->aj", ray.vectors, kernels, ray.vectors), atol=1e-5)


@pytest.mark.parametrize("targets", [1, 10 * R])
def test_second_derivatives_divide_by_the_diagonal_in_the_eigenvectors_of_the_candidate(targets):
    spaces, kernels = grown()
    ray = Ray.of(kernels, np.array([0.5, 0.3, 0.2]), keep=True)
    view = seen(ray, kernels.astype(np.float32), {}, targets)
    many = Subspaces(view.coordinates(spaces.targets), spaces.outside, view.images, M, 3, Room())
    for _ in range(2):
        many.add(np.arange(T), view.coordinates(rng.normal(size=(T, R))))
    which, w, v = np.array([3, 1]), rng.random((2, M + 1)) + 0.1, rng.normal(size=(2, 2))
    found = view.information(many, which, w, v)
    images = np.stack([view.back(one) for one in many.imaged(which, v)]) @ ray.vectors
    diagonals = np.concatenate([ray.diagonals, np.ones((1, R))])
    for i in range(2):
        assert np.allclose(found[i], (images[i] / (w[i] @ diagonals)) @ images[i].T, rtol=1e-3)


def test_leading_eigenvectors_tell_the_evidence_of_targets_that_are_even_along_the_others():
    kernels = grams()
    ray, levels = Ray.of(kernels, np.array([0.5, 0.3, 0.2]), keep=True), np.array([0.1, 1.0, 10.0])
    flat = attrs.evolve(ray, values=np.append(np.full(R // 2, 0.3), ray.values[R // 2 :]))
    Z, outside = rng.normal(size=(T, R)), rng.random(T)
    squares = np.einsum("tr,tr->t", Z, Z)
    whole, half = (Along(ray.coordinates(Z, share), squares, outside) for share in (1.0, 0.5))
    bounds = (2.0 * R, levels, 1e-6)
    assert np.allclose(flat.profile(whole, *bounds), flat.profile(half, *bounds), rtol=1e-5, atol=1e-4)
    assert not np.allclose(ray.profile(whole, *bounds), ray.profile(half, *bounds), rtol=1e-5, atol=1e-4)
