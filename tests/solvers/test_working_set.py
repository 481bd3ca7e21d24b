"""Solving on the samples that matter: the same optimum as on all of them, and a certificate that is of all."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

import kernelopt
from kernelopt import Status
from kernelopt._families._mixture import Mixture, Part
from kernelopt._linalg._wide import Wide
from kernelopt._saddle._bounds import Limits
from kernelopt._saddle._loop import run
from kernelopt._saddle._problem import Problem
from kernelopt._saddle._response import Response
from kernelopt._solvers._working_set import WorkingSet, _lighter
from kernelopt.plugin import InvalidOption, Refused
from kernelopt.testing import Affine, two_classes

TOL = 1e-4
INNER = pytest.mark.parametrize("inner", ["ipm", "fw"])


def solved(X, y, criterion, solver, families, **options):
    family = list(families) if len(families) > 1 else families[0]
    return kernelopt.solve(X, y, family=family, criterion=criterion, solver=solver, tol=TOL, **options)


def by_hand(criterion, s, X, y):
    """The primal objective of the predictor: its norm, and the losses of its decision values on every row."""
    chosen, coefficient = s.predictor.support_vectors, s.predictor.dual_coef[:, 0]
    norm = 0.5 * coefficient @ s.kernel(chosen, chosen) @ coefficient
    f = s.decision_function(X)
    if isinstance(criterion, kernelopt.SVR):
        return norm + criterion.C * np.maximum(0.0, np.abs(y - f) - criterion.epsilon).sum()
    slack = np.maximum(0.0, 1.0 - y * f)
    return norm + criterion.C * (slack.sum() if isinstance(criterion, kernelopt.SVC) else 0.5 * slack @ slack)


@INNER
@pytest.mark.parametrize("noise", [0.02, 0.5])
def test_the_optimum_is_that_of_the_inner_solver(rows, target, criterion, families, inner, noise):
    X, labels, values = rows(noise)
    y = target(criterion, labels, values)
    alone = solved(X, y, criterion, inner, families)
    ours = solved(X, y, criterion, WorkingSet(solver=inner, band=80), families)
    assert alone.status is Status.CONVERGED
    assert ours.status is Status.CONVERGED, ours
    assert ours.certificate.relative_gap <= TOL
    assert ours.certificate.lower <= alone.certificate.upper
    assert alone.certificate.lower <= ours.certificate.upper


@INNER
def test_a_problem_whose_bias_has_a_cost_leaves_the_first_rows_too(inner):
    """The gap on the rows of a set closes there, although the bias has no equality of its own."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 2))
    labels = np.where(np.sin(2.0 * X[:, 0]) + 0.6 * rng.normal(size=200) > 0.0, 1.0, -1.0)
    widths = (kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 1.0, 5.0)]),)
    alone = solved(X, labels, "lagrangian-svc", inner, widths)
    ours = solved(X, labels, "lagrangian-svc", WorkingSet(solver=inner, band=40), widths)
    assert ours.status is Status.CONVERGED, ours
    assert alone.certificate.lower <= ours.certificate.upper <= alone.certificate.upper * (1.0 + 2.0 * TOL)


@INNER
def test_the_certificate_is_of_all_rows(rows, target, criterion, inner):
    """Upper from the predictor's values on every row; lower below what this kernel, and the best one, can reach."""
    X, labels, values = rows(0.1)
    y = target(criterion, labels, values)
    s = solved(X, y, criterion, WorkingSet(solver=inner, band=80), (Affine(),))
    assert by_hand(criterion, s, X, y) == pytest.approx(s.certificate.upper, rel=1e-8)
    theirs = kernelopt.certify(X, y, family=Affine(), criterion=criterion, mixture=s.mixture)
    assert s.certificate.lower <= theirs.upper * (1.0 + 1e-9)
    assert theirs.lower <= s.certificate.upper * (1.0 + 1e-9)
    assert theirs.upper <= s.certificate.upper * (1.0 + 1e-9)


