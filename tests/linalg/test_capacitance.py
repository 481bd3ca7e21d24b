"""F F' + diag(D) solved in the way that its numbers allow, against the matrix written out."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from kernelopt._linalg._capacitance import Capacitance, factored
from kernelopt._linalg._low_rank_plus_diagonal import Thin


def drawn(seed: int, n: int, r: int, spread: float):
    """F (n, r) and D (n,) over so many powers of ten."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, r)), 10.0 ** rng.uniform(-spread, 1.0, n)


@given(st.integers(0, 999), st.integers(0, 9), st.floats(0.0, 16.0), st.sampled_from([(), (1,), (3,)]))
def test_what_is_factored_solves_to_ten_digits_of_the_right_side(seed, r, spread, columns):
    F, D = drawn(seed, 9, r, spread)
    x = np.random.default_rng(seed + 1).normal(size=(9, *columns))
    b = F @ (F.T @ x) + (D * x.T).T
    solution = factored(F, D)
    found = solution.solve(b)
    assert found.shape == b.shape
    # In units of D^1/2, in which the inverse is 1 at most, so that what is lost is a share of the right side.
    root = np.sqrt(D)
    assert np.linalg.norm(((found - x).T * root).T) <= 1e-10 * np.linalg.norm((b.T / root).T)
    assert solution.apply(x.reshape(9, -1)) == pytest.approx(b.reshape(9, -1))


@pytest.mark.parametrize("small", [1e-8, 1e-2])
def test_the_formula_of_woodbury_serves_where_the_diagonal_is_large(small):
    F, D = drawn(0, 30, 4, 0.0)
    D[3] = small
    assert isinstance(factored(F, D), Thin if small < 1e-5 else Capacitance)


@pytest.mark.parametrize("diagonal", [0.0, -1.0, np.nan])
def test_it_wants_a_positive_diagonal(diagonal):
    with pytest.raises(np.linalg.LinAlgError):
        factored(np.ones((3, 1)), np.array([1.0, diagonal, 1.0]))


@pytest.mark.parametrize("entry", [np.nan, np.inf])
def test_it_refuses_what_is_not_finite(entry):
    F = np.ones((3, 2))
    F[1, 1] = entry
    with pytest.raises(np.linalg.LinAlgError):
        factored(F, np.array([1.0, 1e-200, 1.0]))
