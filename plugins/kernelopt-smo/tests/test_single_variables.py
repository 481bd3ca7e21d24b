"""The compiled loop where no equality ties variables: each of them moves alone, up or down."""

import numpy as np
import pytest
from kernelopt_smo._compiled_smo import CURVATURE, HI, LINEAR, LO, SAMPLES, VARIABLES, T, U, ascend
from kernelopt_smo._compiled_smoothing import ETA, NUMBERS, RHO, D, Q, weigh

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
    kernels, table, bias = np.zeros((NUMBERS, m)), np.empty((VARIABLES, 1, n)), 0.2
    kernels[Q], kernels[RHO], kernels[D] = np.einsum("ai,i->a", F[:, 0], (t * u)[0]), 0.3, 1.0
    table[U], table[LO], table[HI], table[T] = u, 0.0, C, t
    table[LINEAR], table[CURVATURE] = rng.uniform(0.5, 2.0, size=(1, n)), 0.1
    sums = np.array([float((t * u).sum())])
    masks = np.zeros((1, 2, 1, n))
    diag = np.stack([np.diagonal(one) for one in K])
    span = np.array([[0, n]])
    limit = 100_000
    samples, trial = np.zeros((SAMPLES, n)), np.empty_like(kernels)
    steps = ascend(K, diag, F, kernels, trial, table, samples, sums, masks, span, bias, EPS, 0, limit)
    assert 0 < steps < limit
    u = table[U, 0]
    v = t[0] * u
    np.testing.assert_allclose(F[:, 0], K @ v, atol=1e-10)
    np.testing.assert_allclose(kernels[Q], [v @ one @ v for one in K], atol=1e-10)
    weigh(kernels, 0.0)
    g = table[LINEAR, 0] - table[CURVATURE, 0] * u - t[0] * (kernels[ETA] @ F[:, 0] + bias * v.sum())
    assert (g[u < C] <= 10 * EPS).all()
    assert (g[u > 0.0] >= -10 * EPS).all()
    assert (u > 0.0).any()
    assert (u < C).any()
