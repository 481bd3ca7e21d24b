"""The list of auto grows under the evidence where rows that were held out gain by it, and only there."""

from itertools import groupby
from types import SimpleNamespace

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence, Status
from kernelopt._api.beginning import _rehearsal
from kernelopt._api.growth import _grown, _parts, _rounds
from kernelopt._api.growth._fits import Ended, Learner
from kernelopt._api.growth._forest_advice import _in_unit_range
from kernelopt._api.growth._kernels import Kernels
from kernelopt._api.growth._parts import Parts
from kernelopt._api.growth._steps import TREES
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel
from kernelopt._families.dictionary.seen._leaves import Leaves
from kernelopt._families.dictionary.seen._places import Metric
from kernelopt._saddle import _restarts
from kernelopt._saddle._objective import Growth

NUMBERS = Evidence(targets="numbers", noise="gaussian")


def planned(monkeypatch, *plan):
    """Families grow by this plan, but with little effort."""
    monkeypatch.setattr(
        Evidence, "growth", lambda self, n, outputs: Growth(plan[0] * (self.effort != "quick"), *plan[1:])
    )


def metrics_of(solution, kind=Metric):
    """How many kernels of learned metrics are in the list, or of trees, and their share of the weight."""
    (part, *_), (leaf, *_) = solution.mixture.parts, solution.kernel.leaves
    learned = [isinstance(one, PlacedKernel) and isinstance(one.place, kind) for one in leaf.family.listed]
    return sum(learned), part.weights[np.array(learned)[part.atoms[:, 0].astype(int)]].sum() / max(part.mass, 1e-300)


def three_of(d, n=500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=n)


def test_three_of_fifty_columns_are_found(monkeypatch):
    planned(monkeypatch, 1, 1000, 2)
    X, y = three_of(50, n=400, seed=1)
    plain = kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="numbers", effort="quick"), tol=1e-2)
    grown = kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="numbers"), tol=1e-2)
    assert metrics_of(plain)[0] == 0
    assert metrics_of(grown)[1] > 0.5
    assert any("of learned metrics joined the list" in note for note in grown.notes)
    Z, new = three_of(50, seed=2)
    assert np.mean((grown.predict(Z) - new) ** 2) < 0.1 * np.mean((plain.predict(Z) - new) ** 2)
    shares = kernelopt.directions(grown, Z[:50]).shares
    assert shares[:3].sum() > 0.9


@pytest.mark.parametrize("targets", ["numbers", "labels"])
@pytest.mark.parametrize("seed", [0, 1])
def test_noise_adds_nothing(targets, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 8)), rng.normal(size=200)
    y = y if targets == "numbers" else y > 0.0
    s = kernelopt.solve(X, y, family="auto", criterion=Evidence(targets=targets), tol=1e-2)
    assert metrics_of(s, Metric | Leaves)[0] == 0
    assert s.status is Status.STATIONARY


@pytest.mark.parametrize("seed", [0, 3])
def test_noise_that_occurs_twice_adds_nothing(seed):
    """Copies of a row are held out together: a row that was learned from is no judge."""
    rng = np.random.default_rng(seed)
    X, y = np.repeat(rng.normal(size=(100, 8)), 2, axis=0), np.repeat(rng.normal(size=100), 2)
    for targets in (y, y > 0.0):
        s = kernelopt.solve(X, targets, family="auto", criterion="evidence", tol=1e-2)
        assert metrics_of(s, Metric | Leaves)[0] == 0


def test_rows_that_are_few_but_for_copies_stay_as_they_are():
    X, y = np.repeat(np.arange(3.0)[:, None], 20, axis=0), np.repeat([0.0, 1.0, 5.0], 20)
    assert metrics_of(kernelopt.solve(X, y, family="auto", criterion="evidence", tol=1e-2))[0] == 0


def test_few_rows_and_other_families_stay_as_they_are(monkeypatch):
    X, y = three_of(5, n=30)
    assert metrics_of(kernelopt.solve(X, y, family="auto", criterion="evidence"))[0] == 0
    X, y = three_of(3, n=60)
    listed = kernelopt.Dictionary(["linear", ("rbf", {"gamma": 0.3})], normalize="trace")
    s = kernelopt.solve(X, y, family=listed, criterion="evidence")
    assert len(s.kernel.leaves[0].family.listed) == 2
    svr = kernelopt.solve(X, y, family="auto", criterion="svr", tol=0.1)
    assert metrics_of(svr)[0] == 0


