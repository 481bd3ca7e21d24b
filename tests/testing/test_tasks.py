"""The tables that solvers are tried on are whole, and `meet` can say no."""

import pytest

import kernelopt
from kernelopt._plugins._registry import resolve
from kernelopt.plugin import Criterion
from kernelopt.testing import every_criterion, meet, small_task


def test_every_criterion_of_the_core_is_in_the_table():
    table = every_criterion()
    own = {cls.name for cls in Criterion.__subclasses__() if cls.__module__.startswith("kernelopt._criteria")}
    assert own <= set(table)
    assert all(type(resolve("criterion", name)) is type(criterion) for name, criterion in table.items())


@pytest.mark.parametrize(("C", "same"), [(2.0, True), (4.0, False)])
def test_answers_to_two_problems_do_not_meet(C, same):
    X, y = small_task("classification")
    first, second = (
        kernelopt.solve(X, y, family="tk", criterion=kernelopt.SVC(C), solver=solver, tol=1e-4).certificate
        for C, solver in ((2.0, "ipm"), (C, "fw"))
    )
    assert meet(first, second) is same
    assert meet(second, first) is same
