"""The eliminated Newton direction against the equations themselves, solved with every unknown at once."""

from functools import cache

import attrs
import numpy as np
import pytest
import scipy.linalg

from kernelopt._families._matrix import MatrixFamily
from kernelopt.interior import MatrixBlock, Saddle, matrix_block, on_atoms
from kernelopt.interior._direction import Correction, Direction
from kernelopt.interior._newton import Newton
from kernelopt.interior._step import _second_order
from kernelopt.testing import Affine

EITHER = pytest.mark.usefixtures("factorisation")
MU = 0.07
TOLERANCE = 1e-8


class Equations:
    """The optimality conditions of a saddle as one function F of a vector of unknowns; F is quadratic.

    Unknowns: alpha that can move, b, tau, the parameters' entries, the slacks z and u that exist, the slacks' entries.
    The kernels' Grams come from `gram_of` at unit entries and from single atoms; nothing is shared with the couplings.
    """

    def __init__(self, saddle, point):
        self.qp, self.outputs, self.at = saddle.qp, saddle.outputs, point
        self.movable = self.qp.upper > self.qp.lower
        self.lower = self.movable & np.isfinite(self.qp.lower)
        self.upper = self.movable & np.isfinite(self.qp.upper)
        self.grams = [grams_of(block) for block in saddle.blocks]
        self.roots = [z if z.ndim == 1 else np.real(scipy.linalg.sqrtm(z)) for z in point.Z]
        sizes = [self.movable.sum(), len(point.b), 1, *(len(entries(s)) for s in point.S)]
        sizes += [self.lower.sum(), self.upper.sum(), *(len(entries(s)) for s in point.S)]
        self.ends = np.cumsum(sizes)[:-1]

    def pack(self, one):
        return np.concatenate(
            [
                one.alpha[self.movable],
                one.b,
                [one.tau],
                *map(entries, one.S),
                one.z[self.lower],
                one.u[self.upper],
                *map(entries, one.Z),
            ]
        )

    def unpack(self, x):
        pieces = np.split(x, self.ends)
        m = len(self.at.S)
        alpha, z, u = self.at.alpha.copy(), np.zeros(self.qp.size), np.zeros(self.qp.size)
        alpha[self.movable], z[self.lower], u[self.upper] = pieces[0], pieces[3 + m], pieces[4 + m]
        S = [spelled(piece, like) for piece, like in zip(pieces[3 : 3 + m], self.at.S, strict=True)]
        Z = [spelled(piece, like) for piece, like in zip(pieces[5 + m :], self.at.Z, strict=True)]
        return alpha, pieces[1], float(pieces[2][0]), S, z, u, Z

    def __call__(self, x):
        """F, in the order of the unknowns' equations; complementarity is left as a product."""
        alpha, b, tau, S, z, u, Z = self.unpack(x)
        qp, c = self.qp, len(self.outputs)
        v = np.zeros(qp.n)
        for i in range(qp.size):
            v[qp.sample[i]] += qp.sign[i] * alpha[i]
        columns = v.reshape(c, -1)
        f = sum(np.einsum("e,eij,cj->ci", entries(s), G, columns) for s, G in zip(S, self.grams, strict=True))
        f = f + np.array([one.bias_cost * w.sum() for one, w in zip(self.outputs, columns, strict=True)])[:, None]
        slope = qp.linear - qp.curvature * alpha - qp.sign * f.ravel()[qp.sample] + z - u
        sums = np.zeros(len(b))
        for i in np.flatnonzero(qp.group >= 0):
            slope[i] -= qp.coefficient[i] * b[qp.group[i]]
            sums[qp.group[i]] += qp.coefficient[i] * alpha[i]
        slacks, products = [], []
        for s, slack, G, root in zip(S, Z, self.grams, self.roots, strict=True):
            D = spelled(adjoint_entries(np.einsum("eij,ci,cj->e", G, columns, columns), s), s)
            slacks.append(entries(slack - tau * (np.eye(len(s)) if s.ndim == 2 else 1.0) + 0.5 * D))
            products.append(entries(scaled_product(s, slack, root)))
        return np.concatenate(
            [
                slope[self.movable],
                sums - qp.target,
                [sum(s.sum() if s.ndim == 1 else np.trace(s) for s in S) - 1.0],
                *slacks,
                (z * (alpha - np.where(self.lower, qp.lower, 0.0)))[self.lower],
                (u * (np.where(self.upper, qp.upper, 0.0) - alpha))[self.upper],
                *products,
            ]
        )

    def wanted(self, mu):
        """What F is to be: mu in every complementarity product, else 0."""
        count = len(self.pack(self.at)) - sum(len(entries(s)) for s in self.at.S)
        bounds = int(self.lower.sum() + self.upper.sum())
        units = [entries(np.eye(len(s)) if s.ndim == 2 else np.ones(len(s))) for s in self.at.S]
        return mu * np.concatenate([np.zeros(count - bounds), np.ones(bounds), *units])

    def jacobian(self):
        """By central differences of length 1, which are exact for a quadratic function."""
        x = self.pack(self.at)
        return np.column_stack([0.5 * (self(x + e) - self(x - e)) for e in np.eye(len(x))])