@pytest.fixture(scope="module")
def grown():
    X, y = three_of(6, n=160)
    X = np.column_stack([X, np.full(len(X), 3.0)])  # a constant column among them
    s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-3)
    assert metrics_of(s)[1] > 0.0
    return X, y, s


def test_a_grown_list_is_certified(grown):
    X, y, s = grown
    assert s.status is Status.STATIONARY
    family = s.kernel.leaves[0].family
    again = kernelopt.certify(X[:, :6], y, family=family, criterion=NUMBERS, mixture=s.mixture)
    assert again.upper == pytest.approx(s.certificate.upper, rel=1e-6)
    assert again.lower == pytest.approx(s.certificate.lower, rel=1e-3)


def test_a_grown_list_is_saved_and_warm_started(grown, tmp_path):
    X, y, s = grown
    s.save(tmp_path / "model.kernelopt")
    read = kernelopt.load(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(read.predict(X), s.predict(X))
    again = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, start=s)
    assert again.trace[0].upper == pytest.approx(s.objective, rel=1e-9)
    assert "x0" in str(s.kernel)
    assert "size" in str(s.named(["size", *"abcdef"]).kernel)


def test_columns_may_stand_in_any_order_and_units(grown):
    X, y, s = grown
    order = np.array([4, 2, 0, 6, 5, 1, 3])
    other = X[:, order] * np.array([1e3, 1e-3, 1.0, 7.0, 2.0, 5.0, 0.1]) + 5.0
    turned = kernelopt.solve(other, y, family="auto", criterion=NUMBERS, tol=1e-3)
    assert turned.objective == pytest.approx(s.objective, abs=0.5)
    assert np.corrcoef(turned.predict(other), s.predict(X))[0, 1] > 0.999


def test_an_interruption_among_the_rounds_leaves_an_answer(monkeypatch):
    X, y = three_of(6, n=160)
    step = kernelopt.Scoring.step

    def stopped(self, problem, state, budget):
        if problem.n < len(X):
            raise KeyboardInterrupt
        return step(self, problem, state, budget)

    monkeypatch.setattr(kernelopt.Scoring, "step", stopped)
    s = kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="numbers"))
    assert s.status is Status.INTERRUPTED
    assert np.isfinite(s.certificate.upper)
    assert metrics_of(s)[0] == 0


def test_a_short_time_limit_says_that_nobody_looked(monkeypatch):
    X, y = three_of(6, n=160)
    monkeypatch.setattr(Learner, "of", classmethod(lambda cls, *known, alone: cls(*known[:-1], 1e-9)))
    s = kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="numbers"), max_seconds=20.0)
    assert metrics_of(s)[0] == 0
    assert any("of max_seconds, so none was added" in note for note in s.notes)


@pytest.mark.parametrize("ended", [True, False], ids=["ended", "expected"])
def test_what_few_rows_say_stays_where_there_is_no_time_for_more(ended, monkeypatch):
    """A look at them comes first; that at all of the plan's ends the share, or is expected to."""
    X, y = three_of(12, n=350)
    plan, looked, looks = Growth(1, 320, 2), [], _rounds.judged

    def judged(learner, base, asked, *others):
        looked.append(asked.rows)
        if asked.rows == plan.rows and ended:
            raise Ended(False)
        return looks(learner, base, asked, *others)

    monkeypatch.setattr(_grown, "judged", judged)
    monkeypatch.setattr(Evidence, "growth", lambda self, n, outputs: plan)
    monkeypatch.setattr(_grown, "_GROWTH", 0.0 if ended else 100.0)
    monkeypatch.setattr(_grown, "_FEWEST", 80)
    s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-2, max_seconds=1e6)
    assert looked[0] == 80
    assert (plan.rows in looked) is ended
    assert metrics_of(s)[0] > 0
    assert any("on 80 rows, where 320 were wanted" in note for note in s.notes)


