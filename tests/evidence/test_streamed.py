"""Lists whose Grams are computed in tiles say what lists that hold them say, and are certified alike."""

import attrs
import numpy as np
import pytest
from sklearn.metrics.pairwise import pairwise_kernels

import kernelopt
from kernelopt import InvalidData, Status
from kernelopt._evidence import _scoring
from kernelopt._families._binding import tightened
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Part
from kernelopt._families.dictionary import _streamed
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary._streamed import Streamed, in_play
from kernelopt._families.dictionary.grams import _blocks, _gram_parts, _hybrid_storage, _tiles
from kernelopt._families.dictionary.grams._gram_parts import lower_tiles, tiled_bytes
from kernelopt._families.dictionary.grams._hybrid_storage import Split
from kernelopt._linalg._gram import Dense
from kernelopt.testing import ConcaveSolverSuite
from kernelopt.testing._concave_suite import evidence_problems

N = 53


def triangle(A, B):
    return np.maximum(1.0 - np.abs(A[:, :1] - B[:, :1].T) / 9.0, 0.0)


LIST = ("linear", triangle, ("rbf", {"gamma": 0.3}), ("laplacian", {"gamma": 0.5}), ("poly", {"degree": 2}), "rbf")


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch):
    """So that a few rows are many tiles, of other rows where they are held than where they are computed."""
    monkeypatch.setattr(_gram_parts, "_CACHED", 7 * N)
    monkeypatch.setattr(_gram_parts, "_HELD", 5 * N)


@pytest.fixture(autouse=True, params=[0, 128], ids=["tiles", "features"])
def _few(request, monkeypatch):
    """Whether Grams are held as features where few span them."""
    monkeypatch.setattr(_hybrid_storage, "_FEW", request.param)


@pytest.fixture
def X():
    return np.random.default_rng(1).normal(size=(N, 3))


@pytest.fixture(params=["trace", "variance", "diagonal", None])
def family(request, X):
    return Dictionary(LIST, normalize=request.param).prepare(X, np.ones(N))


