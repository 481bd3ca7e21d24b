"""The plugin under the laws of a solver, and at work."""

import numpy as np
import pytest
from kernelopt_averaging import Averaging

import kernelopt
from kernelopt.testing import SolverSuite, two_classes


class TestAveraging(SolverSuite):
    tolerance = 1e-2  # its steps shrink like 1/k: a thousandth is a matter of a hundred steps

    def solver(self):
        return Averaging()


def test_solves_by_name_to_a_certified_gap():
    X, y = two_classes(np.random.default_rng(0), 60, 3)
    solution = kernelopt.solve(X, y[:, 0], family="dictionary", solver="averaging", criterion="svc", tol=1e-2)
    assert solution.status.converged
    assert solution.certificate.relative_gap <= 1e-2
    assert solution.certificate.upper < solution.baseline


def test_options_are_checked():
    with pytest.raises(kernelopt.InvalidOption, match="delay must be an integer of at least 0"):
        Averaging(delay=-1)
    with pytest.raises(kernelopt.InvalidOption, match="no option is called 'delays'"):
        kernelopt.solve(np.eye(4), [0, 1, 0, 1], solver={"name": "averaging", "delays": 3})