def test_fewer_rows_than_the_plan_has_are_looked_at_in_part_as_well(monkeypatch):
    X, y = three_of(12, n=240)
    looked, looks = [], _rounds.judged
    monkeypatch.setattr(_grown, "_FEWEST", 60)
    monkeypatch.setattr(_grown, "judged", lambda *asked: looked.append(asked[2].rows) or looks(*asked))
    planned(monkeypatch, 1, 1000, 2)
    s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-2, max_seconds=1e6)
    assert looked[:2] == [60, 1000]
    assert metrics_of(s)[0] > 0
    assert not any("were wanted" in note for note in s.notes)


@pytest.mark.parametrize(("alone", "least"), [(False, 0.3), (True, 0.6)])
def test_few_rows_leave_more_of_the_time_to_rounds(alone, least):
    """Where all rows take as long as the rounds' rows do; never less than where they take much longer."""
    shares = [
        Learner.of(
            SimpleNamespace(training=SimpleNamespace(X=np.zeros((n, 1)))),
            None,
            None,
            None,
            Growth(3, 1000, 2),
            alone=alone,
        ).share
        for n in (500, 1000, 1500, 3000, 10_000)
    ]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] == shares[1] > 0.6
    assert shares[-1] == shares[-2] == pytest.approx(least)


@pytest.mark.parametrize(("left", "rows"), [(9.0, 1000), (8.0, 1000), (7.0, 914), (3.0, 520), (2.0, None), (0.0, None)])
def test_rounds_learn_from_as_many_rows_as_there_is_time_for(left, rows):
    """A quarter of them took a second, and all of them would take eight."""
    learner = SimpleNamespace(budget=SimpleNamespace(allows=lambda seconds: seconds <= left, remaining=lambda: left))
    found = _grown._affordable(learner, Growth(3, 250, 2), Growth(3, 1000, 2), 1.0)
    assert (None if found is None else found.rows) == rows


def test_effort_is_one_of_three():
    with pytest.raises(kernelopt.InvalidOption, match="thorough"):
        Evidence(effort="more")
    assert Evidence(effort="quick").growth(5000, 1).most == 0
    assert Evidence(effort="thorough").growth(5000, 1).rows > Evidence().growth(5000, 1).rows
    assert Evidence().growth(100, 1).folds > Evidence().growth(5000, 1).folds
    assert Evidence().growth(5000, 10).rows < Evidence().growth(5000, 2).rows == 1000


def test_a_union_grows_where_it_can(monkeypatch):
    """Its other member may have no weight when a round begins, and there may be several targets."""
    planned(monkeypatch, 1, 1000, 2)
    X, _ = three_of(4, n=100)
    y = np.sin(X[:, 0] + X[:, 1] + X[:, 2]) + 0.1 * np.random.default_rng(9).normal(size=len(X))
    s = kernelopt.solve(X, y, family=["auto", "gaussian"], criterion=NUMBERS, tol=1e-2)
    both = kernelopt.solve(X, np.column_stack([y, X[:, 3]]), family="auto", criterion=NUMBERS, tol=1e-2)
    for one in (s, both):
        assert one.status.converged
        assert metrics_of(one)[0] > 0
        assert any("round of learned metrics joined the list" in note for note in one.notes)


@pytest.mark.parametrize(
    ("middle", "deviation", "asked"),
    [(0.0, 1e-6, 1), (-0.5, 0.1, 1), (-0.1, 5.0, 3), (0.5, 0.1, 5)],
    ids=["nothing", "a loss", "a doubtful loss", "a gain"],
)
def test_folds_are_asked_until_nothing_can_be_gained(monkeypatch, middle, deviation, asked):
    held = [np.arange(20 * k, 20 * k + 20) for k in range(5)]
    spread = deviation * np.tile([-1.0, 1.0], 10)
    told = []
    learner = SimpleNamespace(request=SimpleNamespace(training=None), fit=lambda kernels, _, **__: kernels)
    learner.told = lambda words, share: told.append(words)
    values = middle + spread
    before = [SimpleNamespace(rows=None, values=lambda *_: values, grown=lambda _: AFTER) for _ in held]
    monkeypatch.setattr(_parts, "losses", lambda _, values, __: values)
    further = Parts(learner, held, np.arange(100), np.ones(100), most=3).further(1, before)
    assert told == [f"round 1 of learned metrics, part {part} of 5" for part in range(1, asked + 1)]
    assert (further is None) == (asked < 5)
    assert further is None or further.gain == pytest.approx(middle)


