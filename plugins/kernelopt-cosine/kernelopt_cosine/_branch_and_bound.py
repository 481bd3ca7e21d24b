"""A proof that no frequency is better: branch and bound over cells of frequencies."""

import itertools

import attrs
import numpy as np

from kernelopt.plugin import FloatArray
from kernelopt_cosine._frequency_objective import Landscape

SLACK = 1e-9
"""A cell is done where no frequency in it can exceed the best value by more than this share of it."""
_CHUNK = 2**21
_SIDE = 0.25
"""Half the side of the first cells, in wavelengths over 2 pi of the rows' radius."""
_SMALLEST = 1e-10


@attrs.frozen(eq=False)
class Proof:
    """What branch and bound proved.

    Attributes:
        ceiling: no frequency has a larger value, if `better` is None.
        better: a frequency (d,) whose value exceeds the best that was known, or None.
        cells: how many cells were bounded.
    """

    ceiling: float
    better: FloatArray | None
    cells: int


def first_cells(landscape: Landscape, radius: float) -> float:
    """How many cells the proof begins with."""
    d = landscape.rows.shape[1]
    count = np.ceil(radius / (2.0 * _SIDE))
    return float(count * (2.0 * count) ** (d - 1))


def prove(landscape: Landscape, best: float, above: float, radius: float, most: float) -> Proof | None:
    """Bound the value over all frequencies, given the best one known.

        cells: a grid over |gamma| <= radius, gamma_1 >= 0
        repeat   bound the value over each cell; drop those that cannot exceed the target; halve the others

    Args:
        landscape: normalised.
        best: the largest value that is known.
        above: larger values only are of interest.
        radius: no frequency with a larger norm exceeds max(best, above).
        most: how many times a row may meet a cell; None is returned where that is not enough.
    """
    target = max(best, above) * (1.0 + SLACK) + landscape.rounding
    count = max(int(np.ceil(radius / (2.0 * _SIDE))), 1)
    half = radius / (2.0 * count)
    centers = first_grid(landscape.rows.shape[1], count, half)
    ceiling, cells = max(best, landscape.rounding), 0
    while len(centers):
        cells += len(centers)
        if cells * len(landscape.rows) > most:
            return None
        values, bounds = _bounded(landscape, centers, half)
        top = int(np.argmax(values))
        if values[top] > target:
            return Proof(ceiling, centers[top], cells)
        open_ = bounds > target
        if half < _SMALLEST:
            return Proof(max(ceiling, float(bounds.max())), None, cells)
        ceiling = max(ceiling, float(bounds[~open_].max(initial=0.0)))
        centers, half = _halved(centers[open_], half), 0.5 * half
    return Proof(ceiling, None, cells)