def asked(c=2, seed=0):
    """V (n, c) and a positive definite Omega."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(N, N))
    return rng.normal(size=(N, c)), Dense(root @ root.T + np.eye(N))


def parts(m, k=3):
    rng = np.random.default_rng(2)
    return Part(rng.choice(m, size=k, replace=False)[:, None].astype(float), rng.uniform(0.5, 2.0, size=k))


def test_tiles_sum_up_to_what_whole_grams_do(family, X):
    streamed, held = Streamed(family), family.bind(X)
    data = streamed.bind(X)
    V, omega = asked()
    part = parts(len(LIST))
    np.testing.assert_allclose(streamed.gram(part, data).dense(), family.gram(part, held).dense(), atol=1e-12)
    np.testing.assert_allclose(streamed.apply(part, data, V), family.apply(part, held, V), atol=1e-10)
    np.testing.assert_allclose(streamed.columns_of(data, V), family.columns_of(held, V), atol=1e-10)
    np.testing.assert_allclose(streamed.values_of(data, V), family.values_of(held, V), rtol=1e-10)
    np.testing.assert_allclose(streamed.traces(data, omega), family.traces(held, omega), rtol=1e-10)
    images, traces = data.surveyed(V, omega)
    np.testing.assert_allclose(images, family.columns_of(held, V), atol=1e-10)
    np.testing.assert_allclose(traces, family.traces(held, omega), rtol=1e-10)


def test_atoms_in_play_are_those_of_the_list(family, X):
    leaf = Leaf(Streamed(family), np.arange(3))
    data, held = leaf.family.bind(X), family.bind(X)
    V, omega = asked()
    first = in_play(leaf, data, np.array([[4.0], [1.0]]), None)
    second, grams = in_play(leaf, data, np.array([[2.0], [4.0], [0.0]]), first[1])
    order = [2, 4, 0]
    np.testing.assert_allclose(second.family.columns_of(grams, V), family.columns_of(held, V)[order], atol=1e-10)
    np.testing.assert_allclose(second.family.values_of(grams, V), family.values_of(held, V)[order], rtol=1e-10)
    np.testing.assert_allclose(second.family.traces(grams, omega), family.traces(held, omega)[order], rtol=1e-10)
    local = Part(np.array([[0.0], [2.0]]), np.array([0.3, 0.7]))
    lifted = second.family.lift(local)
    np.testing.assert_allclose(second.family.gram(local, grams).dense(), family.gram(lifted, held).dense(), atol=1e-12)
    np.testing.assert_allclose(second.family.apply(local, grams, V), family.apply(lifted, held, V), atol=1e-10)


def test_distances_that_are_remembered_change_nothing(family, X, monkeypatch):
    monkeypatch.setattr(_blocks, "_DEAR", 3)
    plain, (V, omega), some = family.sums(X), asked(), np.array([4, 0, 3])
    known = plain.remembering()
    assert known.tiles.bases is not None
    monkeypatch.setattr(_blocks, "bases_of", None)  # nothing is computed again
    monkeypatch.setattr(_blocks, "_DEAR", 100)
    looks = [one.surveyed(V, omega) for one in (known, known.only(some), known.held())]
    grams = [known.combined(np.arange(1.0, 7.0)), known.only(some).combined(np.arange(1.0, 4.0))]
    monkeypatch.undo()
    for look, other in zip(looks, (plain, plain.only(some), plain.held()), strict=True):
        for mine, theirs in zip(look, other.surveyed(V, omega), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(grams[0], plain.combined(np.arange(1.0, 7.0)), atol=1e-10)
    np.testing.assert_allclose(grams[1], plain.only(some).combined(np.arange(1.0, 4.0)), atol=1e-10)


def test_remembered_distances_are_those_of_their_places(X, monkeypatch):
    monkeypatch.setattr(_blocks, "_DEAR", 1)
    heavy = X**5  # so that ranks of columns are seen besides the columns
    family, (V, omega) = Dictionary("auto").prepare(heavy, np.ones(N)), asked()
    plain, numbers = family.sums(heavy), np.random.default_rng(0).permutation(len(family.listed))
    assert len(family._blocks().groups) > 1
    for some in (numbers, numbers[:7]):
        for mine, theirs in zip(
            plain.remembering().only(some).surveyed(V, omega), plain.only(some).surveyed(V, omega), strict=True
        ):
            np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


def test_of_many_columns_derivatives_are_those_of_the_grams(monkeypatch):
    """With the tiles of real problems, whose heights differ where Grams are held and where distances are remembered."""
    monkeypatch.undo()
    n, names = 700, (("rbf", {"gamma": 0.005}), ("laplacian", {"gamma": 0.01}), ("poly", {"degree": 2}))
    rng = np.random.default_rng(0)
    X, V = rng.normal(size=(n, 120)), rng.normal(size=(n, 1))
    root = rng.normal(size=(n, n))
    omega = Dense(root @ root.T)
    known = Dictionary(names).prepare(X, np.ones(n)).sums(X).remembering()
    assert any(known.tiles.bases)
    for images, traces in (known.surveyed(V, omega), known.held().surveyed(V, omega)):
        for a, (image, trace) in enumerate(zip(images, traces, strict=True)):
            K = known.combined(np.eye(len(names))[a])
            np.testing.assert_allclose(image, K @ V, rtol=1e-9, atol=1e-9)
            assert trace == pytest.approx(np.vdot(K, omega.dense()), rel=1e-9)


def test_distances_are_remembered_where_they_are_dear(X):
    family = Dictionary(LIST).prepare(X, np.ones(N))
    assert not any(family.sums(X).remembering().tiles.bases)  # of three numbers


@pytest.mark.parametrize("room", [0, 1, 2, 5])
def test_what_takes_longest_is_remembered_as_far_as_there_is_room(X, room, monkeypatch):
    monkeypatch.setattr(_blocks, "_DEAR", 3)
    monkeypatch.setattr(_tiles, "_BASES", room * tiled_bytes(N))
    family, (V, omega) = Dictionary(LIST).prepare(X, np.ones(N)), asked()
    plain = family.sums(X)
    known = plain.remembering()
    held = [base for one in known.tiles.bases for base in one]
    used = {form.base for _, members in plain.tiles.blocks.groups for _, form in members}
    assert held == [base for base in ("absolutes", "squares", "products") if base in used][:room]
    for mine, theirs in zip(known.surveyed(V, omega), plain.surveyed(V, omega), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("n", [1, 2, 127, 129, 300, 1100])
def test_tiles_are_all_pairs_of_rows_up_to_the_diagonal_once(n):
    seen = np.zeros((n, n), dtype=int)
    for rows, across in lower_tiles(n):
        for columns in across:
            seen[rows, columns] += 1
    lower = np.tri(n, dtype=bool)
    assert (seen[lower] == 1).all()
    assert seen.max() == 1
    assert seen[~lower].sum() <= 0.1 * n * n or n * n <= 1 << 16


@pytest.mark.parametrize("n", [2, 127, 129, 300, 1100])
def test_grams_that_are_held_take_no_more_than_was_said(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    family = Dictionary([("rbf", {"gamma": 1.0}), ("laplacian", {"gamma": 1.0})]).prepare(X, np.ones(n))
    tiles = family.sums(X).held().tiles
    held = sum(block.nbytes for gram in tiles.grams for block in gram)
    assert 4 * n * n * tiles.m < held <= tiles.m * tiled_bytes(n) or tiles.m == 0


@pytest.mark.parametrize("across", [5, 512])
def test_the_kernel_among_rows_is_that_between_them(family, X, across, monkeypatch):
    monkeypatch.setattr(_gram_parts, "_ACROSS", across)
    part, some, others = parts(len(LIST)), np.array([7, 2, 7, 50]), slice(3, 40)
    among = family.among(part, X)
    whole = family.gram(part, family.bind(X)).dense()
    np.testing.assert_allclose(among(some, others), whole[some, others], atol=1e-12)
    np.testing.assert_allclose(among(slice(None), slice(None)), whole, atol=1e-12)
    np.testing.assert_allclose(family.cross(part, X[some], X), whole[some], atol=1e-12)


def test_a_gram_that_was_held_is_not_computed_again(X, monkeypatch):
    monkeypatch.setattr(_hybrid_storage, "_FEW", 0)
    leaf = Leaf(Streamed(Dictionary(LIST).prepare(X, np.ones(N))), np.arange(3))
    data = leaf.family.bind(X)
    _, first = in_play(leaf, data, np.array([[4.0], [1.0]]), None)
    _, second = in_play(leaf, data, np.array([[2.0], [4.0], [0.0]]), first)
    assert second.tiles.grams[1] is first.tiles.grams[0]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("rbf", {}),
        ("rbf", {"gamma": 0.7}),
        ("linear", {}),
        ("poly", {}),
        ("polynomial", {"degree": 2, "gamma": 0.4, "coef0": 0.0}),
    ],
)
@pytest.mark.parametrize("d", [1, 3])
def test_closed_forms_are_scikit_learns(name, options, d, X):
    Z = X[:20, :d] + 0.1
    family = Dictionary([(name, options)], normalize=None).prepare(X[:, :d], np.ones(N))
    wanted = pairwise_kernels(Z, X[:, :d], metric=name, **options)
    np.testing.assert_allclose(family.cross(parts(1, 1), Z, X[:, :d]) / parts(1, 1).mass, wanted, rtol=1e-10)
    np.testing.assert_allclose(family.bind(X[:, :d])[0], pairwise_kernels(X[:, :d], metric=name, **options), atol=1e-12)


def test_overflow_is_told(X):
    family = Dictionary(["rbf", ("poly", {"degree": 3})], normalize=None).prepare(X, np.ones(N))
    with pytest.raises(InvalidData, match="returned NaN or infinity"):
        family.bind(1e160 * X)


def test_overflow_between_many_rows_is_told():
    X = 1e160 * np.random.default_rng(0).normal(size=(120, 2))
    family = Dictionary(["rbf", ("poly", {"degree": 3})], normalize=None).prepare(1e-160 * X, np.ones(120))
    with pytest.raises(InvalidData, match="returned NaN or infinity"):
        family.cross(Part(np.arange(2.0)[:, None], np.ones(2)), X, X)


def streaming(problem):
    """The problem with its dictionaries streamed, from the same rows."""
    X = np.random.default_rng(2).normal(size=(24, 2))
    leaves, data = [], []
    for leaf, bound in zip(problem.leaves, problem.data, strict=True):
        long = isinstance(leaf.family, Dictionary)
        leaves.append(attrs.evolve(leaf, family=Streamed(leaf.family)) if long else leaf)
        data.append(leaves[-1].family.bind(X) if long else bound)
    return attrs.evolve(problem, leaves=tuple(leaves), data=tuple(data))


class TestScoringStreamed(ConcaveSolverSuite):
    def solver(self):
        return kernelopt.Scoring()

    def problems(self):
        found = tuple(streaming(problem) for problem in evidence_problems())
        assert any(isinstance(leaf.family, Streamed) for problem in found for leaf in problem.leaves)
        return found


@pytest.mark.parametrize(
    ("union", "effort"), [(["auto"], "normal"), (["auto", "gpk"], "quick")], ids=["that grow", "in a union"]
)
def test_streamed_and_held_lists_end_at_one_evidence(union, effort, monkeypatch, rows):
    X, y = rows(70)
    criterion = kernelopt.Evidence(effort=effort)
    held = kernelopt.solve(X, y, family=union, criterion=criterion, tol=1e-5)
    monkeypatch.setattr(_streamed, "_SMALL", 0)
    streamed = kernelopt.solve(X, y, family=union, criterion=criterion, tol=1e-5)
    assert streamed.status is Status.STATIONARY
    assert streamed.objective == pytest.approx(held.objective, abs=1e-2)
    np.testing.assert_allclose(streamed.predict(X), held.predict(X), atol=0.02)
    again = kernelopt.certify(X, y, family=union, criterion=criterion, mixture=streamed.mixture)
    assert again.upper == pytest.approx(streamed.objective, abs=1e-7)


def test_only_atoms_in_play_are_held(monkeypatch, rows):
    sizes = []
    monkeypatch.setattr(_streamed, "_SMALL", 0)
    plain = _scoring.Play.of

    def spied(*args, **options):
        play = plain(*args, **options)
        sizes.extend(data.m for data in play.problem.data if isinstance(data, Split))
        return play

    monkeypatch.setattr(_scoring.Play, "of", spied)
    s = kernelopt.solve(*rows(130), family="auto", criterion=kernelopt.Evidence(rough=30))
    assert s.status is Status.STATIONARY
    assert max(sizes[-2:]) < 14, "14 atoms are listed"


def test_the_leaves_of_a_solution_hold_no_tiles(monkeypatch, rows):
    monkeypatch.setattr(_streamed, "_SMALL", 0)
    X, y = rows(70)
    s = kernelopt.solve(X, y, family="auto", criterion="evidence")
    assert not any(isinstance(leaf.family, Streamed) for leaf in s.kernel.leaves)
    leaf = Leaf(Streamed(s.kernel.leaves[0].family), np.arange(2))
    assert isinstance(tightened((leaf,))[0].family, Dictionary)


def test_the_answer_to_a_kernel_is_sharpened_near_a_stationary_one(posed, data):
    problem = posed("list")
    gaussians = [("rbf", {"gamma": gamma}) for gamma in (0.02, 0.1, 0.5, 2.0)]
    listed = Dictionary([*gaussians, "linear"], normalize="trace", rescale="standard")
    s = kernelopt.solve(*data, family=listed, criterion="evidence", tol=1e-4)
    response = problem.respond(s.mixture)
    sharp = problem.ceiling(response.duals, near=s.mixture)
    shifted = tuple(attrs.evolve(dual, alpha=1.001 * dual.alpha, v=1.001 * dual.v) for dual in response.duals)
    plain = problem.ceiling(shifted, near=s.mixture)
    assert plain.lower < sharp.lower <= response.upper
    assert response.upper - sharp.lower < 0.5 * (response.upper - plain.lower)
