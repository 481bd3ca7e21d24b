"""Where the interior point starts, and what a step keeps."""

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kernelopt
from kernelopt._criteria._dual_qp import DualQP
from kernelopt._criteria._kkt import balanced, width
from kernelopt.interior import Image, Saddle, Stuck, advance, central, inward, middle, resumed
from kernelopt.testing import Affine


def lowest(S):
    return float(S.min() if S.ndim == 1 else np.linalg.eigvalsh(S)[0])


def assert_inside(qp, point):
    lower, upper = qp.walls
    assert (point.alpha[lower] > qp.lower[lower]).all()
    assert (point.alpha[upper] < qp.upper[upper]).all()
    assert (point.z[lower] > 0.0).all()
    assert (point.u[upper] > 0.0).all()
    assert (point.z[~lower] == 0.0).all()
    assert (point.u[~upper] == 0.0).all()
    fixed = qp.lower == qp.upper
    assert (point.alpha[fixed] == qp.lower[fixed]).all()
    assert min(lowest(s) for s in (*point.S, *point.Z)) > 0.0


def solved(saddle, steps=40, gap=1e-7):
    """The path from the middle, as far as it goes, and how many steps it took to this relative gap."""
    points = [central(saddle)]
    size = None
    while len(points) <= steps:
        try:
            points.append(advance(saddle, points[-1]))
        except Stuck:
            break
        size = np.abs(saddle.qp.linear @ points[-1].alpha) + points[-1].tau
        if points[-1].reached(saddle.qp, gap * size):
            break
    return points, size


def test_the_middle_is_strictly_inside_andbalanced(make_saddle, case):
    saddle = make_saddle(*case)
    point = central(saddle)
    assert_inside(saddle.qp, point)
    assert saddle.qp.violation(point.alpha) <= 1e-12 * np.abs(point.alpha).sum()
    assert sum(np.sum(s) if s.ndim == 1 else np.trace(s) for s in point.S) == pytest.approx(1.0)


def test_the_middle_is_the_same_from_its_image(make_saddle, case):
    saddle = make_saddle(*case)
    alpha, S = middle(saddle)
    plain, known = central(saddle), central(saddle, Image.of(saddle, alpha, S))
    assert np.array_equal(known.alpha, alpha)
    assert known.tau == pytest.approx(plain.tau, rel=1e-9)
    for one, other in zip((plain.z, plain.u, *plain.Z), (known.z, known.u, *known.Z), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-8, atol=1e-8)


def test_a_start_from_an_answer_on_its_walls_is_strictly_inside_nearer_to_it_and_as_far_as_the_gap(make_saddle, case):
    saddle = make_saddle(*case)
    qp, center = saddle.qp, central(saddle)
    walls = np.where(np.arange(qp.size) % 2, qp.lower, qp.upper)
    answer = np.where(np.isfinite(walls), walls, center.alpha + 1.0)
    point, image = inward(saddle, answer, 5.0, 0.8)
    assert_inside(qp, point)
    np.testing.assert_allclose(
        point.alpha - center.alpha, 0.8 * (answer - center.alpha), atol=1e-12 * np.abs(answer).max()
    )
    np.testing.assert_array_equal(image.v, qp.embed(point.alpha))
    wider, _ = inward(saddle, answer, 50.0, 0.8)
    assert point.complementarity(qp) < wider.complementarity(qp)
    assert wider.complementarity(qp) - point.complementarity(qp) == pytest.approx(0.3 * 45.0, rel=1e-6)


def test_the_middle_respects_fixed_variables(make_saddle, union_name):
    saddle = make_saddle("svr, two outputs", union_name, hold=[(0, 1, 0.0), (0, 7, 1.5), (1, 2, 0.3)])
    point = central(saddle)
    assert_inside(saddle.qp, point)
    assert saddle.qp.violation(point.alpha) <= 1e-12 * np.abs(point.alpha).sum()


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_path_is_the_same_in_any_unit_of_the_targets(make_saddle, union_name, unit):
    saddle = make_saddle("ridge", union_name)
    qp = attrs.evolve(saddle.qp, linear=unit * saddle.qp.linear)
    outputs = tuple(attrs.evolve(one, linear=unit * one.linear) for one in saddle.outputs)
    scaled = attrs.evolve(saddle, qp=qp, outputs=outputs)
    for one, other in zip(solved(saddle)[0], solved(scaled)[0], strict=True):
        assert other.alpha == pytest.approx(unit * one.alpha, rel=1e-6, abs=1e-6 * unit * np.abs(one.alpha).max())
        assert other.tau == pytest.approx(unit**2 * one.tau, rel=1e-6)


@settings(max_examples=100, derandomize=True)
@given(seed=st.integers(0, 2**31), up=st.integers(0, 12), down=st.integers(0, 12), fixed=st.integers(0, 3))
def test_any_box_with_room_isbalanced(seed, up, down, fixed):
    """One equality of both signs, boxes of any size, some of them points: a target that the inside meets is met."""
    if up + down < fixed + 1:
        return
    rng = np.random.default_rng(seed)
    n = up + down
    coefficient = np.where(np.arange(n) < up, 1.0, -1.0)
    lower = rng.normal(size=n)
    upper = lower + np.where(rng.permutation(n) < fixed, 0.0, rng.uniform(0.5, 2.0, size=n))
    levels = np.where(coefficient > 0, *rng.uniform(0.05, 0.95, size=2))
    target = np.array([coefficient @ (lower + levels * (upper - lower))])
    qp = DualQP(
        n=n,
        linear=np.ones(n),
        curvature=np.zeros(n),
        lower=lower,
        upper=upper,
        sample=np.arange(n),
        sign=coefficient,
        group=np.zeros(n, dtype=np.int64),
        coefficient=coefficient,
        target=target,
    )
    alpha = balanced(qp)
    assert qp.violation(alpha) <= 1e-12 * (1.0 + np.abs(alpha).sum())
    free = lower < upper
    assert (alpha[free] > lower[free]).all()
    assert (alpha[free] < upper[free]).all()


