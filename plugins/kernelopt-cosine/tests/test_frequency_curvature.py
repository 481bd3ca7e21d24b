"""Second derivatives in a frequency, also where an entry of it is 0, at the kink of the norm "l1"."""

import numpy as np
import pytest
from kernelopt_cosine._frequency_curvature import bent
from kernelopt_cosine._frequency_penalty import Decay

STEP = 1e-4


def image(frequency, rows, v, decay):
    """K v of one frequency, shape (n,)."""
    phase = rows @ frequency
    return decay.of(frequency[None])[0] * (np.cos(phase[:, None] - phase) @ v)


def differences(frequency, rows, v, decay, entries):
    """The derivatives of K v and v'K v in some entries of the frequency, by central differences."""
    moves = STEP * np.eye(len(frequency))[entries]
    turn = [image(frequency + e, rows, v, decay) - image(frequency - e, rows, v, decay) for e in moves]

    def value(move):
        return float(v @ image(frequency + move, rows, v, decay))

    hessian = [[value(a + b) - value(a - b) - value(b - a) + value(-a - b) for b in moves] for a in moves]
    return np.column_stack(turn) / (2.0 * STEP), np.array(hessian) / (4.0 * STEP**2)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("norm", ["l2", "l1"])
def test_a_frequency_bends_as_differences_say_but_for_the_entries_at_a_kink(norm, seed):
    """There it stays where it is: nothing turns, and the price alone holds it."""
    rng = np.random.default_rng(seed)
    rows, v = rng.normal(size=(15, 4)), np.where(np.arange(15) % 3 == 0, 0.0, rng.normal(size=15))
    frequency = np.where(
        np.arange(4) == seed, 0.0, np.copysign(1.0, rng.normal(size=4)) * rng.uniform(0.3, 1.5, size=4)
    )
    decay = Decay(0.2, norm)
    bend = bent(frequency, rows, v, decay)
    free = np.flatnonzero(frequency) if norm == "l1" else np.arange(4)
    turn, hessian = differences(frequency, rows, v, decay, free)
    np.testing.assert_allclose(bend.turn[:, free], turn, atol=1e-6 * np.abs(turn).max())
    np.testing.assert_allclose(bend.hessian[np.ix_(free, free)], hessian, atol=1e-5 * np.abs(hessian).max())
    if norm == "l1":
        held = bend.hessian[seed]
        assert not bend.turn[:, seed].any()
        assert not np.delete(held, seed).any()
        assert held[seed] == pytest.approx(-2.0 * 0.2 * float(v @ image(frequency, rows, v, decay)))
