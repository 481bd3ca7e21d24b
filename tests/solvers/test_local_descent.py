"""Local adaptation, in-out separation, and the atoms in play as a list of their own."""

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernelopt_cosine import Cosine

import kernelopt
from kernelopt._families._atom_subset import active
from kernelopt._saddle._lower_bound import Ceiling
from kernelopt._solvers import _local_descent
from kernelopt._solvers._exchange import Exchange
from kernelopt._solvers._in_out import in_out
from kernelopt._solvers._local_descent import _descended, _Descent, _near_margin, adaptable, adapted, merged
from kernelopt._solvers._parametrisation import Moving, coordinates
from kernelopt.plugin import Budget, Mixture, Part, Query
from kernelopt.testing import Affine, Columns, CuttingPlanes, Waves, two_classes
from kernelopt.testing._examples import make_problem

RNG = np.random.default_rng(0)
X, Y = two_classes(RNG, 30, 2)
UNIONS = {
    "smooth": (Waves(),),
    "matrix": (Affine(),),
    "all kinds": (Waves(), Affine(), Columns(), kernelopt.Delta()),
}
EVERY = pytest.mark.parametrize("name", list(UNIONS))


def problem_of(name, accuracy=1e-10):
    problem = make_problem(UNIONS[name], X, Y, kernelopt.SVC(C=1.0), factor=0.7)
    return attrs.evolve(problem, accuracy=accuracy)


def mixture_of(name):
    rng = np.random.default_rng(1)
    parts = {
        "smooth": Part(rng.uniform(0.5, 2.5, (3, 1)), rng.uniform(0.2, 1.0, 3)),
        "matrix": Part(np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.uniform(0.2, 1.0, 3)),
    }
    if name == "all kinds":
        listed = (Part(np.arange(2.0)[:, None], np.ones(2)), Part(np.zeros((1, 0)), np.ones(1)))
        chosen = (parts["smooth"], parts["matrix"], *listed)
    else:
        chosen = (parts[name],)
    mass = sum(part.mass for part in chosen)
    return Mixture(tuple(part.scaled(1.0 / mass) for part in chosen))


def descent_from(problem, response, matrices):
    parts = response.mixture.parts
    moves = tuple(coordinates(problem, k, part, response.V, matrices=matrices) for k, part in enumerate(parts))
    descent = _Descent(problem, moves, response, Budget(), 0.0)
    return descent, descent.packed(parts)


@EVERY
@pytest.mark.parametrize("matrices", [True, False])
def test_the_gradient_is_that_of_central_differences(name, matrices):
    problem = problem_of(name)
    response = problem.respond(mixture_of(name))
    descent, start = descent_from(problem, response, matrices)
    x = start * np.random.default_rng(2).uniform(0.9, 1.1, len(start))
    value, gradient = descent(x)
    step = 1e-5
    for i in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[i] += step
        behind[i] -= step
        slope = (descent(ahead)[0] - descent(behind)[0]) / (2.0 * step)
        assert gradient[i] == pytest.approx(slope, rel=1e-4, abs=1e-5 * abs(value))


@EVERY
def test_the_descent_starts_at_the_mixture_and_never_ends_higher(name):
    problem = problem_of(name)
    response = problem.respond(mixture_of(name))
    descent, start = descent_from(problem, response, True)
    assert abs(response.upper) * descent(start)[0] == pytest.approx(response.upper, rel=1e-8)
    moved = adapted(problem, response, Budget(), steps=40)
    assert moved.upper < response.upper
    assert problem.respond(moved.mixture).upper == pytest.approx(moved.upper, rel=1e-8)
    assert moved.mixture.mass == pytest.approx(1.0)
    low, high = Waves().atom_bounds()
    if name != "matrix":
        assert ((moved.mixture.parts[0].atoms >= low) & (moved.mixture.parts[0].atoms <= high)).all()


