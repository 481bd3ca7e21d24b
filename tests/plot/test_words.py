"""Words of pictures are drawn as they are: matplotlib takes what stands between dollar signs for mathematics."""

import io

import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt import plot

pytest.importorskip("matplotlib")

NAMES = ("in $^$ a", r"\frac $_$", r"$\bad{$")


@pytest.fixture(scope="module")
def drawn():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40, 3)), columns=NAMES)
    return kernelopt.solve(X, X.iloc[:, 0] * X.iloc[:, 1], criterion=kernelopt.Evidence(effort="quick")), X


@pytest.mark.parametrize("name", ["AtomsDisplay", "DirectionsDisplay", "RegressionDisplay", "WeightsDisplay"])
def test_names_with_dollar_signs_are_no_mathematics(drawn, name):
    display = getattr(plot, name).from_solution(drawn[0])
    display.figure_.savefig(io.BytesIO())


def test_targets_and_classes_with_dollar_signs_are_no_mathematics(drawn):
    s, X = drawn
    display = plot.ResidualsDisplay.from_solution(s, X, X.iloc[:, 0], target="cost in $ or euro $")
    display.figure_.savefig(io.BytesIO())
    assert display.ax_.get_xlabel() == "predicted cost in $ or euro $"
    assert not display.ax_.xaxis.label.get_parse_math()


def test_powers_of_ten_along_an_axis_stay_with_matplotlib(drawn):
    display = plot.GapDisplay.from_solution(drawn[0])
    assert all(label.get_parse_math() for label in display.ax_.yaxis.get_ticklabels(which="both"))
