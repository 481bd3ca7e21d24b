"""Pictures of a run hold the numbers of its trace."""

import attrs
import numpy as np
import pytest

from kernelopt import plot
from kernelopt.plugin import InvalidOption


def lines(ax):
    return {line.get_label(): line.get_xydata() for line in ax.get_lines()}


def told(solution, name):
    return np.array([getattr(record, name) for record in solution.trace], dtype=float)


@pytest.mark.parametrize("against", ["step", "seconds"])
def test_the_lines_are_the_trace(against, two_classes, size):
    s = two_classes.solution
    axes = plot.convergence(s, against=against)
    wanted = {
        "upper bound": "upper",
        "lower bound": "lower",
        "relative gap": "relative_gap",
        f"atoms ({s.mixture.count})": "atoms",
        f"support vectors ({len(s.support)} in the answer)": "support",
    }
    drawn = {label: data for ax in axes for label, data in lines(ax).items()}
    for label, name in wanted.items():
        values = told(s, name)
        np.testing.assert_array_equal(drawn[label][:, 0], told(s, against))
        np.testing.assert_array_equal(drawn[label][:, 1], np.where(np.isfinite(values), values, np.nan))
    np.testing.assert_array_equal(drawn["centre kernel"][:, 1], s.baseline)
    assert axes[2].get_xlabel() == against
    axes[0].get_figure().canvas.draw()


def test_the_optimum_is_in_the_picture(two_classes):
    s = two_classes.solution
    low, high = plot.BoundsDisplay.from_solution(s).ax_.get_ylim()
    assert low < s.trace[-1].lower <= s.trace[-1].upper < high
    assert high > s.baseline


def with_bounds(solution, **changes):
    first = attrs.evolve(solution.trace[0], **changes)
    return attrs.evolve(solution, trace=(first, *solution.trace[1:]))


def test_a_first_bound_that_is_far_away_does_not_flatten_the_others(two_classes):
    far = with_bounds(two_classes.solution, lower=-1e9, relative_gap=1e9)
    ax = plot.BoundsDisplay.from_solution(far).ax_
    assert ax.get_ylim()[0] > -1e6
    assert lines(ax)["lower bound"][0, 1] == -1e9


def test_bounds_that_are_infinite_are_left_out(two_classes):
    s = with_bounds(two_classes.solution, upper=np.inf, lower=-np.inf, relative_gap=np.inf)
    axes = plot.convergence(s)
    assert np.isnan(lines(axes[0])["upper bound"][0, 1])
    axes[0].get_figure().canvas.draw()


def test_a_gap_of_nothing_can_be_drawn(two_classes):
    s = two_classes.solution
    one = attrs.evolve(s, trace=(attrs.evolve(s.trace[-1], relative_gap=0.0, atoms=0, support=0),))
    plot.convergence(one)[0].get_figure().canvas.draw()


def test_there_are_two_ways_to_count(two_classes):
    with pytest.raises(InvalidOption, match='"step" or "seconds"'):
        plot.convergence(two_classes.solution, against="minutes")