def looks(monkeypatch, plan, gains):
    """What parts of rows are asked by each look: their rows, those that are learned from, and the words of each
    question; the answer is no where `gains` says so.
    """
    seen, parts_of, gained = [], Parts.of.__func__, Parts._gained

    def of(cls, learner, sample, *others):
        parts = parts_of(cls, learner, sample, *others)
        seen.append(SimpleNamespace(held=parts.held, learned=np.setdiff1d(sample, parts.held[0]), asked=[]))
        return parts

    def answer(parts, words, *others):
        seen[-1].asked.append(words)
        return gained(parts, words, *others) if gains(parts, words) else None

    monkeypatch.setattr(Parts, "of", classmethod(of))
    monkeypatch.setattr(Parts, "_gained", answer)
    monkeypatch.setattr(Evidence, "growth", lambda self, n, outputs: plan)
    return seen


def test_what_few_rows_gain_by_is_asked_of_more_rows(monkeypatch):
    X, y = three_of(12, n=250)
    seen = looks(monkeypatch, Growth(1, 120, 2), lambda parts, words: "trees" not in words)
    s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-2)
    first, second = seen
    assert [len(rows) for rows in first.held] == [60, 60]
    assert len(first.learned) == 60
    assert [len(rows) for rows in second.held] == [125]
    assert len(second.learned) == 125
    assert not np.isin(second.held[0], second.learned).any()
    assert {"round 1 of learned metrics", "kernels of trees"} <= set(first.asked)
    assert "round 1 of learned metrics" in second.asked
    assert "kernels of trees" not in second.asked
    assert metrics_of(s)[1] > 0.5


def test_what_more_rows_do_not_gain_by_does_not_join(monkeypatch):
    X, y = three_of(12, n=240)
    seen = looks(monkeypatch, Growth(1, 120, 2), lambda parts, words: len(parts.held) > 1)
    s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-2)
    assert len(seen) == 2
    assert metrics_of(s, Metric | Leaves)[0] == 0
    assert not any("joined the list" in note for note in s.notes)
    assert s.status is Status.STATIONARY


def test_one_look_asks_for_a_larger_gain_than_each_of_two(monkeypatch):
    """Where there are too few rows for a second one, or it would take too long."""
    asked, gained, confirmed, sure = [], Parts._gained, _grown.confirmed, [True]

    def told(parts, *others):
        asked.append(parts.errors)
        found = gained(parts, *others)
        return found and attrs.evolve(found, sure=sure[0])

    def again(*arguments):
        asked.append("again")
        return confirmed(*arguments)

    def looks(n, limit=None):
        asked.clear()
        X, y = three_of(6, n=n)
        s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-2, max_seconds=limit)
        assert metrics_of(s)[0] > 0
        return [one for one, _ in groupby(asked)]

    monkeypatch.setattr(Parts, "_gained", told)
    monkeypatch.setattr(_grown, "confirmed", again)
    planned(monkeypatch, 1, 80, 2)
    each = 0.5 * _parts.ERRORS
    assert looks(150) == [_parts.ERRORS]
    assert looks(160) == looks(160, limit=1e9) == [each, "again", each]
    monkeypatch.setattr(_grown, "_SECOND", 1e12)
    assert looks(160, limit=1e9) == [each]
    sure[0] = False
    assert looks(160, limit=1e9) == [each, _parts.ERRORS]
    short = SimpleNamespace(deadline=None, cancelled=lambda: False, allows=lambda _: False)
    monkeypatch.setattr(Learner, "budget", short)
    assert looks(160) == [each]


@pytest.mark.parametrize("together", [True, False])
def test_what_a_look_has_found_stays_where_no_time_is_left_for_all_its_rows_together(together, monkeypatch):
    """But nothing joins where there is no time for the look itself, which learns from parts of the rows."""
    X, y = three_of(12, n=160)
    planned(monkeypatch, 1, 1000, 2)
    learned = Learner.fitted

    def fitted(learner, kernels, rows, **options):
        if (len(rows) == len(X)) is together:
            raise Ended(False)
        return learned(learner, kernels, rows, **options)

    monkeypatch.setattr(Learner, "fitted", fitted)
    s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-2)
    assert (metrics_of(s)[0] > 0) is together
    assert any("of max_seconds, so none was added" in note for note in s.notes) is not together


