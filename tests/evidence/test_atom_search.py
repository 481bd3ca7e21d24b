"""What a search for atoms of the evidence brings: different ones, of which a step keeps one for each place."""

import numpy as np
import pytest

import kernelopt
from kernelopt._api.beginning._first_size import sized
from kernelopt._evidence._reweighted import _descended
from kernelopt._evidence.lists import _atom_search
from kernelopt._evidence.lists._atom_search import _Judged, search
from kernelopt._evidence.lists._majoriser import Tangent
from kernelopt._saddle._bounds import Bounds
from kernelopt.plugin import Budget, Mixture, Part, Query, State


def test_atoms_that_climbed_to_one_place_are_found_once(posed):
    problem = posed("gaussian")
    first = sized(problem, problem.center())
    tangent = Tangent.at(problem, first.mixture)
    k = [leaf.family.name for leaf in problem.leaves].index("gaussian")
    leaf, bound, part = problem.leaves[k], problem.data[k], first.mixture.parts[k]
    found = search(leaf, bound, first.V, tangent.omega, Query(k=8), part, Budget())
    widths = np.sort(found.best.atoms[:, 0])
    assert len(widths) > 1
    assert np.all(np.diff(widths) > 1e-5 * widths[1:])


def test_near_equal_atoms_become_one_where_the_step_still_descends(data, posed):
    problem = posed("gaussian")
    first = sized(problem, problem.center())
    ceiling = problem.ceiling(first.duals, Query(k=4), first.mixture)
    state = State(0, first, ceiling)
    s = kernelopt.solve(*data, family="gaussian", criterion=problem.criterion)
    twins = Mixture(
        tuple(
            Part(np.vstack([p.atoms, p.atoms * (1.0 + 1e-6)]), np.tile(0.5 * p.weights, 2)) if p.atoms.shape[1] else p
            for p in s.mixture.parts
        )
    )
    response = _descended(problem, twins, state, Budget())
    assert response.upper < first.upper
    assert len(response.mixture) < len(twins)


def gaussian(problem, first):
    """What a search for widths is asked with."""
    k = [leaf.family.name for leaf in problem.leaves].index("gaussian")
    omega = Tangent.at(problem, first.mixture).omega
    return problem.leaves[k], problem.data[k], first.V, omega, Query(k=8), first.mixture.parts[k]


@pytest.mark.parametrize("looks", [0, 1, 5])
def test_atoms_climb_as_long_as_there_is_time(posed, monkeypatch, looks):
    """With 6000 rows a climb takes seconds, and a limit of a second ended after 35."""
    problem = posed("gaussian")
    asked = gaussian(problem, sized(problem, problem.center()))
    family, climbs = type(asked[0].family), []
    plain = family.pullback
    monkeypatch.setattr(family, "pullback", lambda *known: climbs.append(1) or plain(*known))
    with monkeypatch.context() as patched:
        if not looks:
            patched.setattr(_atom_search, "_climbed", None)
        found = search(*asked, Budget(stop=lambda: len(climbs) >= 2 * looks))
    assert len(climbs) <= 2 * looks + 6 if looks else not climbs
    assert len(found.best.atoms)
    climbs.clear()
    whole = search(*asked, Budget())
    assert len(climbs) > 50
    assert found.ratio <= whole.ratio * (1.0 + 1e-9)


def test_a_last_look_without_time_states_no_more_than_was_known(posed):
    """Its bound is an estimate, which rises with what a search does not find."""
    problem = posed("gaussian")
    first = sized(problem, problem.center())
    query, gram = Query(), problem.gram(first.mixture)
    known = problem.criterion.ceiling(problem, first.duals, query, first.mixture, Budget())
    over = Budget(stop=lambda: True)
    hasty = problem.criterion.ceiling(problem, first.duals, query, first.mixture, over)
    assert known.lower < hasty.lower
    anew = problem.criterion.recertified(problem, Bounds(first, known), gram, 0, over)
    assert anew.ceiling.lower <= known.lower


def test_an_atom_in_play_counts_however_faint_it_is():
    """It has a weight, and without its price the bound would be none; a faint atom that is new may not join."""
    one, many = np.array([[1.0]]), np.array([[1.0], [2.0]])
    judged = _Judged(many, np.array([4.0, 3.0]), np.array([2.0, 1.0]), np.array([1e-9, 1.0]))
    for near, ratios, excess in (
        (Part(one, np.ones(1)), [2.0, 3.0], [2.0, 2.0]),
        (Part(one[:0], one[:0, 0]), [0.0, 3.0], [-2.0, 2.0]),
    ):
        got = judged.compared(near)
        assert [list(values) for values in got] == [ratios, excess]


def test_what_is_judged_in_two_goes_is_what_is_judged_at_once(posed):
    problem = posed("gaussian")
    leaf, bound, V, omega, _, near = gaussian(problem, sized(problem, problem.center()))
    atoms = np.linspace(0.1, 2.0, 5)[:, None]
    first, second = (_Judged.of(leaf, bound, some, V, omega) for some in (atoms[:2], atoms[2:]))
    for got, wanted in zip(
        first.beside(second).compared(near), _Judged.of(leaf, bound, atoms, V, omega).compared(near), strict=True
    ):
        np.testing.assert_allclose(got, wanted, rtol=1e-12)