@pytest.mark.parametrize("least", [500, 20])
@pytest.mark.parametrize("criterion", [kernelopt.Margin(), kernelopt.SVC(C=3.0)], ids=["margin", "svc"])
def test_a_descent_on_the_rows_near_the_margin_serves_all_rows(criterion, least, monkeypatch):
    """As good as a descent on all rows, with dual variables and an upper bound of all of them.

    Where too few rows take part to find a better kernel for all, all of them do.
    """
    monkeypatch.setattr(_local_descent, "_LEAST", least)
    problem = apart(criterion)
    features, ridge = problem.center().parts
    response = problem.respond(Mixture((features.scaled(1.98), ridge.scaled(0.02))))
    assert len(_near_margin(problem, response).rows) < 0.5 * problem.n
    moved = adapted(problem, response, Budget(), steps=150)
    whole = _descended(problem, response, Budget(), 60, 0.0, 0.0, matrices=False)
    gain = response.upper - whole.upper
    assert response.upper - moved.upper > 0.9 * gain > 0.0
    assert moved.duals[0].alpha.shape == (problem.n,)
    assert problem.respond(moved.mixture).upper == pytest.approx(moved.upper, rel=1e-6)


def apart(criterion):
    """Two classes with a gap between them, for features and a ridge."""
    X = np.random.default_rng(1).normal(size=(1500, 2))
    y = np.sign(X[:, 0])
    X[:, 0] += 0.5 * y
    return make_problem((Cosine(rescale=None), kernelopt.Delta()), X, y[:, None], criterion)


def test_units_are_those_of_the_curvature():
    """For a cosine between two points, of value 2 + 2 cos(x): the trace over the value is known."""
    X, V = np.array([[0.5, 0.0], [-0.5, 0.0]]), np.ones((2, 1))
    family = Cosine(beta=1e-9, rescale=None).prepare(X, np.ones(2))
    part = Part(np.array([[1.0, 0.3], [0.5, 0.1]]), np.array([0.8, 0.2]))
    bend = np.sum(2.0 * np.cos(part.atoms[:, 0])) / np.sum(2.0 + 2.0 * np.cos(part.atoms[:, 0]))
    units = Moving.of(family, part, X, V).units[:, 0]
    assert units == pytest.approx(np.sqrt(bend * (part.weights + 0.05)), rel=1e-2)


def test_a_cancelled_descent_returns_what_it_was_given():
    problem = problem_of("smooth")
    response = problem.respond(mixture_of("smooth"))
    assert adapted(problem, response, Budget(stop=lambda: True)) is response


def test_what_can_move():
    assert adaptable(problem_of("smooth"), matrices=False)
    assert adaptable(problem_of("matrix"))
    assert not adaptable(problem_of("matrix"), matrices=False)
    assert not adaptable(make_problem((Columns(),), X, Y, kernelopt.SVC()))


def test_merged_lists_an_atom_once_at_the_place_of_the_heaviest():
    part = Part(np.array([[1.0], [2.0], [1.0 + 1e-8], [0.0]]), np.array([0.1, 0.2, 0.3, 0.4]))
    (one,) = merged(Mixture((part,))).parts
    np.testing.assert_array_equal(one.atoms[:, 0], [0.0, 1.0 + 1e-8, 2.0])
    assert one.weights == pytest.approx([0.4, 0.4, 0.2])
    (none,) = merged(Mixture((part.kept(1.0),))).parts
    assert len(none) == 0


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1.0])
def test_atoms_of_small_numbers_stay_apart(unit):
    """In many columns, or in a small unit, all numbers of a frequency are small, and so are those of its neighbours."""
    atoms = unit * np.random.default_rng(0).normal(size=(12, 400)) / 20.0
    part = Part(np.vstack([atoms, atoms[:1] * (1.0 + 1e-4)]), np.full(13, 1.0 / 13.0))
    (one,) = merged(Mixture((part,)), 0.03).parts
    assert len(one) == 12
    assert np.isclose(one.weights.max(), 2.0 / 13.0)
    assert np.isclose(one.mass, 1.0)


