"""The compiled loop beside the same formulas in numpy, where its blocks end in the middle of the samples."""

import numpy as np
import pytest

import kernelopt
from kernelopt.dual import tabulate
from kernelopt.dual._feasibility import cold
from kernelopt.dual._smo import BLOCK, CURVATURE, HI, LO, D, T, U, ascend, violation

CRITERIA = [kernelopt.SVC(C=2.0), kernelopt.SVR(C=2.0), kernelopt.NuSVR(C=1.0, nu=0.4), kernelopt.LagrangianSVC(c=1.0)]


@pytest.mark.parametrize("n", [2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK + 7])
@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda criterion: criterion.name)
def test_the_loop_keeps_its_sums_box_and_gradient_and_ends_where_nothing_violates(criterion, n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 2))
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) + (0.3 * rng.normal(size=n) if criterion.task == "regression" else 0)
    (qp,) = criterion.outputs(y[:, None], np.ones((n, 1)))
    table, K = tabulate(qp), np.exp(-((X[:, None] - X) ** 2).sum(axis=2))
    u = table.load(qp, cold(qp))
    g = table.gradient(u, K @ (table.t * u).sum(axis=0))
    d = table.curvature + 1.0 + table.bias
    rows = {D: d, U: u, LO: table.lo, HI: table.hi, T: table.t, CURVATURE: table.curvature}
    state = np.stack([rows[k] for k in range(6)])
    masks, span = table.masks(u), table.span
    flat, flat_masks, scratch = g.reshape(-1).copy(), masks.reshape(2, -1, u.size), np.empty(u.size)
    assert violation(flat, flat_masks, span) == pytest.approx(_violation(g, masks))

    ascend(K, state.reshape(6, -1), flat, flat_masks, span, table.bias, 1e-9, 0, 100_000, scratch)
    after = state[U]
    assert np.all((after >= table.lo) & (after <= table.hi))
    for e in range(table.groups - 1):
        assert after[table.group == e].sum() == pytest.approx(u[table.group == e].sum(), abs=1e-12 * n)
    fresh = table.gradient(after, K @ (table.t * after).sum(axis=0))
    np.testing.assert_allclose(flat.reshape(fresh.shape), fresh, atol=1e-9)
    np.testing.assert_array_equal(masks, table.masks(after))
    assert _violation(fresh, masks) <= 1e-8


def _violation(g, masks):
    """max over up of g - min over low of g, the worst group's; the largest ascent of one variable in the last."""
    rise = (g + masks[0]).max(axis=(1, 2))
    fall = (masks[1] - g).max(axis=(1, 2))
    return max(0.0, *(rise + fall)[:-1], rise[-1], fall[-1])
