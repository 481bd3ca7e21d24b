"""nu regression with a hyperkernel, Ong, Smola and Williamson (2005), equation (31), beside its conic program."""

import numpy as np
import pytest
from kernelopt_hyperkernel import Hyperkernel

import kernelopt
from kernelopt.plugin import Part

NU, LAMBDA, LAMBDA_Q = 0.4, 0.05, 0.3


def root(matrix):
    """F with F F' = matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def optimum(grams, H, y, penalty, total):
    """min over kernels of nu eps + 1/n sum of slacks + lambda/2 |f|^2 + lambda_Q/2 |k| or |k|^2, by its dual."""
    cp = pytest.importorskip("cvxpy")
    pytest.importorskip("clarabel")
    n, rho = len(y), LAMBDA_Q / (2.0 * LAMBDA)
    up, down, tau, u = cp.Variable(n), cp.Variable(n), cp.Variable(), cp.Variable(len(H))
    alpha = up - down
    box = 1.0 / (LAMBDA * n)
    limits = [up >= 0, up <= box, down >= 0, down <= box, cp.sum(alpha) == 0, cp.sum(up + down) <= NU / LAMBDA]
    # max over w >= 0, sum w = total, of q'w - R(w), R(w) = max over u of u'H^(1/2) w less its conjugate.
    price = root(H) @ u
    limits += [0.5 * cp.sum_squares(root(K).T @ alpha) <= tau + price[a] for a, K in enumerate(grams)]
    if penalty == "norm":
        value, limits = y @ alpha - total * tau, [*limits, cp.norm(u) <= rho]
    else:
        value = y @ alpha - total * tau - cp.sum_squares(u) / (4.0 * rho)
    return LAMBDA * cp.Problem(cp.Maximize(value), limits).solve(solver="CLARABEL")


@pytest.mark.parametrize("pivots", ["all", 12])
@pytest.mark.parametrize("penalty", ["norm", "squared"])
def test_nu_regression_reaches_the_conic_optimum(penalty, pivots):
    rng = np.random.default_rng(3)
    X = rng.uniform(size=(11, 2))
    y = np.sin(4.0 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=11)
    total = float(y.std(ddof=1))
    family = Hyperkernel(sigma=(4.0, 2.0), lambda_q=LAMBDA_Q / LAMBDA, penalty=penalty, total=total, pivots=pivots)
    prepared = family.prepare(X, np.ones(11))
    singles = [Part(atom[None], np.ones(1)) for atom in prepared.dictionary().atoms]
    grams = [prepared.cross(part, X, X) for part in singles]
    H = np.array(
        [[prepared.cross(one, two.atoms[:, :2], two.atoms[:, 2:])[0, 0] for one in singles] for two in singles]
    )
    wanted = optimum(grams, H, y, penalty, total)
    criterion = {"name": "nu-svr", "nu": NU, "C": 1.0 / (LAMBDA * 11)}
    s = kernelopt.solve(X, y, family=family, solver="ipm", criterion=criterion, scale="paper", tol=1e-7)
    assert LAMBDA * s.certificate.upper == pytest.approx(wanted, rel=1e-5)
    assert LAMBDA * s.certificate.lower == pytest.approx(wanted, rel=1e-5)
    assert s.mixture.mass == pytest.approx(total)