class TestInOut:
    problem = problem_of("smooth", 1e-8)
    far = problem.ceiling(problem.respond(problem.center()).duals)

    def alphas(self, atom):
        response = self.problem.respond(Mixture((Part(np.array([[atom]]), np.ones(1)),)))
        return tuple(dual.alpha for dual in response.duals)

    def test_a_better_point_is_asked_at_alone(self):
        worst = attrs.evolve(self.far, lower=-np.inf)
        answer = in_out(self.problem, self.alphas(0.5), worst, Query(), None)
        assert answer.lower == self.problem.ceiling(self.problem.points(self.alphas(0.5))).lower
        assert len(answer.atoms[0].atoms) == 1

    def test_else_half_way_too_and_the_better_bound_counts(self):
        alphas = self.alphas(3.0)
        here = self.problem.ceiling(self.problem.points(alphas))
        anchor = attrs.evolve(self.far, lower=max(self.far.lower, here.lower + 1.0))
        half = tuple(0.5 * (a + dual.alpha) for a, dual in zip(alphas, anchor.duals, strict=True))
        between = self.problem.ceiling(self.problem.points(half))
        answer = in_out(self.problem, alphas, anchor, Query(), None)
        assert isinstance(answer, Ceiling)
        assert answer.lower == max(here.lower, between.lower)
        assert sorted(answer.atoms[0].atoms[:, 0]) == sorted([here.best[1][0], between.best[1][0]])


@pytest.mark.parametrize("family", [Waves(), Columns()], ids=lambda one: one.name)
def test_explicit_atoms_in_play_are_the_familys_own(family):
    problem = make_problem((family,), X, Y, kernelopt.SVC())
    leaf, data = problem.leaves[0], problem.data[0]
    atoms = np.array([[0.0], [1.0]]) if family.name == "columns" else np.array([[0.4], [1.0], [2.2]])
    listed, bound = active(leaf, data, atoms)
    part = listed.family.dictionary()
    lifted = Part(atoms[::-1], part.weights)
    turned = Part(part.atoms[::-1], part.weights)
    V = np.random.default_rng(3).normal(size=(len(X), 2))
    own = leaf.family.gram(lifted, data).dense()
    assert listed.family.gram(turned, bound).dense() == pytest.approx(own)
    assert listed.family.apply(turned, bound, V) == pytest.approx(own @ V)
    assert listed.family.cross(turned, X[:5], X) == pytest.approx(leaf.family.cross(lifted, X[:5], X))
    values = [np.sum(V * leaf.family.apply(Part(atom[None], np.ones(1)), data, V)) for atom in atoms]
    assert listed.family.values_of(bound, V) == pytest.approx(values)
    assert listed.family.best_atoms(bound, V, Query()).ceiling == pytest.approx(max(values))


@EVERY
def test_exchange_and_adaptation_reach_the_optimum(name):
    """With adaptation and without, the certificates speak of one optimum."""
    options = {"criterion": {"name": "svc", "C": 1.0}, "tol": 1e-4, "scale": 0.7, "family": list(UNIONS[name])}
    both = kernelopt.solve(X, Y[:, 0], solver=Exchange(CuttingPlanes(), k=1), **options)
    assert both.status.converged
    fine = kernelopt.solve(X, Y[:, 0], solver=Exchange(CuttingPlanes(), k=1, adapt=0), **options)
    assert max(both.certificate.lower, fine.certificate.lower) <= min(both.certificate.upper, fine.certificate.upper)


def test_a_mixture_keeps_its_heaviest_atom_and_its_mass_whatever_the_threshold():
    mixture = mixture_of("all kinds")
    whole = mixture.kept(0.0)
    assert len(whole) == len(mixture)
    few = mixture.kept(0.1)
    assert few.mass == pytest.approx(mixture.mass)
    assert 0 < len(few) < len(mixture)
    heaviest = max(part.weights.max() for part in mixture.parts)
    assert all((part.weights == part.weights.max(initial=0.0)).all() for part in mixture.kept(1.0).parts)
    assert len(mixture.kept(1.0)) == sum(int((part.weights == heaviest).sum()) for part in mixture.parts) == 3
    assert mixture.kept(1.0).mass == pytest.approx(mixture.mass)


@given(st.integers(0, 2**32 - 1))
def test_atoms_that_move_stay_within_their_bounds(seed):
    """Coordinates have units of their own, in which a bound times the unit and back is rounded."""
    rng = np.random.default_rng(seed)
    family, part = Waves(top=rng.uniform(0.1, 9.0)), Part(np.zeros((6, 1)), np.ones(6))
    moving = Moving(family, part.atoms.shape, rng.exponential(size=(6, 1)))
    low, high = family.atom_bounds()
    for x in moving.bounds(12):
        atoms = moving.part(np.where(np.isfinite(x), x, 1.0)).atoms
        assert ((low <= atoms) & (atoms <= high)).all()