@INNER
@pytest.mark.parametrize("name", ["svc", "l2-svc", "svr"])
def test_bounds_are_those_of_the_dense_problem(make_pair, name, inner):
    """At every step: the kernel and the dual variables that prove the bounds, recomputed with all rows bound."""
    tight, loose = make_pair(name, (Affine(), kernelopt.Delta()), n=200)
    start = loose.respond(loose.center())
    states = []

    class Watched(WorkingSet):
        def step(self, problem, state, budget):
            after = super().step(problem, state, budget)
            states.append(after)
            return after

    run(loose, Watched(solver=inner, band=60), start, Limits(TOL, None, 15, None))
    assert states
    for state in states:
        response, ceiling = state.response, state.ceiling
        if np.isfinite(response.upper):
            again = tight.assess(response.mixture, tuple(dual.alpha for dual in response.duals))
            assert response.upper == pytest.approx(again.upper, rel=1e-8)
        wanted = tight.ceiling(tight.points(tuple(dual.alpha for dual in ceiling.duals)))
        assert ceiling.lower == pytest.approx(wanted.lower, rel=1e-8, abs=1e-9)


@pytest.fixture(name="counting")
def _counting():
    bound = []

    class Counting(Affine):
        def prepare(self, X, weight):
            return Counting(X.shape[1])

        def bind(self, X):
            bound.append(len(X))
            return super().bind(X)

    return Counting(), bound


@INNER
def test_no_more_rows_are_bound_than_are_chosen(rows, counting, monkeypatch, inner):
    """Few samples are near this margin: most rows are never bound, and the whole Gram is never formed."""
    family, bound = counting
    monkeypatch.setattr(Wide, "dense", None)
    X, labels, _ = rows(0.02)
    X[:, 1] += 0.5 * labels  # apart
    s = solved(X, labels, kernelopt.SVC(C=10.0), WorkingSet(solver=inner, band=60), (family,))
    chosen = [int(found[1]) for record in s.trace if (found := re.search(r"(\d+) rows", record.note))]
    assert s.status is Status.CONVERGED
    assert max(bound) <= max(*chosen, *(record.support for record in s.trace))
    assert max(bound) < len(X) // 2


def test_too_little_memory_stalls_with_advice(rows, monkeypatch):
    monkeypatch.setattr("kernelopt._saddle._row_subset.available_bytes", lambda: 8 * 3 * 50**2)
    X, labels, _ = rows(0.5)
    s = solved(X, labels, kernelopt.SVC(C=1.0), WorkingSet(solver="fw", band=80), (Affine(),))
    assert s.status is Status.STALLED
    assert re.search(r"\d+ rows are in the working set, memory has room for \d+: solve on fewer rows", s.trace[-1].note)
    alone = solved(X, labels, kernelopt.SVC(C=1.0), "fw", (Affine(),))
    assert s.certificate.lower <= alone.certificate.upper
    assert alone.certificate.lower <= s.certificate.upper


def test_a_first_set_without_room_leaves_the_bound_of_the_machine_of_all_rows(monkeypatch):
    """A run on many rows begins with dual variables of 0, and no set proves more; the best machine of all rows does."""
    from kernelopt._api.beginning import _start

    monkeypatch.setattr(_start, "_MOST_ANSWERED", 200)
    monkeypatch.setattr("kernelopt._solvers._working_set.capacity", lambda problem, grams: 20)
    X, y = two_classes(np.random.default_rng(0), 300, 2)
    s = solved(X, y[:, 0], kernelopt.SVC(C=1.0), WorkingSet(band=60), ("tk",))
    assert "memory has room for 20" in s.trace[-1].note
    assert not any(record.note.startswith("set 1") for record in s.trace)
    proved = kernelopt.certify(X, y[:, 0], family="tk", criterion=kernelopt.SVC(C=1.0), mixture=s.mixture)
    assert s.certificate.lower == pytest.approx(proved.lower, rel=1e-3)
    assert s.certificate.relative_gap < 0.05