def test_every_step_stays_strictly_inside(make_saddle, case):
    saddle = make_saddle(*case)
    points, _ = solved(saddle)
    assert len(points) > 3
    for point in points:
        assert_inside(saddle.qp, point)


def test_steps_from_anywhere_stay_strictly_inside(make_saddle, random_point, union_name):
    for seed in range(6):
        saddle = make_saddle("svr, two outputs", union_name, seed=seed, hold=[(0, 1, 0.0), (0, 7, 1.5)])
        point = random_point(saddle, np.random.default_rng(seed))
        for _ in range(8):
            point = advance(saddle, point)
            assert_inside(saddle.qp, point)


def test_the_path_ends_at_the_optimum(make_problem, whole_blocks, case):
    """The point's own bounds, by the problem's arithmetic: a kernel and dual variables with a closed gap."""
    problem = make_problem(*case, n=16)
    saddle = Saddle.of(problem, whole_blocks(problem))
    points, _ = solved(saddle)
    upper, lower = bounds(problem, saddle, points[-1])
    assert lower <= upper + 1e-9 * abs(upper)
    assert upper - lower <= 1e-5 * max(abs(upper), abs(lower), 0.1)


def bounds(problem, saddle, point):
    alphas = saddle.split(point.alpha)
    response = problem.assess(saddle.mixture(point.S), alphas)
    return response.upper, problem.ceiling(problem.points(alphas)).lower


@pytest.mark.parametrize("name", ["svc", "svr", "l2-svc", "svc, two outputs", "lagrangian-svc"])
def test_a_start_at_the_optimum_stays_near_it(make_problem, whole_blocks, union_name, name):
    """No variable goes further than a tenth of its width, the bounds stay close, the rest of the way is no longer."""
    problem = make_problem(name, union_name, n=12)
    saddle = Saddle.of(problem, whole_blocks(problem))
    points, size = solved(saddle)
    last = points[-1]
    for share in (1e-3, 1e-5):
        again = resumed(saddle, last.alpha, saddle.scaled(last.S), share * size)
        assert_inside(saddle.qp, again)
        assert (np.abs(again.alpha - last.alpha) <= 0.1001 * width(saddle.qp, last.alpha)).all()
        high, low = bounds(problem, saddle, again)
        assert high - low <= 0.1 * size
        assert len(solved_from(saddle, again, 1e-7 * size)) <= len(points)


def solved_from(saddle, point, gap):
    points = [point]
    while not points[-1].reached(saddle.qp, gap) and len(points) < 40:
        points.append(advance(saddle, points[-1]))
    return points


def test_a_start_on_the_walls_is_pushed_off_them(make_problem, whole_blocks):
    """Feasible alpha on its bounds, and a kernel of one atom."""
    problem = make_problem("svc", "matrix", n=12)
    saddle = Saddle.of(problem, whole_blocks(problem))
    alpha = np.where(np.arange(12) < 4, 2.0, 0.0)
    point = resumed(saddle, alpha, (np.diag([1.0, 0.0, 0.0]),), 1.0)
    assert_inside(saddle.qp, point)


def test_a_start_without_slack_is_stuck(make_problem, whole_blocks):
    """Where mu is below the rounding of what the kernels are worth, the best one has no slack left."""
    problem = make_problem("svc", "list", n=12)
    saddle = Saddle.of(problem, whole_blocks(problem))
    with pytest.raises(Stuck, match="no slack"):
        resumed(saddle, np.full(12, 0.5), tuple(block.start for block in saddle.blocks), 1e-30)


def test_stuck_says_why(make_saddle, random_point):
    saddle = make_saddle("svc", "matrix")
    point = random_point(saddle, np.random.default_rng(0))
    broken = attrs.evolve(point, Z=tuple(-z for z in point.Z))
    with pytest.raises(Stuck, match="positive definite"):
        advance(saddle, broken)


def test_held_variables_are_those_of_the_smaller_problem():
    """Variables held at 0 leave the optimum of the samples that remain."""
    from kernelopt._families._leaf import Leaf
    from kernelopt._saddle._problem import Problem
    from kernelopt.interior import MatrixBlock

    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(14, 2)), np.where(np.arange(14) % 2, 1.0, -1.0)
    gone = np.arange(14) >= 10

    def value(rows, hold):
        family = Affine().prepare(X[rows], np.ones(rows.sum()))
        leaf = Leaf(family, np.arange(2))
        (qp,) = kernelopt.SVC(C=1.0).outputs(y[rows][:, None], np.ones((rows.sum(), 1)))
        qp = attrs.evolve(qp, upper=np.where(hold[rows], 0.0, qp.upper))
        problem = Problem((leaf,), (X[rows],), kernelopt.SVC(C=1.0), (qp,))
        saddle = Saddle.of(problem, (MatrixBlock(leaf, X[rows]),))
        return problem.ceiling(problem.points(saddle.split(solved(saddle)[0][-1].alpha))).lower

    everyone, nobody = np.ones(14, dtype=bool), np.zeros(14, dtype=bool)
    assert value(everyone, gone) == pytest.approx(value(~gone, nobody), rel=1e-5)