def test_a_run_that_stays_where_it_begins_is_not_the_end(monkeypatch):
    """The first kernel leaves little but noise here, and beside it no other one helps at first."""
    X, y = three_of(20, n=600)
    planned(monkeypatch, 1, 1000, 2)
    s = kernelopt.solve(X, y, family="auto", criterion=NUMBERS, tol=1e-2)
    quick = kernelopt.solve(X, y, family="auto", criterion=attrs.evolve(NUMBERS, effort="quick"), tol=1e-2)
    assert metrics_of(s)[1] > 0.5
    assert s.objective < quick.objective - 300.0
    Z, new = three_of(20, n=2000, seed=1)
    noise = 0.01
    assert np.mean((s.predict(Z) - new) ** 2) - noise < 0.7 * (np.mean((quick.predict(Z) - new) ** 2) - noise)


def test_a_share_of_the_kernel_is_that_of_new_ones_where_a_run_begins_again():
    listed = kernelopt.Dictionary([("rbf", {"gamma": 0.3}), "linear", ("rbf", {"gamma": 3.0})], normalize="trace")
    X = np.random.default_rng(0).normal(size=(20, 2))
    few = kernelopt.Dictionary([("rbf", {"gamma": 0.3}), "linear"], normalize="trace")
    less, more = (Leaf(family.prepare(X, np.ones(20)), np.arange(2)) for family in (few, listed))
    part = Part(np.array([[1.0]]), np.array([3.0]))
    kernels = Kernels((less,), Mixture((part,)))
    assert kernels.shared is None
    assert kernels.among((less,)).shared is None
    (found,) = kernels.among((more,)).shared.parts
    assert found.atoms[:, 0].tolist() == [1.0, 2.0]
    assert found.weights.tolist() == [1.5, 1.5]
    (again,) = kernels.among((less,)).among((more,)).shared.parts
    assert again.weights.tolist() == [1.5, 1.5]
    assert Kernels((less,)).among((more,)).shared is None


AFTER = SimpleNamespace(values=lambda *_: np.zeros(20))


