"""What all pictures share: axes, figures, what is imported, what is left alone; and that every family has one."""

import inspect
import sys

import attrs
import matplotlib.pyplot as plt
import numpy as np
import pytest

import kernelopt
from kernelopt import MissingLibrary, plot
from kernelopt.plugin import InvalidOption

ON_SOLUTIONS = (plot.BoundsDisplay, plot.GapDisplay, plot.SizesDisplay, plot.WeightsDisplay, plot.AtomsDisplay)


@pytest.mark.parametrize("kind", ON_SOLUTIONS)
def test_a_display_draws_where_it_is_told_and_opens_nothing(kind, two_classes):
    figure, (left, right) = plt.subplots(1, 2)
    before = plt.get_fignums(), dict(plt.rcParams), plt.gca()
    display = kind.from_solution(two_classes.solution, ax=right)
    assert (plt.get_fignums(), dict(plt.rcParams), plt.gca()) == before
    assert display.ax_ is right
    assert display.figure_ is figure
    assert right.has_data()
    assert not left.has_data()


@pytest.mark.parametrize("kind", ON_SOLUTIONS)
def test_a_display_draws_again_elsewhere(kind, two_classes):
    display = kind.from_solution(two_classes.solution)
    first, (_, ax) = display.figure_, plt.subplots()
    assert display.plot(ax) is display
    assert display.ax_ is ax
    assert display.figure_ is not first
    assert len(plt.get_fignums()) == 2


def test_what_a_display_shows_is_frozen(two_classes):
    display = plot.GapDisplay.from_solution(two_classes.solution)
    with pytest.raises(attrs.exceptions.FrozenAttributeError):
        display.gaps = np.zeros(1)


def test_a_picture_in_a_part_of_a_figure_knows_the_whole(two_classes):
    figure = plt.figure(layout="constrained")
    _, right = figure.subfigures(1, 2)
    assert plot.AtomsDisplay.from_solution(two_classes.solution, ax=right.subplots()).figure_ is figure


def test_without_matplotlib_one_sentence_says_what_to_do(two_classes, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (two_classes.solution.plot, lambda: plot.weights(two_classes.solution)):
        with pytest.raises(MissingLibrary, match="pip install matplotlib"):
            draw()


def test_matplotlib_is_imported_when_something_is_drawn(loaded):
    assert "kernelopt.plot" in loaded
    assert "matplotlib" not in loaded


@pytest.mark.parametrize("family", kernelopt.families())
def test_every_family_has_a_picture(family):
    X = np.random.default_rng(0).normal(size=(24, 3))
    s = kernelopt.solve(X, np.sign(X[:, 0] + X[:, 1]), family=family, tol=1e-1, max_steps=4)
    axes = s.plot()
    assert axes.shape == (4,)
    assert all(ax.has_data() for ax in axes)
    axes[0].get_figure(root=True).canvas.draw()


def test_the_overview_shows_members_where_there_are_several(two_classes, three_classes, size):
    one, several = plot.overview(two_classes.solution)[3], plot.overview(three_classes.solution)[3]
    assert one.get_title() == "tk"
    assert several.get_xlabel() == "weight"
    assert len(several.patches) == 3
    several.get_figure(root=True).canvas.draw()


def test_the_overview_tells_status_and_certificate(two_classes):
    s = two_classes.solution
    figure = s.plot()[0].get_figure(root=True)
    assert figure.get_suptitle() == f"CONVERGED: {s.certificate}"


def test_names_are_those_of_all_columns(two_classes):
    with pytest.raises(InvalidOption, match="1 names for 2 columns"):
        plot.atoms(two_classes.solution, names=["a"])


DRAWN = [getattr(plot, name) for name in plot.__all__ if name != "Display"]
CALLS = [kind.from_solution if isinstance(kind, type) else kind for kind in DRAWN]


@pytest.mark.parametrize("draw", CALLS, ids=[kind.__name__ for kind in DRAWN])
def test_an_estimator_is_told_where_its_solution_is(draw, numbers):
    plt.close("all")
    needed = [
        one
        for one in inspect.signature(draw).parameters.values()
        if one.default is one.empty and one.kind is one.POSITIONAL_OR_KEYWORD
    ]
    with pytest.raises(InvalidOption, match=r"got KernelRegressor, .* has its solution in solution_"):
        draw(kernelopt.KernelRegressor(), *[numbers.X, numbers.y][: len(needed) - 1])
    assert not plt.get_fignums()
