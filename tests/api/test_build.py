"""Between the choice and the run: what was declared is what is there."""

from typing import ClassVar

import numpy as np
import pytest

import kernelopt
from kernelopt._api._build import make_problem
from kernelopt._api.data._training import admit
from kernelopt._families._leaf import Leaf
from kernelopt.plugin import BrokenPlugin, Criterion
from kernelopt.testing import Affine

X = np.random.default_rng(0).normal(size=(12, 2))
Y = np.where(np.arange(12) % 2 == 0, 1, -1)


class Careless(Criterion):
    """Another criterion's dual problem, declared as if it were any."""

    name: ClassVar[str] = "careless"
    task: ClassVar[str] = "classification"

    def __init__(self, real):
        self.real = real

    def outputs(self, y, weight):
        return self.real.outputs(y, weight)

    def primal(self, qp, gram, v, f):
        return self.real.primal(qp, gram, v, f)


def problem(criterion):
    leaf = Leaf(Affine().prepare(X, np.ones(12)), np.arange(2))
    return make_problem((leaf,), admit(X, Y, criterion, None, None), criterion, accuracy=1e-3, grams=1)


@pytest.mark.parametrize(
    ("real", "words"),
    [
        (kernelopt.Alignment(), "careless: its property `bounded` promises lower bounds"),
        (kernelopt.Margin(), "careless: its property `bounded` promises upper bounds"),
        (kernelopt.OneClass(), "careless: its property `sized` says that all equalities have the target 0"),
    ],
)
def test_a_criterion_has_what_it_declares(real, words):
    with pytest.raises(BrokenPlugin, match=words):
        problem(Careless(real))


@pytest.mark.parametrize("real", [kernelopt.SVC(), kernelopt.L2SVC(), kernelopt.Ridge()])
def test_plain_criteria_need_declare_nothing(real):
    assert problem(Careless(real)).n == 12


class FewOutputs(Careless):
    def outputs(self, y, weight):
        return self.real.outputs(y, weight)[:2]


def test_a_criterion_has_a_dual_problem_for_each_column_of_targets():
    targets = np.random.default_rng(0).normal(size=(12, 3))
    criterion = FewOutputs(kernelopt.Ridge())
    leaf = Leaf(Affine().prepare(X, np.ones(12)), np.arange(2))
    training = admit(X, targets, kernelopt.Ridge(), None, None)
    with pytest.raises(BrokenPlugin, match="its outputs are 2 dual problems, and the targets have 3 columns"):
        make_problem((leaf,), training, criterion, accuracy=1e-3, grams=1)
