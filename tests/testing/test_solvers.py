"""The core's exchange under the laws that every plugin must keep."""

import pytest

from kernelopt._solvers._exchange import Exchange
from kernelopt.testing import (
    CuttingPlanes,
    LawBroken,
    SolverSuite,
    default_examples,
)


class TestExchange(SolverSuite):
    def solver(self):
        return Exchange(CuttingPlanes())


def test_a_solver_that_serves_no_example_is_told_so():
    class Laws(SolverSuite):
        def solver(self):
            return CuttingPlanes()

        def problems(self):
            return tuple(one for one in default_examples() if "matrix" in one.name)

    with pytest.raises(LawBroken, match="refuses every example"):
        Laws().test_bounds_are_true()


def test_missing_hook_says_what_to_write():
    class Empty(SolverSuite):
        pass

    with pytest.raises(NotImplementedError, match="write solver"):
        Empty().test_bounds_are_true()
