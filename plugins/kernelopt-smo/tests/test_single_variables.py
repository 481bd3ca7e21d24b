"""The compiled loop where no equality ties variables: each of them moves alone, up or down."""

import numpy as np
import pytest
from kernelopt_smo._compiled_smo import ascend
from kernelopt_smo._compiled_smoothing import weigh

EPS = 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_single_variables_end_where_the_gradient_points_out_of_the_box(seed):
    rng = np.random.default_rng(seed)
    n, m, C = 12, 3, 1.5
    roots = rng.normal(size=(m, n, n))
    K = np.ascontiguousarray(roots @ roots.transpose(0, 2, 1)) / n
    t = np.sign(rng.normal(size=(1, n)))
    u = rng.uniform(0.0, C, size=(1, n))  # in the middle, so that some must rise and others fall
    F = np.ascontiguousarray((K @ (t * u)[0])[:, None])
    q = np.einsum("ai,i->a", F[:, 0], (t * u)[0])
    rho, d, bias = np.full(m, 0.3), np.ones(m), 0.2
    sums, lo, hi = np.array([float((t * u).sum())]), np.zeros((1, n)), np.full((1, n), C)
    linear, curvature = rng.uniform(0.5, 2.0, size=(1, n)), np.full((1, n), 0.1)
    masks = np.zeros((1, 2, 1, n))
    diag = np.stack([np.diagonal(one) for one in K])
    span = np.array([[0, n]])
    limit = 100_000
    steps = ascend(
        K, diag, F, q, u, sums, lo, hi, t, linear, curvature, masks, span, bias, rho, d, EPS, 0, limit
    )  # fmt: skip
    assert 0 < steps < limit
    v = (t * u)[0]
    np.testing.assert_allclose(F[:, 0], K @ v, atol=1e-10)
    np.testing.assert_allclose(q, [v @ one @ v for one in K], atol=1e-10)
    eta = np.empty(m)
    weigh(q, rho, d, 0.0, np.empty(m), eta)
    g = (linear - curvature * u - t * (eta @ F[:, 0] + bias * v.sum()))[0]
    assert (g[u[0] < C] <= 10 * EPS).all()
    assert (g[u[0] > 0.0] >= -10 * EPS).all()
    assert (u > 0.0).any()
    assert (u < C).any()
