"""A run whose end the objective doubts: the best of it and of others from elsewhere, whoever stops them."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence, Status

RNG = np.random.default_rng(2202)
X = RNG.uniform(-1.0, 1.0, size=(100, 2))
Y = np.sin(20.0 * X[:, 0]) + 0.1 * RNG.normal(size=100)
NOISE, WAVES = 125.0, 10.0
"""The first run ends below the one, and the second below the other."""


def solve(effort="quick", **options):
    """By default without rounds of learned metrics, for these would give the run another start than the centre."""
    return kernelopt.solve(X, Y, family="auto", criterion=Evidence(targets="numbers", effort=effort), **options)


def seen(then=lambda _: None):
    """A callback that does something in the second run, and the steps that it sees."""
    steps = []

    def call(record):
        steps.append(record.step)
        return then(record) if steps.count(0) == 2 else None

    return call, steps


def test_the_better_run_is_the_answer_with_its_trace():
    call, steps = seen()
    s = solve(callback=call)
    assert s.objective < WAVES
    assert steps.count(0) == 2
    second = len(steps) - 1 - steps[::-1].index(0)
    assert [record.step for record in s.trace] == steps[second:]
    assert s.trace[-1].upper == pytest.approx(s.objective, abs=0.1)


@pytest.mark.parametrize("how", ["a callback", "Ctrl-C"])
@pytest.mark.parametrize("after", [0, 1])
def test_an_interrupted_second_run_is_an_interruption_and_loses_nothing(how, after):
    def stop(record):
        if record.step == after and how == "Ctrl-C":
            raise KeyboardInterrupt
        return record.step == after

    call, _ = seen(stop)
    s = solve(callback=call)
    assert s.status is Status.INTERRUPTED
    assert s.objective < NOISE
    assert s.certificate.lower <= s.certificate.upper


def test_a_run_that_a_limit_stopped_is_not_begun_again():
    call, steps = seen()
    assert solve(callback=call, max_steps=0).status is Status.MAX_STEPS
    assert steps == [0]


def test_steps_are_those_of_all_runs():
    call, steps = seen()
    whole = solve(callback=call)
    first = steps[1:].index(0)
    s = solve(max_steps=first + 1)
    assert s.steps <= 1 < whole.steps
    assert s.objective < NOISE


def test_a_run_goes_on_from_the_kernel_that_rounds_have_learned():
    call, steps = seen()
    s = solve("normal", callback=call)
    assert steps.count(0) == 1
    assert s.objective < WAVES
    assert s.baseline > WAVES


def test_a_run_that_is_no_better_is_not_told():
    noise = np.random.default_rng(0).normal(size=100)
    s = kernelopt.solve(X, noise, family="auto", criterion="evidence")
    assert s.status is Status.STATIONARY
    assert not [note for note in s.notes if note.startswith("solver: a second run")]


def test_a_checkpoint_holds_the_better_kernel(tmp_path):
    path = tmp_path / "run.ckpt"
    first = solve(checkpoint=path)
    again = solve(checkpoint=path, max_steps=0)
    assert again.objective == pytest.approx(first.objective, abs=0.1)


def test_an_interruption_between_two_runs_loses_nothing(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Evidence, "elsewhere", interrupted)
    s = solve()
    assert s.status is Status.INTERRUPTED
    assert s.objective < NOISE


def test_a_start_that_is_given_is_doubted_like_any(monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Evidence, "elsewhere", lambda *_: ())
        noise = solve("quick")  # both runs have one list: no kernels join it
    assert noise.objective > WAVES
    assert solve("quick", start=noise).objective < WAVES
