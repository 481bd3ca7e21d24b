"""A search that missed something: the last look finds it, and the run goes on."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Status
from kernelopt._saddle._second_look import _joined
from kernelopt._saddle._trace import Trace
from kernelopt.testing import CuttingPlanes, Waves

RNG = np.random.default_rng(0)
X = RNG.uniform(-2.0, 2.0, size=(60, 1))
Y = np.cos(2.5 * X[:, 0]) + 0.05 * RNG.normal(size=60)


@attrs.frozen
class Shy(Waves):
    """Its search sees only slow waves the first so many times."""

    blind: int = 0
    asked: list[int] = attrs.field(factory=list, eq=False)

    def best_atoms(self, data, V, query):
        self.asked.append(1)
        top = 1.5 if len(self.asked) <= self.blind else self.top
        return Waves(top=top).best_atoms(data, V, query)


def solve(blind, **options):
    family = Shy(blind=blind)
    s = kernelopt.solve(
        X, Y, family=family, criterion={"name": "ridge", "lam": 0.1}, solver={"name": "fw", "adapt": 0}, **options
    )
    return s, len(family.asked)


def test_a_run_goes_on_where_the_last_look_finds_better_kernels():
    missed, calls = solve(blind=10**9)
    assert missed.status is Status.CONVERGED_ESTIMATED
    s, _ = solve(blind=calls - 1)
    whole, _ = solve(blind=0)
    assert s.status is Status.CONVERGED_ESTIMATED
    assert s.objective < 0.8 * missed.objective
    assert s.objective == pytest.approx(whole.objective, rel=2e-3)
    assert [record.step for record in s.trace] == list(range(len(s.trace)))
    assert len(s.trace) > len(missed.trace)


def test_no_step_is_left_to_go_on():
    missed, calls = solve(blind=10**9)
    s, _ = solve(blind=calls - 1, max_steps=missed.steps)
    assert s.status is Status.STALLED
    assert s.certificate.relative_gap > 0.1
    assert s.steps == missed.steps
    assert _joined(s.trace, Trace([])) == s.trace  # Ctrl-C came before the second run had begun


class Pressed(CuttingPlanes):
    """Ctrl-C comes while it begins."""

    def init(self, problem, start, seed, budget):
        raise KeyboardInterrupt


def test_ctrl_c_before_the_first_state_leaves_the_machine_of_the_centre():
    family = kernelopt.Dictionary([("rbf", {"gamma": g}) for g in (0.3, 3.0)])
    s = kernelopt.solve(X, Y, family=family, criterion={"name": "ridge", "lam": 0.1}, solver=Pressed())
    assert s.status is Status.INTERRUPTED
    assert not s.trace
    assert s.certificate.lower <= s.certificate.upper == pytest.approx(s.baseline)
    assert np.isfinite(s.predict(X)).all()
