"""A direction that a near wall would stop is bent away from it, and only the products that lag or lead are changed."""

import numpy as np
import pytest

from kernelopt._linalg._cones import half_inverse, inverse
from kernelopt.interior import advance, central
from kernelopt.interior._centrality import _ENOUGH, _LEAST, _MOST, _lagging, _missing, _towards_the_middle, centred
from kernelopt.interior._newton import Newton
from kernelopt.interior._step import _second_order

MU = 0.3


def corrected(saddle, point):
    """The system, its correction, and the corrected direction to MU."""
    system = Newton.at(saddle, point)
    correction = _second_order(saddle, system, system.direction(0.0))
    return system, correction, system.direction(MU, correction)


def test_a_bent_direction_goes_further_or_is_not_taken(make_saddle, random_point, case):
    saddle = make_saddle(*case)
    for seed in range(3):
        system, correction, direction = corrected(saddle, random_point(saddle, np.random.default_rng(seed)))
        farthest = system.longest(direction)
        bent, further = centred(system, direction, farthest, MU, correction)
        assert further >= farthest
        assert further == system.longest(bent)
        assert (bent is direction) == (further == farthest)
        assert farthest < _ENOUGH or bent is direction


def test_only_what_lags_or_leads_is_asked_to_change(make_saddle, random_point, case):
    """z da + l dz grows by what the product misses after the step."""
    saddle = make_saddle(*case)
    system, correction, direction = corrected(saddle, random_point(saddle, np.random.default_rng(5)))
    p, step = system.point, 0.7
    bent = system.direction(MU, _towards_the_middle(system, direction, step, MU, correction))
    lower, upper = saddle.qp.walls
    low, high = (p.alpha - saddle.qp.lower)[lower], (saddle.qp.upper - p.alpha)[upper]

    def linear(one):
        return p.z[lower] * one.alpha[lower] + low * one.z[lower], high * one.u[upper] - p.u[upper] * one.alpha[upper]

    def after(distance, slack, move, change):
        return (distance + step * move) * (slack + step * change)

    products = (
        after(low, p.z[lower], direction.alpha[lower], direction.z[lower]),
        after(high, p.u[upper], -direction.alpha[upper], direction.u[upper]),
    )
    for before, now, product in zip(linear(direction), linear(bent), products, strict=True):
        size = np.abs(product).max(initial=1.0)
        np.testing.assert_allclose(now - before, _missing(product, MU), atol=1e-7 * size)


def test_products_are_brought_between_multiples_of_mu():
    products = np.concatenate([np.geomspace(1e-3, 2.0 * _MOST, 50), [-1.0, 0.0, 100.0 * _MOST]]) * MU
    missing = _missing(products, MU)
    brought = products + missing
    assert (brought[:-1] >= (1.0 - 1e-12) * _LEAST * MU).all()
    assert (brought[:-1] <= (1.0 + 1e-12) * _MOST * MU).all()
    assert missing[-1] == -_MOST * MU  # no product pays with more than the largest that is left alone
    between = (products >= _LEAST * MU) & (products <= _MOST * MU)
    assert between.any()
    assert not missing[between].any()


@pytest.mark.parametrize("product", [1e-3, 1.0, 50.0])
def test_matrices_that_commute_miss_what_their_eigenvalues_miss(product):
    rng = np.random.default_rng(0)
    F = rng.normal(size=(5, 5))
    Z = F @ F.T + np.eye(5)
    S = product * MU * inverse(Z)
    expected = _missing(np.array([product * MU]), MU)[0] * inverse(Z)
    np.testing.assert_allclose(_lagging(half_inverse(Z), S, Z, MU), expected, atol=1e-10)
    weights = rng.uniform(0.5, 2.0, size=4)
    expected = _missing(np.full(4, product * MU), MU) / weights
    np.testing.assert_allclose(_lagging(half_inverse(weights), product * MU / weights, weights, MU), expected)


def test_the_path_is_shorter_for_it(make_saddle, monkeypatch):
    names = ["svc", "l2-svc", "nu-svc", "svr", "nu-svr", "one-class"]
    saddles = [make_saddle(name, "features, matrix and identity", n=40, seed=3) for name in names]

    def steps(saddle):
        point, taken = central(saddle), 0
        wanted = 1e-6 * point.complementarity(saddle.qp)
        while not point.reached(saddle.qp, wanted):
            point, taken = advance(saddle, point), taken + 1
        return taken

    bent = [steps(saddle) for saddle in saddles]
    monkeypatch.setattr("kernelopt.interior._centrality._ENOUGH", 0.0)
    plain = [steps(saddle) for saddle in saddles]
    assert sum(bent) < sum(plain), (bent, plain)
