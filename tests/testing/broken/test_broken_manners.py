"""The kit must reject a plugin that catches Ctrl-C, prints, or changes what others share."""

import gc
import locale
import logging
import random
import signal
import sys
import warnings
from typing import ClassVar

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians

from kernelopt import Ridge
from kernelopt.plugin import BestAtoms, Dense, InvalidData, Part, Primal, positive
from kernelopt.testing import CriterionSuite, CuttingPlanes, LawBroken, Waves, broken_laws, judge, verdicts


@attrs.frozen
class CatchesAllInSearch(Waves):
    def best_atoms(self, data, V, query):
        try:
            return super().best_atoms(data, V, query)
        except BaseException:
            return BestAtoms(np.ones((1, 1)), np.zeros(1), np.inf, exact=False)


@attrs.frozen
class CallsItBadRows(Gaussians):
    """Ctrl-C becomes an error that a caller may catch."""

    def gram(self, part, data):
        try:
            return super().gram(part, data)
        except BaseException as error:
            raise InvalidData("gaussians: got rows without a kernel") from error


@attrs.frozen
class CatchesAllAtHome(Gaussians):
    """Around a line of its own, which calls nothing of others."""

    def cross(self, part, Z, X):
        size = 1.0
        try:
            size = float(part.weights.sum() / part.mass)
        except BaseException:
            size = 1.0
        return size * super().cross(part, Z, X)


@attrs.frozen
class TidiesUp(Gaussians):
    """Catches Ctrl-C, and lets it go on."""

    def bind(self, X):
        rows = None
        try:
            rows = super().bind(X)
        except BaseException:
            rows = None
            raise
        finally:
            del X
        return rows


@attrs.frozen
class CatchesAllOfPrimal(Ridge):
    def primal(self, qp, gram, v, f):
        try:
            return super().primal(qp, gram, v, f)
        except BaseException:
            return Primal(np.inf, np.zeros(0))


@attrs.frozen
class CatchesAllOfRefusals(CuttingPlanes):
    def refuses(self, leaves, criterion):
        try:
            return super().refuses(leaves, criterion)
        except BaseException:
            return None


@attrs.frozen
class TalksOfErrors(Gaussians):
    def compact(self, part):
        sys.stderr.write("compact\n")
        return self, part


@attrs.frozen
class TalksOfPredictions(Gaussians):
    def cross(self, part, Z, X):
        if len(Z) != len(X):
            sys.stdout.write("new rows\n")
        return super().cross(part, Z, X)


@attrs.frozen
class HidesWarnings(Gaussians):
    def gram(self, part, data):
        warnings.simplefilter("ignore")
        return super().gram(part, data)


@attrs.frozen
class SeedsPython(Waves):
    def best_atoms(self, data, V, query):
        random.seed(0)
        return super().best_atoms(data, V, query)


@attrs.frozen
class SeedsInWords(Gaussians):
    def describe(self, part):
        np.random.seed(0)  # noqa: NPY002
        return super().describe(part)


@attrs.frozen
class PrintsShort(Gaussians):
    def describe(self, part):
        np.set_printoptions(precision=2)
        return f"widths {part.atoms[:, 0]}"


@attrs.frozen
class SilencesAll(Ridge):
    def primal(self, qp, gram, v, f):
        np.seterr(all="ignore")
        return super().primal(qp, gram, v, f)


@attrs.frozen
class SeedsAtFirst(CuttingPlanes):
    def init(self, problem, start, seed, budget):
        np.random.seed(seed)  # noqa: NPY002
        return super().init(problem, start, seed, budget)


@attrs.frozen
class Trusting(CuttingPlanes):
    """Shortens its steps from run to run."""

    trust: float = attrs.field(default=1.0, validator=positive)

    def step(self, problem, state, budget):
        object.__setattr__(self, "trust", 0.5 * self.trust)
        return super().step(problem, state, budget)