def grams_of(block):
    """The Gram of every entry of the block's parameters, shape (entries, n, n)."""
    family, factor = block.leaf.family, block.leaf.factor
    if hasattr(block, "atoms"):
        if isinstance(family, MatrixFamily):
            return np.stack([factor * family.gram_of(np.outer(p, p), block.data).dense() for p in block.atoms])
        one = [block.part(e).kept() for e in np.eye(len(block.atoms))]
        return np.stack([factor * np.array(family.gram(part, block.data).dense()) for part in one])
    k = len(block.start)
    U = np.eye(k) if block.basis is None else block.basis
    grams = []
    for a, b in zip(*above(k), strict=True):
        E = np.zeros((k, k))
        E[a, b] = E[b, a] = 1.0
        grams.append(factor * family.gram_of(U @ E @ U.T, block.data).dense())
    return np.stack(grams)


above = cache(np.triu_indices)
"""The places of a symmetric matrix's entries."""


def entries(S):
    return S if S.ndim == 1 else S[above(len(S))]


def spelled(x, like):
    if like.ndim == 1:
        return x
    S = np.zeros(like.shape)
    row, column = above(len(like))
    S[row, column] = S[column, row] = x
    return S


def adjoint_entries(products, like):
    """<D, E> of the entries' unit matrices as the entries of D: off the diagonal they count twice."""
    if like.ndim == 1:
        return products
    row, column = above(len(like))
    return np.where(row == column, 1.0, 0.5) * products


def scaled_product(S, Z, root):
    """sym(Q S Z Q^-1) with Q the square root of the point's own Z: the HKM form of S Z = mu I."""
    if S.ndim == 1:
        return S * Z
    M = root @ S @ Z @ np.linalg.inv(root)
    return 0.5 * (M + M.T)


def close(got, wanted):
    for name in ("alpha", "b", "tau", "S", "z", "u", "Z"):
        mine, theirs = getattr(got, name), getattr(wanted, name)
        for one, other in zip(mine, theirs, strict=True) if isinstance(mine, tuple) else ((mine, theirs),):
            size = np.abs(other).max(initial=0.0)
            assert np.abs(one - other).max(initial=0.0) <= TOLERANCE * size, name


def brute_force(equations, J, right):
    """The solution of J d = right; fixed variables do not move."""
    alpha, *rest = equations.unpack(np.linalg.solve(J, right))
    b, tau, S, z, u, Z = rest
    return Direction(np.where(equations.movable, alpha, 0.0), b, tau, tuple(S), z, u, tuple(Z))


@pytest.fixture(scope="module")
def jacobians():
    """Those of the equations, which know of no factorisation: by what was asked for."""
    return {}


def check(saddle, point, jacobians, asked):
    """Predictor, centred direction and corrector are those of the equations."""
    system, equations = Newton.at(saddle, point), Equations(saddle, point)
    x = equations.pack(point)
    if asked not in jacobians:
        jacobians[asked] = equations.jacobian()
    J = jacobians[asked]
    predictor = system.direction(0.0)
    close(predictor, brute_force(equations, J, -equations(x)))
    close(system.direction(MU), brute_force(equations, J, equations.wanted(MU) - equations(x)))
    d = equations.pack(predictor)
    second = equations(x + d) - equations(x) - J @ d
    corrected = system.direction(MU, _second_order(saddle, system, predictor))
    close(corrected, brute_force(equations, J, equations.wanted(MU) - equations(x) - second))
    return system


@EITHER
def test_direction_is_that_of_all_equations(make_saddle, random_point, case, jacobians):
    saddle = make_saddle(*case)
    check(saddle, random_point(saddle, np.random.default_rng(1)), jacobians, case)


