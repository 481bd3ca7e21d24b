"""A backend that is missing, unlicensed or inaccurate becomes a note and a fallback."""

import sys
import types

import numpy as np
import pytest
from kernelopt_qcqp import QCQP, _backends
from kernelopt_qcqp._backends import ECOS, Clarabel
from kernelopt_qcqp._program_arrays import Answer, Program
from scipy import sparse

import kernelopt

needs_ecos = pytest.mark.skipif(ECOS().unusable() is not None, reason="cvxpy and ecos are not installed")


class LicenceError(Exception):
    """What a fake MOSEK raises."""


def fake_mosek(*, licensed, asked):
    """A module that answers the licence question and counts how often it was asked."""

    class Env:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def checkoutlicense(self, feature):
            asked.append(feature)
            if not licensed:
                raise LicenceError("missing licence file")

    module = types.ModuleType("mosek")
    module.Env, module.Error, module.feature = Env, LicenceError, types.SimpleNamespace(pton="pton")
    return module


@pytest.fixture
def forgetful():
    """The answer of an earlier probe is forgotten, before and after."""
    _backends._without_licence.cache_clear()
    yield
    _backends._without_licence.cache_clear()


def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    family = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.1, 1.0, 5.0)])
    return X, np.where(X[:, 0] * X[:, 1] > 0.0, 1.0, -1.0), family


def solved(backend):
    X, y, family = problem()
    s = kernelopt.solve(X, y, family=family, solver=QCQP(backend=backend), tol=1e-6)
    assert s.status is kernelopt.Status.CONVERGED
    return s, s.trace[-1].note


def program():
    """min x^2 / 2 - x subject to 1/2 >= |x|."""
    matrix = sparse.csc_matrix(np.array([[0.0], [-1.0]]))
    return Program(np.ones(1), -np.ones(1), matrix, np.array([0.5, 0.0]), 0, 0, (2,))


@pytest.mark.parametrize("backend", [Clarabel(), pytest.param(ECOS(), marks=needs_ecos)], ids=lambda one: one.name)
def test_a_backend_solves_a_program_and_has_its_multipliers(backend):
    answer = backend.solve(program(), 1e-9, None)
    assert answer.solved
    assert answer.x == pytest.approx([0.5], abs=1e-6)
    assert np.abs(answer.multipliers) == pytest.approx([0.5, 0.5], abs=1e-6)


@needs_ecos
def test_ecos_and_clarabel_agree():
    ours, note = solved("ecos")
    theirs, _ = solved("clarabel")
    assert note.endswith("ecos: optimal")
    assert ours.certificate.lower <= theirs.certificate.upper
    assert theirs.certificate.lower <= ours.certificate.upper
    masses = [s.mixture.parts[0].atoms[np.argmax(s.mixture.parts[0].weights)] for s in (ours, theirs)]
    assert masses[0] == masses[1]


@pytest.mark.parametrize("name", ["ecos", "mosek"])
@pytest.mark.parametrize("missing", ["cvxpy", "its wheel"])
def test_a_missing_wheel_becomes_a_note(name, missing, monkeypatch, forgetful):
    absent = {"cvxpy": "cvxpy", "its wheel": name}[missing]
    monkeypatch.setattr(_backends, "find_spec", lambda one: None if one == absent else object())
    monkeypatch.setitem(sys.modules, "mosek", None)
    s, note = solved(name)
    assert f"{name}: {absent} not installed; clarabel: Solved" in note
    assert f"solver: qcqp cannot use {name} ({absent} not installed), so Clarabel is used instead" in s.notes


def test_a_missing_licence_becomes_a_note_and_is_asked_for_once(monkeypatch, forgetful):
    asked = []
    monkeypatch.setattr(_backends, "find_spec", lambda _: object())
    monkeypatch.setitem(sys.modules, "mosek", fake_mosek(licensed=False, asked=asked))
    for _ in range(2):
        _, note = solved("mosek")
        assert "mosek has no licence (missing licence file); clarabel: Solved" in note
    assert asked == ["pton"]


