"""The kit must reject any plugin that prints, takes any option, keeps values in its class, or hands out one array."""

import sys
from typing import ClassVar

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians

from kernelopt import SVR, Ridge
from kernelopt.plugin import Dense, Primal
from kernelopt.testing import CuttingPlanes, broken_laws, judge, verdicts


class Pad:
    """One array of each shape, which is handed out again and again."""

    def __init__(self):
        self.arrays = {}

    def filled(self, values):
        array = self.arrays.setdefault(np.shape(values), np.empty(np.shape(values)))
        array[...] = values
        return array


PAD = Pad()


@attrs.frozen
class OneGram(Gaussians):
    def gram(self, part, data):
        return Dense(PAD.filled(super().gram(part, data).dense()))


@attrs.frozen
class OneCross(Gaussians):
    def cross(self, part, Z, X):
        return PAD.filled(super().cross(part, Z, X))


@attrs.frozen
class OneDiag(Gaussians):
    def diag(self, part, X):
        return PAD.filled(super().diag(part, X))


@attrs.frozen
class OneAnswer(Gaussians):
    def best_atoms(self, data, V, query):
        best = super().best_atoms(data, V, query)
        return attrs.evolve(best, values=PAD.filled(best.values))


@attrs.frozen
class Talks(Gaussians):
    def gram(self, part, data):
        sys.stdout.write("forming a Gram\n")
        return super().gram(part, data)


@attrs.frozen
class AnyWidth(Gaussians):
    widths: tuple[float, ...] = (0.1, 1.0)


@attrs.frozen
class ListOfWidths(Gaussians):
    widths: list[float] = attrs.field(factory=lambda: [0.1, 1.0])


@attrs.frozen
class ForgetsWidthsOfFewerColumns(Gaussians):
    def seeing(self, columns, width):
        return Gaussians(widths=(10.0,))


@attrs.frozen
class ForgetsWidthsOfIndicators(Gaussians):
    def spread(self, layout):
        return Gaussians(widths=(10.0,))


@attrs.frozen
class ForgetsWidthsOfSparseRows(Gaussians):
    def turned(self, width):
        return Gaussians(widths=(10.0,))


@attrs.frozen
class SizeInItsClass(Gaussians):
    size: ClassVar[float] = 1.0

    def prepare(self, X, weight):
        type(self).size = float(X.var())
        return super().prepare(X, weight)


@attrs.frozen
class SilencesAll(Gaussians):
    def cross(self, part, Z, X):
        np.seterr(all="ignore")
        return super().cross(part, Z, X)


@attrs.frozen
class KnowsItsCategories(Gaussians):
    """A table with an entry for each pair of the categories of training, and none for a new category."""

    @property
    def reads_codes(self):
        return True

    def spread(self, layout):
        return Coded(self.widths) if layout.coded else self


@attrs.frozen
class Coded(KnowsItsCategories):
    count: int = 0

    def prepare(self, X, weight):
        return attrs.evolve(self, count=int(X[:, -1].max()) + 1)

    def bind(self, X):
        return X

    def gram(self, part, data):
        return Dense(self.cross(part, data, data))

    def cross(self, part, Z, X):
        return part.mass * np.eye(self.count)[Z[:, -1].astype(int)][:, X[:, -1].astype(int)]


@attrs.frozen
class TalksOfTargets(Ridge):
    def outputs(self, y, weight):
        sys.stdout.write(f"{y.shape}\n")
        return super().outputs(y, weight)


@attrs.frozen
class AnyPrice(Ridge):
    lam: float = 1.0


@attrs.frozen
class OwnError(Ridge):
    lam: float = attrs.field(default=1.0, validator=attrs.validators.gt(0.0))


@attrs.frozen
class LevelInItsClass(SVR):
    """Remembers the largest target of all runs."""

    level: ClassVar[float] = 0.0

    def outputs(self, y, weight):
        type(self).level = max(self.level, float(np.abs(y).max()))
        return super().outputs(y, weight)


@attrs.frozen
class NoEqualTargets(SVR):
    def outputs(self, y, weight):
        return super().outputs(y, weight / y.std(axis=0))


@attrs.frozen
class NeedsManySamples(SVR):
    def primal(self, qp, gram, v, f):
        found = super().primal(qp, gram, v, f)
        return Primal(found.value + 0.0 * float(np.sort(f)[3]), found.multipliers)


@attrs.frozen
class StepInItsClass(CuttingPlanes):
    taken: ClassVar[int] = 0

    def step(self, problem, state, budget):
        type(self).taken += 1
        return super().step(problem, state, budget)


@pytest.mark.parametrize(
    ("plugin", "law", "words"),
    [
        (OneGram, "answers-overwritten", "gram was called twice"),
        (OneCross, "answers-overwritten", "cross was called twice"),
        (OneDiag, "answers-overwritten", "diag was called twice"),
        (OneAnswer, "answers-overwritten", "best_atoms was called twice"),
        (Talks, "prints", "forming a Gram"),
        (AnyWidth, "options", "the option widths of AnyWidth must refuse (nan, 1.0)"),
        (ListOfWidths, "options", "the option widths of ListOfWidths must refuse [nan, 1.0]"),
        (ForgetsWidthsOfFewerColumns, "seeing", "the family with all of its options"),
        (ForgetsWidthsOfIndicators, "spread", "the family with all of its options"),
        (ForgetsWidthsOfSparseRows, "turned", "the family with all of its options"),
        (SizeInItsClass, "class-changed", "SizeInItsClass.size"),
        (SilencesAll, "inputs-untouched", "np.seterr"),
        (KnowsItsCategories, "codes", "a row whose category is new has the code 20"),
        (TalksOfTargets, "prints", "must not print"),
        (AnyPrice, "options", "it was taken"),
        (OwnError, "options", "got ValueError: "),
        (LevelInItsClass, "class-changed", "LevelInItsClass.level"),
        (NoEqualTargets, "few-samples", "with equal targets"),
        (NeedsManySamples, "few-samples", "with two samples there must be"),
        (StepInItsClass, "class-changed", "StepInItsClass.taken"),
    ],
)
def test_a_broken_plugin_is_rejected_for_its_reason(plugin, law, words, rejected):
    rejected(judge(plugin), law, words)


@pytest.mark.parametrize("plugin", [Gaussians, SVR, Ridge])
def test_a_sound_plugin_passes(plugin):
    assert broken_laws(judge(plugin)) == {}


@pytest.mark.parametrize("plugin", [Gaussians, Ridge, CuttingPlanes])
def test_laws_that_do_not_apply_are_not_called_kept(plugin):
    idle = {
        Gaussians: ("test_a_family_that_reads_codes_knows_no_order_of_them", "test_a_family_grows_around_its_kernel"),
        Ridge: ("test_units_do_not_matter",),
        CuttingPlanes: ("test_options_are_checked",),
    }
    assert {one.outcome for one in verdicts(judge(plugin), idle[plugin])} == {"skipped"}
