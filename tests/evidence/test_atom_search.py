"""What a search for atoms of the evidence brings: different ones, of which a step keeps one for each place."""

import numpy as np

import kernelopt
from kernelopt._api._first_size import sized
from kernelopt._evidence._atom_search import search
from kernelopt._evidence._majoriser import Tangent
from kernelopt._evidence._reweighted import _descended
from kernelopt.plugin import Budget, Mixture, Part, Query, State


def test_atoms_that_climbed_to_one_place_are_found_once(posed):
    problem = posed("gaussian")
    first = sized(problem, problem.center())
    tangent = Tangent.at(problem, first.mixture)
    k = [leaf.family.name for leaf in problem.leaves].index("gaussian")
    leaf, bound, part = problem.leaves[k], problem.data[k], first.mixture.parts[k]
    found = search(leaf, bound, first.V, tangent.omega, Query(k=8), part)
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