def first_grid(d: int, count: int, half: float) -> FloatArray:
    """The centres of cells of half side `half`, `count` on each side of 0, of the first axis one side, shape (m, d)."""
    positive = half * (2.0 * np.arange(count) + 1.0)
    axes = [positive] + [np.concatenate([-positive[::-1], positive])] * (d - 1)
    return np.stack([axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")], axis=1)


def _halved(centers: FloatArray, half: float) -> FloatArray:
    corners = np.array(list(itertools.product([-0.5 * half, 0.5 * half], repeat=centers.shape[1])))
    return np.asarray((centers[:, None] + corners).reshape(-1, centers.shape[1]))


def _bounded(landscape: Landscape, centers: FloatArray, half: float) -> tuple[FloatArray, FloatArray]:
    """The value at each cell's centre and a bound over the cell, shapes (m,), in chunks."""
    chunks = np.array_split(centers, len(centers) * len(landscape.rows) // _CHUNK + 1)
    found = [bound_cells(landscape, chunk, half) for chunk in chunks]
    return np.concatenate([values for values, _ in found]), np.concatenate([bounds for _, bounds in found])


def bound_cells(landscape: Landscape, centers: FloatArray, half: float) -> tuple[FloatArray, FloatArray]:
    """The value at each centre (m, d), and a bound on it over the cells of half side `half`.

    No cell may straddle an axis. With B_c(gamma) = G(gamma)^(1/2) A_c(gamma) the value is g = sum_c |B_c|^2, and over
    a cell of radius r

        g <= g(0) + |g'(0)| r + r^2 sum_c (b0 b2 + b1^2),
        b2 = |B''(0)| + r b3,   b1 = |B'(0)| + r b2,   b0 = |B(0)| + r b1,

    where b3 bounds the third derivative of B along any unit vector (`third_derivatives`).
    """
    d, decay = centers.shape[1], landscape.decay
    r = float(np.sqrt(d)) * half
    B, B1, B2 = amplitudes(landscape, centers)
    b3 = third_derivatives(landscape, centers, half)
    b2 = np.sqrt(np.sum(np.abs(B2) ** 2, axis=(2, 3))) + r * b3
    b1 = np.sqrt(np.sum(np.abs(B1) ** 2, axis=2)) + r * b2
    b0 = np.abs(B) + r * b1
    values = np.sum(np.abs(B) ** 2, axis=1)
    slope = np.linalg.norm(2.0 * np.real(np.einsum("mc,mcj->mj", B.conj(), B1)), axis=1)
    taylor = values + r * slope + r * r * np.sum(b0 * b2 + b1 * b1, axis=1)
    nearest = np.maximum(decay.size(centers) - _reach(landscape, half), 0.0)
    return values, np.minimum(taylor, decay.at(nearest) * landscape.total)


def _reach(landscape: Landscape, half: float) -> float:
    """How much the norm of a frequency can differ from that of its cell's centre."""
    d = landscape.rows.shape[1]
    return d * half if landscape.decay.norm == "l1" else float(np.sqrt(d)) * half


def amplitudes(landscape: Landscape, centers: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """B, B' and B'' (complex) at each centre, shapes (m, c), (m, c, d), (m, c, d, d)."""
    x, V, decay = landscape.rows, landscape.V, landscape.decay
    (n, d), c = x.shape, V.shape[1]
    phase = centers @ x.T
    monomials = np.concatenate([np.ones((n, 1)), x, (x[:, :, None] * x[:, None]).reshape(n, d * d)], axis=1)
    weights = (V[:, :, None] * monomials[:, None]).reshape(n, -1)
    moments = (np.cos(phase) @ weights + 1j * (np.sin(phase) @ weights)).reshape(len(centers), c, -1)
    root = np.sqrt(decay.of(centers))[:, None]
    A = root * moments[:, :, 0]
    A1 = 1j * root[..., None] * moments[:, :, 1 : 1 + d]
    A2 = -root[..., None, None] * moments[:, :, 1 + d :].reshape(len(centers), c, d, d)
    slope = decay.slope(centers)[:, None]
    B1 = A1 - slope * A[..., None]
    cross = A1[..., :, None] * slope[..., None, :]
    square = slope[..., :, None] * slope[..., None, :] - _bend(landscape, centers)[:, None]
    B2 = A2 - cross - np.swapaxes(cross, 2, 3) + square * A[..., None, None]
    return A, B1, B2


def _bend(landscape: Landscape, centers: FloatArray) -> FloatArray:
    """Half the second derivative of beta |gamma|^2, shape (m, d, d)."""
    m, d = centers.shape
    if landscape.decay.norm == "l2":
        return np.broadcast_to(landscape.decay.beta * np.eye(d), (m, d, d))
    signs = np.sign(centers)
    return landscape.decay.beta * signs[:, :, None] * signs[:, None]


def third_derivatives(landscape: Landscape, centers: FloatArray, half: float) -> FloatArray:
    """A bound on |B_c'''| along any unit vector over each cell, shape (m, c).

    B_c is a sum of v exp(phi) with |phi'| <= |x| + s and |phi''| <= k, phi''' = 0: its third derivative is a sum of
    v (phi'^3 + 3 phi' phi'') exp(phi), and |exp(phi)| = G^(1/2).
    """
    decay, d = landscape.decay, landscape.rows.shape[1]
    size, reach = decay.size(centers), _reach(landscape, half)
    bend = decay.curvature(d)
    steepest = decay.beta * (size + reach) * (np.sqrt(d) if decay.norm == "l1" else 1.0)
    root = np.sqrt(decay.at(np.maximum(size - reach, 0.0)))
    x = np.linalg.norm(landscape.rows, axis=1)
    powers = np.stack([np.abs(landscape.V).T @ x**k for k in range(4)])
    s = steepest[:, None]
    cubes = powers[3] + 3.0 * s * powers[2] + 3.0 * s**2 * powers[1] + s**3 * powers[0]
    return np.asarray(root[:, None] * (cubes + 3.0 * bend * (powers[1] + s * powers[0])))