@pytest.mark.parametrize("around", ["chain", "working-set", "exchange"])
def test_the_note_is_the_same_when_another_solver_puts_it_to_work(around, monkeypatch, forgetful):
    monkeypatch.setitem(sys.modules, "mosek", None)
    X, y, family = problem()
    inner = QCQP(backend="mosek")
    solver = {"chain": kernelopt.Chain(inner, "fw"), "working-set": {"name": "working-set", "solver": inner}}
    options = {"family": "tk" if around == "exchange" else family, "solver": solver.get(around, inner)}
    s = kernelopt.solve(X, y, max_steps=1, criterion="svc", **options)
    assert sum(note.startswith("solver: qcqp cannot use mosek") for note in s.notes) == 1


def test_auto_says_nothing_of_a_mosek_that_is_not_there(monkeypatch, forgetful):
    monkeypatch.setitem(sys.modules, "mosek", None)
    s, note = solved("auto")
    assert "mosek" not in note
    assert not any("mosek" in one for one in s.notes)
    assert "clarabel: Solved" in note


@pytest.mark.parametrize("choice", ["auto", "mosek"])
def test_a_licensed_mosek_is_taken_and_named(choice, monkeypatch, forgetful):
    """cvxpy is asked for MOSEK by name; here Clarabel answers under it."""
    cvxpy = pytest.importorskip("cvxpy")
    monkeypatch.setitem(sys.modules, "mosek", fake_mosek(licensed=True, asked=[]))
    named, honest = [], cvxpy.Problem.solve

    def solve(self, *, solver, mosek_params):
        named.append((solver, sorted(mosek_params)))
        return honest(self, solver=cvxpy.CLARABEL, tol_gap_rel=1e-9, tol_gap_abs=1e-9)

    monkeypatch.setattr(cvxpy.Problem, "solve", solve)
    _, note = solved(choice)
    assert note.endswith("mosek: optimal")
    assert {name for name, _ in named} == {"MOSEK"}
    assert all(options[0].startswith("MSK_DPAR_") for _, options in named)


@pytest.mark.parametrize("how", ["inaccurate", "an error", "nothing"])
def test_what_does_not_solve_is_replaced(how, monkeypatch):
    cvxpy = pytest.importorskip("cvxpy")
    monkeypatch.setattr(_backends, "find_spec", lambda _: object())
    honest = cvxpy.Problem.solve

    def solve(self, **_):
        if how == "an error":
            raise cvxpy.SolverError("it broke")
        if how == "nothing":
            self._status = "infeasible"
            return
        honest(self, solver=cvxpy.CLARABEL)
        self._status = "optimal_inaccurate"

    monkeypatch.setattr(cvxpy.Problem, "solve", solve)
    said = {"inaccurate": "optimal_inaccurate", "an error": "it broke", "nothing": "infeasible"}[how]
    _, note = solved("ecos")
    assert f"ecos: {said}; clarabel: Solved" in note


def test_a_sample_without_numbers_is_given_up(monkeypatch):
    honest, sizes = Clarabel.solve, []

    def solve(self, program, tolerance, seconds):
        sizes.append(program.nonnegative)
        if len(sizes) == 1:
            return Answer(np.array([np.nan]), np.array([np.nan]), False, "numerical error")
        return honest(self, program, tolerance, seconds)

    monkeypatch.setattr(Clarabel, "solve", solve)
    X, y, family = problem()
    s = kernelopt.solve(X, y, family=family, solver=QCQP(backend="clarabel", rough=12), tol=1e-6)
    assert s.status is kernelopt.Status.CONVERGED
    assert sizes[0] < 30 < sizes[1]
    assert s.trace[1].note.startswith("no sample")


def test_an_answer_without_numbers_stalls_with_true_bounds(monkeypatch):
    nothing = Answer(np.array([np.nan]), np.array([np.nan]), False, "numerical error")
    monkeypatch.setattr(Clarabel, "solve", lambda *_: nothing)
    X, y, family = problem()
    s = kernelopt.solve(X, y, family=family, solver=QCQP(backend="clarabel"), tol=1e-6)
    assert s.status is kernelopt.Status.STALLED
    assert s.certificate.lower <= s.certificate.upper
    assert "numerical error" in s.trace[-1].note