def steps(n, seed=0):
    """Three classes by thresholds in two columns and by two of twelve columns of zeros and ones."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=(n, 4)), rng.integers(0, 2, size=(n, 12))])
    first = (X[:, 0] > 0.8) & (X[:, 5] > 0)
    second = (X[:, 1] < -0.7) & (X[:, 6] > 0) & (X[:, 0] < 0.3)
    return X, np.where(first, 1, np.where(second, 2, 0))


@pytest.fixture(scope="module")
def plain_error():
    """The share of new rows that the list as it begins predicts wrongly."""
    X, y = steps(250, seed=10)
    Z, new = steps(2000, seed=11)
    plain = kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="labels", effort="quick"), tol=1e-2)
    assert metrics_of(plain, Leaves)[0] == 0
    return np.mean(plain.predict(Z) != new)


@pytest.mark.parametrize(("unit", "origin"), [(1.0, 0.0), (1e60, 0.0), (1.0, 1e8)])
def test_steps_are_found_and_certified(unit, origin, plain_error, monkeypatch):
    """In any unit: trees of scikit-learn see columns in single precision."""
    planned(monkeypatch, 1, 1000, 2)
    X, y = steps(250, seed=10)
    Z, new = steps(2000, seed=11)
    X, Z = unit * X + origin, unit * Z + origin
    s = kernelopt.solve(X, y, family="auto", criterion=Evidence(targets="labels"), tol=1e-2)
    assert metrics_of(s, Leaves)[1] > 0.5
    assert any("kernels of trees joined the list" in note for note in s.notes)
    assert s.status is Status.STATIONARY
    assert np.mean(s.predict(Z) != new) < 0.5 * plain_error


@pytest.mark.parametrize(("asked", "known", "taken"), [(1.0, 0.5, 1), (0.0, 0.5, 0), (1.0, -0.5, 1)])
def test_trees_are_tried_where_a_forest_has_advice_for_the_first_part(monkeypatch, asked, known, taken):
    """And they are kept where rows of all parts gain by them."""
    held = [np.arange(20 * k, 20 * k + 20) for k in range(2)]
    tried, told = [], []
    learner = SimpleNamespace(request=SimpleNamespace(training=None), fit=lambda kernels, _, **__: kernels)
    learner.told = lambda words, share: told.append((words, share))
    monkeypatch.setattr(_parts, "losses", lambda _, values, __: values)
    monkeypatch.setattr(_parts, "advice", lambda *_: asked)

    def joined(_, step):
        assert step is TREES
        tried.append(1)
        return AFTER

    spread = known + 1e-3 * np.tile([-1.0, 1.0], 10)
    before = [SimpleNamespace(rows=None, values=lambda *_: spread, joined=joined) for _ in held]
    found = Parts(learner, held, np.arange(40), np.ones(40), most=3).parted(before)
    assert len(tried) == taken * (2 if known > 0.0 else 1)
    assert [words for words, _ in told] == [f"kernels of trees, part {part + 1} of 2" for part in range(len(tried))]
    assert all(0.0 <= share < 1.0 for _, share in told)
    assert (found is not None) == bool(taken and known > 0.0)
    assert found is None or found.gain == pytest.approx(known)


@pytest.mark.parametrize(("elsewhere", "doubted"), [(False, [True, False, False]), (True, [True, True, True])])
def test_the_centre_is_doubted_for_further_parts_where_it_led_the_first_astray(elsewhere, doubted):
    """And no part begins at a kernel that has learned from the rows which are held out of it."""
    held, asked, begun = [np.arange(20 * k, 20 * k + 20) for k in range(3)], [], object()

    def fit(kernels, rows, doubted):
        asked.append((kernels, rows, doubted))
        return SimpleNamespace(elsewhere=elsewhere, again=False)

    learner = SimpleNamespace(fit=fit, told=lambda *_: None)
    parts = Parts(learner, held, np.arange(60), np.ones(60), most=3)
    assert len(list(parts.first(begun, np.arange(60)))) == 3
    assert [one for *_, one in asked] == doubted
    assert all(kernels is begun for kernels, *_ in asked)
    assert [len(np.intersect1d(rows, part)) for (_, rows, _), part in zip(asked, held, strict=True)] == [0, 0, 0]


@pytest.mark.parametrize(
    ("effort", "limit", "asked"), [("normal", None, 0), ("quick", None, 1), ("normal", 600.0, 1)], ids=str
)
def test_the_kernel_that_rounds_have_learned_spares_a_rough_one_of_some_rows(monkeypatch, effort, limit, asked):
    """But for a time limit, where some of the rows tell how long all of them take."""
    X, y = three_of(3, n=320)
    rough = []

    def learned(problem, *others, **options):
        rough.append(problem.n)
        return _restarts.learned(problem, *others, **options)

    monkeypatch.setattr(_rehearsal, "learned", learned)
    criterion = Evidence(targets="numbers", effort=effort)
    s = kernelopt.solve(X[:, :1], y, family="auto", criterion=criterion, tol=1e-2, max_seconds=limit)
    assert len(rough) == asked
    assert s.status is Status.STATIONARY


def test_rows_far_outside_the_others_are_seen_at_their_edge():
    X, Z = np.array([[0.0], [4.0], [1.0]]), np.array([[-1e300], [2.0], [1e300]])
    for seen, wanted in zip(_in_unit_range(X, Z), ([0.0, 1.0, 0.25], [0.0, 0.5, 1.0]), strict=True):
        np.testing.assert_array_equal(seen[:, 0], wanted)


def test_trees_take_the_place_of_rounds_that_imitate_their_steps_less_well(monkeypatch):
    """Rounds predict rules with thresholds better than the kernels that they begin with, and trees alone better yet."""
    planned(monkeypatch, 3, 1000, 2)
    rng = np.random.default_rng(2)
    X, Z = rng.uniform(size=(400, 8)), rng.uniform(size=(2000, 8))
    rule, true = (((R[:, 0] > 0.3) & (R[:, 1] < 0.2)) | (R[:, 2] > 0.7) for R in (X, Z))
    learned = kernelopt.solve(X, rule)
    assert any("kernels of trees joined" in note for note in learned.notes)
    assert not any("of learned metrics joined" in note for note in learned.notes)
    assert np.mean(learned.predict(Z) != true) < 0.01
