"""The system of few calls has the directions of the general one, and stands in for it only where it can."""

import attrs
import numpy as np
import pytest

from kernelopt.interior import Image, Saddle, advance, central
from kernelopt.interior._newton import Newton
from kernelopt.interior._quick import Quick, system_at
from kernelopt.interior._step import _second_order

MU = 0.07
PLAIN = ["svc", "l2-svc", "lagrangian-svc", "nu-svc", "margin", "one-class", "ridge"]
QUICK = [(name, union) for name in PLAIN for union in ("matrix", "list")]


def both(saddle, point):
    image = Image.of(saddle, point.alpha, point.S)
    quick = system_at(saddle, point, image)
    assert isinstance(quick, Quick)
    return Newton.at(saddle, point, image), quick


def numbers(direction):
    return [np.ravel(one) for one in (*attrs.astuple(direction, recurse=False)[:3], direction.z, direction.u)] + [
        np.ravel(one) for one in (*direction.S, *direction.Z)
    ]


@pytest.mark.parametrize(("name", "union"), QUICK)
def test_the_directions_are_those_of_the_general_system(make_saddle, random_point, name, union):
    saddle = make_saddle(name, union, n=4)
    general, quick = both(saddle, random_point(saddle, np.random.default_rng(1)))
    correction = _second_order(saddle, general, general.direction(0.0))
    assert quick.residual == pytest.approx(general.residual, rel=1e-10)
    for mu, lost in ((0.0, None), (MU, correction)):
        wanted, got = general.direction(mu, lost), quick.direction(mu, lost)
        for one, other in zip(numbers(wanted), numbers(got), strict=True):
            assert np.abs(one - other).max(initial=0.0) <= 1e-9 * np.abs(one).max(initial=1e-3)
        assert quick.longest(got) == pytest.approx(general.longest(wanted), rel=1e-8)


@pytest.mark.parametrize(("name", "union"), QUICK)
def test_the_path_is_that_of_the_general_system(make_saddle, monkeypatch, name, union):
    def path():
        saddle = make_saddle(name, union, n=8, seed=2)
        point = central(saddle)
        for _ in range(4):
            point = advance(saddle, point)
        return point

    quick = path()
    monkeypatch.setattr("kernelopt.interior._quick.is_quick", lambda _: False)
    general = path()
    assert quick.alpha == pytest.approx(general.alpha, rel=1e-6, abs=1e-8)
    assert quick.tau == pytest.approx(general.tau, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "union", "options"),
    [
        ("svr", "matrix", {}),
        ("svc, two outputs", "matrix", {}),
        ("svc", "matrix, list and identity", {}),
        ("svc", "matrix", {"hold": [(0, 1, 0.0)]}),
        ("svc", "features", {"n": 40}),
    ],
)
def test_other_saddles_have_the_general_system(make_saddle, random_point, name, union, options):
    saddle = make_saddle(name, union, **options)
    assert isinstance(system_at(saddle, random_point(saddle, np.random.default_rng(1))), Newton)


def test_a_free_total_has_the_general_system(make_problem, whole_blocks, random_point):
    problem = make_problem("svc", "matrix")
    saddle = attrs.evolve(Saddle.of(problem, whole_blocks(problem)), total=None)
    assert isinstance(system_at(saddle, random_point(saddle, np.random.default_rng(1))), Newton)