HELD = {
    "svc": [(0, 1, 0.0), (0, 4, 2.0)],
    "svr": [(0, 1, 0.0), (0, 7, 1.5), (0, 2, 0.3)],
    "nu-svr": [(0, 0, 0.0), (0, 6, 0.0), (0, 9, 1.5)],
    "nu-svc": [(0, 0, 1.0), (0, 3, 0.2)],
    "ridge": [(0, 2, 0.5)],
    "svc, two outputs": [(0, 1, 0.0), (1, 1, 2.0), (1, 3, 0.0)],
    "svr, two outputs": [(0, 1, 0.0), (0, 7, 0.0), (1, 1, 1.5), (1, 2, 0.0)],
}


@EITHER
@pytest.mark.parametrize("name", list(HELD))
def test_fixed_variables_are_left_out(make_saddle, random_point, union_name, name, jacobians):
    saddle = make_saddle(name, union_name, hold=HELD[name])
    system = check(saddle, random_point(saddle, np.random.default_rng(2)), jacobians, ("held", union_name, name))
    direction = system.direction(MU)
    fixed = saddle.qp.lower == saddle.qp.upper
    assert fixed.sum() == len(HELD[name])
    for step in (direction.alpha, direction.z, direction.u):
        assert (step[fixed] == 0.0).all()


def test_samples_with_nothing_to_move_leave_the_system(make_saddle, random_point):
    saddle = make_saddle("svr", "matrix", hold=[(0, 1, 0.0), (0, 7, 1.5), (0, 2, 0.3)])
    system = Newton.at(saddle, random_point(saddle, np.random.default_rng(2)))
    assert system.rows.tolist() == [0, 2, 3, 4, 5]
    assert all(coupling.n == 5 for coupling in system.couplings)


@pytest.mark.parametrize("name", ["svc", "svr", "svc, two outputs"])
def test_blocks_that_hold_a_part_of_the_parameters(make_problem, random_point, name):
    problem = make_problem(name, "matrix")
    (leaf,), (data,) = problem.leaves, problem.data
    rng = np.random.default_rng(3)
    basis = np.linalg.qr(rng.normal(size=(3, 2)))[0]
    atoms = rng.normal(size=(4, 3))
    for block in (MatrixBlock(leaf, data, basis), on_atoms(leaf, data, atoms)):
        saddle = Saddle.of(problem, (block,))
        check(saddle, random_point(saddle, rng), {}, None)


def test_direction_leaves_no_linear_residual_on_a_larger_problem(make_problem, whole_blocks, random_point):
    """The equations of a tessellated kernel and two more leaves, linearised with the families' own methods."""
    tk = pytest.importorskip("kernelopt_tk").TK()
    problem = make_problem("svr", (tk, Affine()), n=30)
    saddle = Saddle.of(problem, whole_blocks(problem))
    point = random_point(saddle, np.random.default_rng(4))
    qp, system = saddle.qp, Newton.at(saddle, point)
    d = system.direction(0.0)
    v, dv = qp.embed(point.alpha), qp.embed(d.alpha)
    df = saddle.image(point.S, dv) + saddle.image(d.S, v)
    A = np.where(qp.group == 0, qp.coefficient, 0.0)[None]
    terms = (qp.curvature * d.alpha, qp.sign * df[qp.sample], A.T @ d.b, d.z, d.u, system.rd)
    left = -terms[0] - terms[1] - terms[2] + terms[3] - terms[4] + terms[5]
    assert np.abs(left).max() <= 1e-9 * max(np.abs(term).max() for term in terms)
    assert np.abs(A @ (point.alpha + d.alpha) - qp.target).max() <= 1e-9 * np.abs(d.alpha).sum()
    assert sum(np.trace(s + ds) for s, ds in zip(point.S, d.S, strict=True)) == pytest.approx(1.0, abs=1e-8)
    cross = [0.25 * (plus - minus) for plus, minus in zip(saddle.adjoint(v + dv), saddle.adjoint(v - dv), strict=True)]
    for D, rz, dZ in zip(cross, system.rz, d.Z, strict=True):
        assert np.abs(rz + dZ - d.tau * np.eye(len(D)) + D).max() <= 1e-9 * (np.abs(D).max() + np.abs(rz).max())
    for S, Z, dS, dZ in zip(point.S, point.Z, d.S, d.Z, strict=True):
        bent = S @ dZ @ np.linalg.inv(Z)
        assert np.abs(S + dS + 0.5 * (bent + bent.T)).max() <= 1e-9 * np.abs(bent).max()
    assert np.allclose(point.alpha * (point.z + d.z) + point.z * d.alpha, 0.0, atol=1e-9 * np.abs(d.z).max())