def test_a_sample_with_a_poor_kernel_leaves_a_bound_above_0(monkeypatch):
    """The machine of all rows is far from the best one of another kernel, and only a share of its alpha proves more."""
    from kernelopt._api.beginning import _start

    monkeypatch.setattr(_start, "_MOST_ANSWERED", 200)
    monkeypatch.setattr("kernelopt._solvers._working_set.capacity", lambda problem, grams: 40)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=300)
    s = solved(X, y, kernelopt.SVR(C=1000.0, epsilon=0.1), WorkingSet(band=10), ("tk",))
    whole = solved(X, y, kernelopt.SVR(C=1000.0, epsilon=0.1), "ipm", ("tk",))
    assert s.status is Status.STALLED
    assert 0.3 * s.certificate.upper < s.certificate.lower <= whole.certificate.upper
    assert whole.certificate.lower <= s.certificate.upper


def test_a_working_set_inside_a_working_set_is_refused():
    with pytest.raises(InvalidOption, match="the inner solver cannot be working-set"):
        WorkingSet(solver=WorkingSet(solver="fw"))


@pytest.mark.parametrize("options", [{"band": 1}, {"inexact": 0.0}, {"solver": "nothing"}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(kernelopt.KerneloptError):
        WorkingSet(**options)


def test_unbounded_variables_are_refused(rows):
    X, _, values = rows(0.1)
    with pytest.raises(Refused, match="the dual variables of alignment have no bounds"):
        solved(X[:40], values[:40], kernelopt.Alignment(), WorkingSet(band=20), (Affine(), kernelopt.Delta()))


@pytest.mark.parametrize("C", [0.05, 0.4])
def test_a_criterion_with_rules_for_its_rows_is_asked_about_the_users_rows_alone(rows, C):
    """Reduced hulls of C below 1/2 want more rows in each class than any small example would have."""
    X, labels, _ = rows(0.1)
    criterion = kernelopt.Margin(C=C)
    ours, theirs = (solved(X, labels, criterion, how, (Affine(),)) for how in (WorkingSet(band=80), "ipm"))
    assert ours.status is Status.CONVERGED
    assert ours.certificate.lower <= theirs.certificate.upper + 1e-12
    assert theirs.certificate.lower <= ours.certificate.upper + 1e-12


def test_what_the_inner_solver_refuses_is_refused():
    from kernelopt._families._binding import loosened
    from kernelopt._families._leaf import Leaf
    from kernelopt.testing import Waves

    leaves = loosened((Leaf(Waves(), np.arange(1)),))
    assert "waves" in WorkingSet(solver="ipm").refuses(leaves, kernelopt.SVC())


@pytest.mark.parametrize("how", [True, KeyboardInterrupt])
def test_an_interrupted_run_keeps_its_best(rows, how):
    X, labels, _ = rows(0.5)

    def stop(record):
        if record.step < 6:
            return False
        if how is KeyboardInterrupt:
            raise KeyboardInterrupt
        return True

    s = solved(X, labels, kernelopt.SVC(C=1.0), WorkingSet(solver="fw", band=80), (Affine(),), callback=stop)
    alone = solved(X, labels, kernelopt.SVC(C=1.0), "fw", (Affine(),))
    assert s.status in (Status.INTERRUPTED, Status.CONVERGED)
    assert s.steps <= 6
    assert s.certificate.upper <= min(record.upper for record in s.trace) * (1.0 + 1e-9)
    assert s.certificate.lower >= max(record.lower for record in s.trace) - 1e-9 * abs(s.certificate.upper)
    assert s.certificate.lower <= alone.certificate.upper
    assert alone.certificate.lower <= s.certificate.upper


def test_the_same_seed_has_the_same_answer(rows):
    X, labels, _ = rows(0.5)
    first, second = (
        solved(X, labels, kernelopt.SVC(C=1.0), WorkingSet(solver="fw", band=80), (Affine(),), seed=3) for _ in range(2)
    )
    assert first.certificate == second.certificate
    assert [record.note for record in first.trace] == [record.note for record in second.trace]


@pytest.mark.parametrize("noise", [0.1, 0.5])
def test_the_order_of_the_rows_changes_no_certified_optimum(rows, families, noise):
    """Other rows are drawn first, and others are held: the intervals meet."""
    X, labels, _ = rows(noise)
    order = np.random.default_rng(1).permutation(len(X))
    ours, theirs = (
        solved(X[some], labels[some], kernelopt.SVC(C=1.0), WorkingSet(band=40), families)
        for some in (np.arange(len(X)), order)
    )
    assert ours.status is theirs.status is Status.CONVERGED
    for one, other in ((ours, theirs), (theirs, ours)):  # both may close their gap but for the last digit
        upper = other.certificate.upper
        assert one.certificate.lower <= upper + 2.0 * np.spacing(upper)


@pytest.mark.parametrize("C", [0.1, 1.0])
def test_answers_have_zeros_where_the_optimum_has(rows, C):
    """A kernel of three features leaves few variables between their bounds, however many rows move."""
    X, labels, _ = rows(0.5)
    s = solved(X, labels, kernelopt.SVC(C=C), WorkingSet(band=200), (Affine(),))
    assert s.status is Status.CONVERGED
    alpha = s.response.duals[0].alpha
    inside = (alpha > 1e-6 * C) & (alpha < (1.0 - 1e-6) * C)
    assert inside.sum() <= 10


@pytest.mark.parametrize(("C", "at_once"), [(0.1, False), (100.0, True), (1000.0, True)])
def test_where_the_sample_has_mostly_free_rows_all_rows_move_at_once(C, at_once):
    """Without bounds to be held at, a set of most of the rows would be followed by others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=150)
    s = solved(X, y, kernelopt.SVR(C=C, epsilon=0.1), WorkingSet(band=20), ("tk",))
    assert s.status is Status.CONVERGED
    sets = {record.note.split(" move")[0] for record in s.trace if record.note.startswith("set")}
    assert sets
    assert ("set 1, 150 rows, 300" in sets) is at_once


def test_a_run_that_ends_while_all_rows_move_gives_what_they_have_so_far():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.normal(size=150)
    criterion, steps = kernelopt.SVR(C=100.0, epsilon=0.1), []

    def stopped(record):
        steps.append("set 1, 150 rows" in record.note)
        return sum(steps) == 3

    s = solved(X, y, criterion, WorkingSet(band=20), ("tk",), callback=stopped)
    assert s.status is Status.INTERRUPTED
    assert s.certificate.upper < 0.5 * s.trace[-1].upper
    assert s.certificate.upper == pytest.approx(by_hand(criterion, s, X, y), rel=1e-6)
    assert s.certificate.lower <= s.certificate.upper


def test_a_kernel_is_never_worth_less_than_none():
    """A small sample's margins are wrong for many rows, and few variables that move cannot make up for it. The machine
    of all rows can: with the best one any kernel has an upper bound below the loss of the function 0.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=600)
    seen = []

    class Watched(WorkingSet):
        def step(self, problem, state, budget):
            seen.append(super().step(problem, state, budget))
            return seen[-1]

    criterion = kernelopt.SVR(C=1.0, epsilon=0.1)
    s = kernelopt.solve(X, y, family="tk", criterion=criterion, solver=Watched(band=40), tol=1e-2)
    nothing = min(criterion.C * np.maximum(np.abs(y - level) - criterion.epsilon, 0.0).sum() for level in np.sort(y))
    assert s.status is Status.CONVERGED
    assert max(state.response.upper for state in seen if state.rounds) <= 1.05 * nothing
    assert max(len(state.chosen.rows) for state in seen) < 300


def test_all_rows_move_at_once_only_if_they_have_room(monkeypatch):
    monkeypatch.setattr("kernelopt._solvers._working_set.capacity", lambda problem, grams: 140)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    s = solved(X, np.sin(2.0 * X[:, 0]), kernelopt.SVR(C=100.0, epsilon=1e-3), WorkingSet(band=20), ("tk",))
    assert not any(record.note.startswith("set 1, 150 rows") for record in s.trace)


def test_searched_families_come_through_an_exchange_inside_the_set():
    X, y = two_classes(np.random.default_rng(0), 150, 2)
    options = {"criterion": {"name": "svc", "C": 1.0}, "tol": 1e-3, "family": ["gaussian", "cosine"]}
    whole = kernelopt.solve(X, y[:, 0], solver="fw", **options)
    for inner in ("ipm", "fw"):
        s = kernelopt.solve(X, y[:, 0], solver={"name": "working-set", "solver": inner, "band": 60}, **options)
        assert s.status.converged, inner
        assert s.certificate.lower <= whole.certificate.upper * (1.0 + 1e-9), inner
        assert whole.certificate.lower <= s.certificate.upper * (1.0 + 1e-9), inner


@pytest.mark.parametrize("inner", ["ipm", "fw", "smo", "simplemkl"])
def test_a_long_list_is_solved_as_if_it_were_short(inner, monkeypatch):
    monkeypatch.setattr("kernelopt._families.dictionary._streamed._SMALL", 0)
    X, y = two_classes(np.random.default_rng(0), 150, 2)
    family = kernelopt.Dictionary(["linear", *(("rbf", {"gamma": gamma}) for gamma in (0.1, 1.0, 10.0))])
    solver = {"name": "working-set", "solver": inner, "band": 60}
    s, whole = (solved(X, y[:, 0], kernelopt.SVC(C=1.0), one, (family,)) for one in (solver, "ipm"))
    assert s.status.converged
    assert s.certificate.lower <= whole.certificate.upper * (1.0 + 1e-9)
    assert whole.certificate.lower <= s.certificate.upper * (1.0 + 1e-9)


def test_a_run_on_many_rows_begins_with_no_kernel_between_them(monkeypatch):
    """Dual variables of 0 prove a true upper bound, the loss of nothing, from which the run goes on."""
    from kernelopt._api.beginning import _start

    monkeypatch.setattr(_start, "_MOST_ANSWERED", 200)
    X, y = two_classes(np.random.default_rng(0), 300, 2)
    s = solved(X, y[:, 0], kernelopt.SVC(C=1.0), WorkingSet(band=60), ("tk",))
    whole = solved(X, y[:, 0], kernelopt.SVC(C=1.0), "ipm", ("tk",))
    assert s.status is Status.CONVERGED
    assert s.baseline is None
    assert s.trace[0].upper == pytest.approx(2.0 * min((y > 0.0).sum(), (y < 0.0).sum()))
    assert s.certificate.lower <= whole.certificate.upper
    assert whole.certificate.lower <= s.certificate.upper


def of_weights(*weights):
    parts = (np.array(part, dtype=float) for part in weights)
    return Response(Mixture(tuple(Part(np.arange(len(part))[:, None].astype(float), part) for part in parts)), (), 1.0)


def test_the_lightest_kernels_are_left_out_over_all_rows_and_the_others_weigh_as_much_together():
    free = SimpleNamespace(leaves=(SimpleNamespace(penalty=None),) * 2)
    response = of_weights([0.5, 1e-5, 5e-5, 3e-3], [6e-5, 0.2, 5e-4])
    found = _lighter(free, response).mixture
    assert [list(part.atoms[:, 0]) for part in found.parts] == [[0.0, 3.0], [1.0, 2.0]]
    assert found.mass == pytest.approx(response.mixture.mass, rel=1e-12)
    heavy = of_weights([0.5, 0.3], [0.2])
    assert _lighter(free, heavy) is heavy


def test_kernels_that_have_a_price_are_all_kept():
    priced = SimpleNamespace(leaves=(SimpleNamespace(penalty=None), SimpleNamespace(penalty=object())))
    response = of_weights([0.5, 1e-9], [0.2])
    assert _lighter(priced, response) is response


def test_a_long_list_is_looked_at_over_all_rows_by_the_kernels_that_count(monkeypatch):
    seen, gram = [], Problem.gram

    def watched(problem, mixture):
        seen.append((problem.n, len(mixture)))
        return gram(problem, mixture)

    monkeypatch.setattr(Problem, "gram", watched)
    X, y = two_classes(np.random.default_rng(0), 300, 3)
    kernels = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in np.geomspace(1e-3, 1e3, 30)])
    s = kernelopt.solve(X, y[:, 0], family=kernels, criterion="svc", solver=WorkingSet(band=60), tol=1e-5)
    assert s.status is Status.CONVERGED
    assert any(count == 30 for rows, count in seen if rows < 300)
    sets = [count for rows, count in seen if rows == 300 and count > 1]
    assert min(sets) <= 15