@pytest.mark.parametrize(
    ("plugin", "law", "words"),
    [
        (CatchesAllInSearch, "interrupt", "best_atoms went on when Ctrl-C was pressed"),
        (CallsItBadRows, "interrupt", "gram ended with InvalidData when Ctrl-C was pressed"),
        (CatchesAllAtHome, "interrupt", "in cross, so that nobody can end the run"),
        (CatchesAllOfPrimal, "interrupt", "primal went on"),
        (CatchesAllOfRefusals, "interrupt", "refuses went on"),
        (TalksOfErrors, "prints", "compact"),
        (TalksOfPredictions, "prints", "new rows"),
        (HidesWarnings, "shared", "the warnings that are shown: use `with warnings.catch_warnings():`"),
        (SeedsPython, "shared", "the generator of the module random: use np.random.default_rng(seed)"),
        (SeedsInWords, "shared", "the generator that all of numpy shares"),
        (PrintsShort, "shared", "how numpy prints numbers: use `with np.printoptions(...):`"),
        (SilencesAll, "shared", "how numpy reports errors of numbers"),
        (SeedsAtFirst, "shared", "the generator that all of numpy shares"),
        (Trusting, "options-changed", "the methods set trust of Trusting"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_plugin_without_manners_is_rejected(plugin, law, words, rejected):
    rejected(judge(plugin), law, words)


ACTS = {
    "log": (logging.basicConfig, "what is done with logs: use logging.getLogger(__name__)"),
    "level": (lambda: logging.getLogger().setLevel("DEBUG"), "what is done with logs"),
    "silence": (lambda: logging.disable(logging.WARNING), "what is done with logs"),
    "hoard": (gc.disable, "whether garbage is collected"),
    "recurse": (lambda: sys.setrecursionlimit(54321), "how deep functions may call each other"),
    "import": (lambda: sys.path.insert(0, "/of/nobody"), "where modules are looked for"),
    "go-on": (lambda: signal.signal(signal.SIGINT, signal.SIG_IGN), "what is done on Ctrl-C"),
    "count": (lambda: locale.setlocale(locale.LC_NUMERIC, "C.UTF-8"), "the locale"),
}
"""What a plugin does to the program, and what it is told."""


@attrs.frozen
class Acts(Gaussians):
    how: str = "log"

    def bind(self, X):
        ACTS[self.how][0]()
        return super().bind(X)


@pytest.mark.parametrize("how", ACTS)
def test_a_plugin_that_sets_what_the_program_sets_is_rejected(how, rejected):
    rejected(judge(Acts(how=how)), "shared", ACTS[how][1])


def test_a_plugin_that_lets_ctrl_c_go_on_passes():
    assert broken_laws(judge(TidiesUp)) == {}


def test_what_is_shared_is_set_back():
    def shared():
        seeds = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
        return (*seeds, np.get_printoptions(), np.geterr(), list(warnings.filters))

    before = shared()
    for plugin in (SeedsPython, SeedsInWords, PrintsShort, SilencesAll):
        with pytest.raises(LawBroken, match="LAW shared"):
            judge(plugin).test_calls_leave_the_program_as_it_is()
    assert before == shared()


@attrs.frozen
class FirstSize(Gaussians):
    """The size of the rows that came first, for all runs of the program."""

    first: ClassVar[float | None] = None

    def prepare(self, X, weight):
        found = super().prepare(X, weight)
        if FirstSize.first is None:
            FirstSize.first = found._size
        return attrs.evolve(found, _size=FirstSize.first)


@attrs.frozen
class FirstWeight(Ridge):
    first: ClassVar[float | None] = None

    def outputs(self, y, weight):
        if FirstWeight.first is None:
            FirstWeight.first = float(weight.mean())
        return super().outputs(y, weight * FirstWeight.first)


@attrs.frozen
class FirstMixture(CuttingPlanes):
    first: ClassVar[Part | None] = None

    def step(self, problem, state, budget):
        if FirstMixture.first is None:
            FirstMixture.first = state.response.mixture.parts[0]
        return super().step(problem, state, budget)


class OfFirstWeight(CriterionSuite):
    shifts = False  # ridge regression has no bias

    def criterion(self):
        return FirstWeight()


@pytest.mark.parametrize(
    ("plugin", "method"),
    [(FirstSize, "prepare has"), (OfFirstWeight, "outputs has"), (FirstMixture, "step has")],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_what_a_class_keeps_from_its_first_call_is_seen(plugin, method):
    """The laws before the one of classes have made the first call."""
    told = next(one.detail for one in verdicts(judge(plugin)) if one.law == "class-changed")
    assert told.startswith(f"LAW class-changed: {method} set First")


@attrs.frozen
class Sound(Gaussians):
    """Draws its random numbers, and shows its warnings, for itself."""

    def gram(self, part, data):
        with warnings.catch_warnings(), np.errstate(all="ignore"), np.printoptions(precision=3):
            warnings.simplefilter("ignore")
            np.random.default_rng(0).normal()
            return Dense(super().gram(part, data).dense())


def test_a_plugin_that_sets_back_what_it_changes_passes():
    assert broken_laws(judge(Sound)) == {}
