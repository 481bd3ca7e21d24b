"""Where a kernel says no more than noise: another start, or a word."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence, Status
from kernelopt._evidence import _criterion, _effort
from kernelopt._evidence.lists import _single_kernels
from kernelopt._evidence.lists._single_kernels import better_single
from kernelopt._evidence.noise._noise_alone import noise_alone
from kernelopt._saddle import _restarts
from kernelopt._saddle._loop import run

NOISE = "evidence: to these kernels the targets look like noise"


def short_waves(n=100):
    """A sine of six waves along one of two columns: from afar they look like noise."""
    rng = np.random.default_rng(2202)
    X = rng.uniform(-1.0, 1.0, size=(n, 2))
    return X, np.sin(20.0 * X[:, 0]) + 0.1 * rng.normal(size=n)


def noise(n=80):
    """Rows, and targets that they do not explain."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 3)), rng.normal(size=n)


def learned(X, y, **options):
    return kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="numbers", effort="quick"), **options)


def told(s, text):
    return [note for note in s.notes if note.startswith(text)]


@pytest.fixture
def one_start(monkeypatch):
    """No run begins from elsewhere."""
    monkeypatch.setattr(Evidence, "elsewhere", lambda *_: ())


@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("level", [0.0, 0.1, 5.0])
def test_noise_alone_is_the_optimum_over_level_and_noise(level, outputs):
    rng = np.random.default_rng(1)
    Y = rng.normal(size=(30, outputs)) + level
    s = kernelopt.solve(rng.normal(size=(30, 2)), Y, family="delta", criterion="evidence", atol=1e-6)
    Y -= Y.mean(axis=0)
    Y /= Y.std(axis=0) if outputs > 1 else 1.0
    assert noise_alone(Y, 1e-6 * float(np.mean(Y * Y)), np.ones(len(Y))) == pytest.approx(s.objective, abs=1e-4)


@pytest.mark.parametrize(
    ("classes", "word"), [(False, "the mean of the targets: check y"), (True, "the largest class:")]
)
def test_the_advice_keeps_the_criterion_and_fits_the_targets(classes, word):
    X, y = noise()
    criterion = Evidence(targets="labels" if classes else "numbers", effort="quick")
    (note,) = told(kernelopt.solve(X, y > 0.0 if classes else y, family="auto", criterion=criterion), NOISE)
    assert f"better than {word}" in note
    assert ("outliers" in note) != classes
    asked = eval(f"dict({note.partition('such as ')[2].replace(' with ', ', ')})")
    assert asked["family"] == ["auto", "gaussian"]
    assert kernelopt.solve(X, y, max_steps=0, **asked).criterion.name == "evidence"


@pytest.mark.parametrize("value", [0.0, 7.0])
def test_targets_without_noise_are_not_called_noise(value):
    assert noise_alone(np.full((9, 1), value), 1e-6 * (value**2 or 1.0), np.ones(9)) is None
    assert not told(learned(noise()[0], np.full(80, value)), "evidence")


def test_short_waves_look_like_noise_from_one_start(one_start):
    X, y = short_waves()
    s = learned(X, y)
    assert s.status is Status.STATIONARY
    assert told(s, NOISE)


@pytest.mark.parametrize("solver", ["scoring", "reweighted"])
def test_another_start_finds_them(solver):
    X, y = short_waves()
    s = learned(X, y, solver=solver)
    assert s.status is Status.STATIONARY
    assert s.objective < noise_alone(y[:, None], 1e-6, np.ones(len(y))) - 50.0
    assert told(s, "solver: a second run from another kernel ended ")
    assert not told(s, "evidence")
    Z = np.random.default_rng(0).uniform(-0.9, 0.9, size=(50, 2))
    assert np.corrcoef(s.predict(Z), np.sin(20.0 * Z[:, 0]))[0, 1] > 0.9
    assert s.objective == learned(X, y, solver=solver).objective


def test_what_some_rows_take_for_noise_all_rows_may_not():
    X, y = short_waves(400)
    s = learned(X, y)
    assert s.objective < noise_alone(y[:, None], 1e-6, np.ones(len(y))) - 50.0
    assert not told(s, "evidence")


@pytest.mark.parametrize("classes", [2, 3])
def test_noise_is_called_noise(classes):
    X, y = noise()
    assert told(learned(X, y), NOISE)
    labels = np.random.default_rng(0).integers(0, classes, len(X))
    s = kernelopt.solve(X, labels, family="auto", criterion="evidence")
    assert s.status is Status.STATIONARY
    assert told(s, NOISE)


def test_of_a_kernel_that_was_not_learned_to_the_end_nothing_is_said():
    s = learned(*noise(), max_steps=0)
    assert s.status is Status.MAX_STEPS
    assert not told(s, NOISE)


def test_what_the_note_says_to_try_runs():
    X, y = noise(30)
    assert '["auto", "gaussian"]' in told(learned(X, y), NOISE)[0]
    assert kernelopt.solve(X, y, family=["auto", "gaussian"], criterion="evidence", tol=1e-2).status.converged


def test_an_ordinary_problem_pays_for_no_other_run(rows, monkeypatch):
    runs = []
    monkeypatch.setattr(_restarts, "run", lambda *given, **named: runs.append(given) or run(*given, **named))
    for n, wanted in ((60, 1), (400, 2)):
        runs.clear()
        assert not told(learned(*rows(n)), "evidence")
        assert len(runs) == wanted, "one for some of the rows where there are many, and one for all"
    runs.clear()
    learned(*short_waves())
    assert len(runs) == 2


def test_with_many_rows_there_is_a_look_in_doubt_alone(posed_rows, monkeypatch):
    problem = posed_rows("auto", *short_waves(450))
    ended = problem.respond(problem.center())
    assert better_single(problem, ended, doubtful=False) is None
    monkeypatch.setattr(_single_kernels, "_FEW", 500)
    found = better_single(problem, ended, doubtful=False)
    assert problem.respond(found).upper < ended.upper
    assert better_single(problem, learned(*short_waves(450)).response, doubtful=True) is None


def test_rows_that_were_looked_at_are_not_looked_at_again(monkeypatch):
    """Of 330 rows a third has more than a look takes; there it was taken."""
    asked = []
    real = _single_kernels.most_likely
    monkeypatch.setattr(_single_kernels, "most_likely", lambda p, *more: asked.append(p.n) or real(p, *more))
    for place in (_criterion, _single_kernels):
        monkeypatch.setattr(place, "ROWS", 70)
    monkeypatch.setattr(_effort, "_ROUNDS", {"quick": (0, 100), "normal": (2, 100)})
    X, y = noise(330)
    for effort in ("quick", "normal"):
        asked.clear()
        criterion = kernelopt.Evidence(effort=effort, rough=40)
        assert told(kernelopt.solve(X, y, family="auto", criterion=criterion), NOISE)
        assert max(asked) == 110
