"""Every family with every criterion and every solver: each cell solves to its certified gap, or is refused beforehand.

`make test` runs cells that together meet every pair of a family, a solver and a criterion; with KERNELOPT_MATRIX=all
(`make test-matrix`) all of them run.
"""

import os
from functools import cache
from itertools import combinations, product

import attrs
import numpy as np
import pytest

import kernelopt

UNIONS = {
    "cosine + delta": ["cosine", "delta"],
    "tk + dictionary": ["tk", "dictionary"],
    "each tk": kernelopt.each("tk"),
    "sampled tk": kernelopt.sampled("tk", 20),
    "priced tk + priced delta, any total": [kernelopt.priced("tk", 0.5), kernelopt.priced("delta", 0.5)],
}
SHARP = 1e-4
GAPS = {"ipm": 1e-6, "qcqp": 1e-6, "sdp": 1e-6, "plain-fw": 0.3}
"""The gap that each solver is asked for; plain Frank-Wolfe crawls (Talitckii, Colbert and Peet (2024))."""
SMALL = {"hyperkernel": {"name": "hyperkernel", "pivots": 30}}
"""Options that keep the small problems small."""
ROUGH = 1e-3
"""The gap of searched families, whose lower bounds are estimates, and of slow ones; where all cells run it is that of
their solver."""
SEARCHED = ("cosine", "cosine + delta", "gaussian", "metric")
SLOW = (*SEARCHED, "signed")


TANGENT = 1e-3
"""The gap of the evidence, in nats per half target; majorised objectives are approached step by step."""
TANGENTS = {"plain-fw": 1e-2}


def family_of(name):
    return UNIONS.get(name, SMALL.get(name, name))


def everything():
    names = (*kernelopt.families(), *UNIONS)
    return list(product(names, kernelopt.solvers(), kernelopt.criteria()))


def covering(cells):
    """Few cells that meet every pair that any cell meets, chosen greedily."""
    pairs = {cell: frozenset(combinations(enumerate(cell), 2)) for cell in cells}
    left = set().union(*pairs.values())
    chosen = []
    while left:
        best = max(cells, key=lambda cell: len(pairs[cell] & left))
        chosen.append(best)
        left -= pairs[best]
    return sorted(chosen)


ALL = everything()
EVERY = os.environ.get("KERNELOPT_MATRIX") == "all"
CELLS = ALL if EVERY else covering(ALL)


def rows(criterion):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(24, 2))
    signal = X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * rng.normal(size=24)
    if criterion == "margin":  # of classes that do not touch
        X[:, 0] += 2.0 * np.sign(X[:, 0])
        return X, np.sign(X[:, 0]).astype(int)
    if criterion in ("svc", "l2-svc", "lagrangian-svc", "nu-svc", "margin"):
        return X, np.where(signal > np.median(signal), 1, -1)
    return X, None if criterion == "one-class" else signal


def solved(family, solver, criterion, tol):
    """A solution, or the sentence of a refusal."""
    X, y = rows(criterion)
    try:
        return kernelopt.solve(X, y, family=family_of(family), solver=solver, criterion=criterion, tol=tol, seed=1)
    except kernelopt.Refused as refused:
        return str(refused)


def gap_of(family, solver, criterion):
    if criterion == "evidence":
        return TANGENTS.get(solver, TANGENT)
    gap = GAPS.get(solver, SHARP)
    return gap if EVERY or family not in SLOW else max(gap, ROUGH)


REFEREES = ("ipm", "fw", "apd", "smo", "scoring")
"""Solvers whose bounds a cell's are compared with: the first that is not the cell's own and serves the pair."""


@cache
def refereed(family, solver, criterion):
    """The bounds of another solver; None where it is refused, ends early, or its lower bound proves nothing."""
    answer = solved(family, solver, criterion, gap_of(family, solver, criterion))
    if isinstance(answer, str) or not answer.status.converged or not proves(answer.certificate):
        return None
    return answer.certificate


def proves(bounds):
    """An estimated lower bound, or one of a tangent, proves nothing about other solvers."""
    return bounds.exact and not bounds.tangent


@pytest.mark.parametrize(("family", "solver", "criterion"), CELLS, ids=lambda name: name)
def test_the_cell_solves_or_is_refused(family, solver, criterion):
    answer = solved(family, solver, criterion, gap_of(family, solver, criterion))
    if isinstance(answer, str):
        assert refusal(family, solver, criterion) == answer
        return
    assert refusal(family, solver, criterion) is None
    assert answer.status.converged, f"{answer.status.name} at {answer.certificate}"
    if proves(answer.certificate):
        others = (refereed(family, other, criterion) for other in REFEREES if other != solver)
        other = next((bounds for bounds in others if bounds is not None), None)
        assert other is None or agree(answer.certificate, other), f"{answer.certificate}, and {other}"


def agree(first, second):
    """Whether both intervals may hold one optimum."""
    size = max(abs(first.upper), abs(first.lower)) * 1e-9 + 1e-12
    return first.lower <= second.upper + size and second.lower <= first.upper + size


@pytest.mark.parametrize("criterion", ["svc", "svr", "ridge", "one-class"])
@pytest.mark.parametrize("family", ["tk", "dictionary", "each tk"])
def test_usual_pairs_have_another_solver_to_be_compared_with(family, criterion):
    bounds = refereed(family, "ipm", criterion)
    assert bounds is not None
    far = attrs.evolve(bounds, lower=bounds.upper * 1.01 + 0.01, upper=bounds.upper * 1.02 + 0.02)
    assert agree(bounds, bounds)
    assert not agree(bounds, far)
    assert not agree(far, bounds)


def refusal(family, solver, criterion):
    """What `compatibility` says of the cell: None where it solves."""
    (cell,) = kernelopt.compatibility([family_of(family)], [solver], [criterion])
    return cell.reason


def test_the_table_says_what_the_cells_say():
    table = kernelopt.compatibility(["tk", "dictionary"], ["ipm", "qcqp"])
    assert len(table) == 4 * len(kernelopt.criteria())
    assert "exchange" in str(table)
    assert all(cell.solves for cell in table)
    assert table.of("tk", "qcqp")[0].lifted
    assert not table.of("dictionary", "qcqp")[0].lifted


def test_the_table_builds_no_criterion_on_rows_of_its_own():
    """One whose options suit the user's rows, and hardly any others."""
    criteria = [{"name": "margin", "C": 0.001}, {"name": "nu-svc", "nu": 0.9}]
    assert all(cell.solves for cell in kernelopt.compatibility(["tk"], ["ipm", "working-set", "auto"], criteria))


def test_unknown_names_are_refused():
    with pytest.raises(kernelopt.UnknownName):
        kernelopt.compatibility(["tkk"])