def test_order_of_samples_permutes_the_direction(make_problem, whole_blocks, random_point):
    problem = make_problem("svr", "matrix, list and identity", n=7)
    order = np.random.default_rng(5).permutation(7)
    both = np.concatenate([order, 7 + order])
    qp = problem.outputs[0]
    moved = attrs.evolve(qp, **{k: getattr(qp, k)[both] for k in ("linear", "curvature", "lower", "upper")})
    data = tuple(leaf.family.bind(np.array(X)[order]) for leaf, X in zip(problem.leaves, problem.data, strict=True))
    other = attrs.evolve(problem, data=data, outputs=(moved,))
    first, second = (Saddle.of(one, whole_blocks(one)) for one in (problem, other))
    point = random_point(first, np.random.default_rng(6))
    there = attrs.evolve(point, alpha=point.alpha[both], z=point.z[both], u=point.u[both])
    ours, theirs = (Newton.at(s, p).direction(MU, none(s)) for s, p in ((first, point), (second, there)))
    assert theirs.alpha == pytest.approx(ours.alpha[both], rel=1e-9, abs=1e-10)
    assert theirs.tau == pytest.approx(ours.tau, rel=1e-9)
    for one, two in zip(ours.S, theirs.S, strict=True):
        assert two == pytest.approx(one, rel=1e-8, abs=1e-9)


def none(saddle):
    zero, cones = np.zeros(saddle.qp.size), tuple(np.zeros_like(block.start) for block in saddle.blocks)
    return Correction(zero, zero, cones, np.zeros(saddle.qp.n), cones)


def test_two_equal_outputs_are_one_of_twice_the_objective(make_problem, whole_blocks, random_point):
    """max 2 h(a) - v'Kv is h with linear, box and targets times sqrt 2, in a' = sqrt(2) a: at mu = 0, where every
    equation is homogeneous, the directions are one."""
    single = make_problem("l2-svc", "matrix, list and identity")
    (qp,), root = single.outputs, np.sqrt(2.0)
    pair = attrs.evolve(single, outputs=(qp, qp))
    linear, target = root * qp.linear, root * qp.target
    scaled = attrs.evolve(qp, linear=linear, lower=root * qp.lower, upper=root * qp.upper, target=target)
    doubled = attrs.evolve(single, outputs=(scaled,))
    two, one = (Saddle.of(problem, whole_blocks(problem)) for problem in (pair, doubled))
    at = random_point(one, np.random.default_rng(7))
    wide = {name: np.tile(getattr(at, name) / root, 2) for name in ("alpha", "b", "z", "u")}
    ours, theirs = Newton.at(two, attrs.evolve(at, **wide)), Newton.at(one, at)
    got, wanted = ours.direction(0.0), theirs.direction(0.0)
    for name in wide:
        assert getattr(got, name) == pytest.approx(np.tile(getattr(wanted, name) / root, 2), rel=1e-8, abs=1e-10)
    assert got.tau == pytest.approx(wanted.tau, rel=1e-9)
    for mine, his in zip((*got.S, *got.Z), (*wanted.S, *wanted.Z), strict=True):
        assert mine == pytest.approx(his, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("name", ["svc", "svr", "lagrangian-svc", "svc, two outputs"])
@pytest.mark.parametrize("narrow", [False, True])
def test_features_and_matrices_have_one_direction(make_problem, whole_blocks, random_point, name, narrow):
    """Where they are thin the system is never formed; the direction is that of the block which forms everything."""
    problem = make_problem(name, "features", n=40)
    (leaf,), (data,) = problem.leaves, problem.data
    basis = np.linalg.qr(np.random.default_rng(1).normal(size=(4, 3)))[0] if narrow else None
    thin, dense = (
        Saddle.of(problem, (block,)) for block in (matrix_block(leaf, data, basis), MatrixBlock(leaf, data, basis))
    )
    assert thin.thin
    assert not dense.thin
    point = random_point(thin, np.random.default_rng(2))
    close(*(Newton.at(saddle, point).direction(MU, none(saddle)) for saddle in (thin, dense)))


def test_several_outputs_are_thin_only_where_the_parameters_are_few(make_problem, whole_blocks):
    for n, thin in ((15, False), (60, True)):
        problem = make_problem("svc, two outputs", "features", n=n)
        saddle = Saddle.of(problem, whole_blocks(problem))
        assert 2 * saddle.parameters == 20
        assert saddle.thin is thin
