"""Bars of the columns' shares, and of their parts in the leading directions."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import kernelopt
from kernelopt import InvalidData, plot
from kernelopt.plugin import InvalidOption


@pytest.fixture(scope="module", name="line")
def _line():
    X = np.random.default_rng(0).normal(size=(80, 5))
    y = np.sin(X[:, 3] - 0.5 * X[:, 1])
    return X, kernelopt.solve(X, y, family="gaussians", criterion={"name": "ridge", "lam": 1e-3})


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_bars_are_the_shares_and_the_coefficients(line, size):
    X, s = line
    found = kernelopt.directions(s, X)
    display = plot.DirectionsDisplay.from_solution(s, X)
    order = np.argsort(-found.shares)
    assert labels(display.ax_) == [f"x{j}" for j in order]
    assert display.bars.values == pytest.approx(found.shares[order])
    assert np.array_equal(display.loadings, found.vectors[order, : found.leading])
    widths = np.array([bar.get_width() for bar in display.ax_.patches]).reshape(1 + found.leading, 5)
    assert widths[0] / widths[0].max() == pytest.approx(found.shares[order] / found.shares.max())
    drawn = widths[1:].T
    assert drawn / np.abs(drawn).max() == pytest.approx(display.loadings / np.abs(display.loadings).max())


def test_every_direction_has_its_share_below(line):
    X, s = line
    found = kernelopt.directions(s, X)
    below = [label.get_text() for label in plot.directions(s, X).get_xticklabels()]
    told = [f"direction {k + 1}\n{100.0 * found.strengths[k]:.0f} %" for k in range(found.leading)]
    assert below == ["share", *told]


def test_numbers_cover_no_others_and_stay_in_the_picture(size):
    """With three directions, each of both signs, and a long name."""
    X = np.random.default_rng(3).normal(size=(60, 5))
    turned = np.linalg.qr(np.random.default_rng(4).normal(size=(5, 3)))[0]
    s = kernelopt.solve(X, X @ turned, family=kernelopt.fixed("linear"), criterion={"name": "ridge", "lam": 1e-6})
    display = plot.DirectionsDisplay.from_solution(s, X, names=["a", "b", "c", "d", "a rather long name of a column"])
    assert len(display.strengths) == 3
    assert all((one > 0.0).any() and (one < 0.0).any() for one in display.loadings.T)
    display.figure_.canvas.draw()
    boxes = [text.get_window_extent() for text in display.ax_.texts if text.get_text()]
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k])
        assert box.x1 <= display.ax_.get_window_extent().x1 + 1.0


def test_few_bars_hold_the_others_in_the_last(line):
    X, s = line
    display = plot.DirectionsDisplay.from_solution(s, X, most=3)
    assert labels(display.ax_)[-1] == "3 others"
    assert display.bars.values.sum() == pytest.approx(1.0)
    assert np.isnan(display.loadings[-1]).all()
    assert np.isfinite(display.loadings[:-1]).all()
    display.figure_.canvas.draw()


def test_names_are_those_given_or_known(line):
    X, s = line
    given = list("abcde")
    assert set(labels(plot.directions(s, X, names=given))) == set(given)
    assert set(labels(plot.directions(s.named(given).model))) == set(given)
    with pytest.raises(InvalidOption, match="1 names for 5 columns"):
        plot.directions(s, X, names=["a"])


def test_it_draws_where_it_is_told(line):
    _, (left, right) = plt.subplots(1, 2)
    assert plot.directions(line[1], ax=right) is right
    assert right.has_data()
    assert not left.has_data()


def test_a_constant_function_is_drawn_in_words(size):
    X = np.random.default_rng(1).normal(size=(30, 2))
    ax = plot.directions(kernelopt.solve(X, X[:, 0], family="constant", criterion="ridge"), X)
    ax.get_figure().canvas.draw()
    assert ax.get_xlabel() == "the decision function is constant on these rows"
    assert [bar.get_width() for bar in ax.patches] == [0.0, 0.0]


def test_rows_are_wanted_where_none_are_kept():
    X = np.random.default_rng(2).normal(size=(30, 2))
    model = kernelopt.solve(X, np.sign(X[:, 0]), family="cosine", criterion="svc", max_steps=1).model
    with pytest.raises(InvalidData, match="X is missing"):
        plot.directions(model)
