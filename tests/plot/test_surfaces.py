"""Pictures of the learned function hold its values."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt import fixed, plot
from kernelopt.plugin import InvalidData, InvalidOption


def test_the_surface_is_the_decision_function(two_classes, size):
    s, X, y = two_classes.solution, two_classes.X, two_classes.y
    display = plot.DecisionDisplay.from_solution(s, X, y, resolution=20)
    np.testing.assert_array_equal(display.values[:, 0], s.decision_function(display.grid.rows))
    assert s.predict(display.grid.rows).tolist() == s.classes[display.predicted].tolist()
    x, z = display.grid.axes
    np.testing.assert_array_equal(display.grid.rows[1], [x[1], z[0]])
    assert (x[0] < X[:, 0].min(), x[-1] > X[:, 0].max()) == (True, True)
    display.figure_.canvas.draw()


def test_every_row_is_drawn_once_with_its_class(two_classes):
    s, X, y = two_classes.solution, two_classes.X, two_classes.y
    ax = plot.decision(s, X, y, resolution=10)
    drawn = {one.get_label(): one.get_offsets() for one in ax.collections}
    for label in ("same", "other"):
        np.testing.assert_array_equal(drawn[label], X[y == label])
    np.testing.assert_array_equal(drawn["support vector"], X[s.support])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["other", "same", "support vector"]


def test_the_line_is_where_the_decision_changes(two_classes):
    s = two_classes.solution
    ax = plot.decision(s, two_classes.X, two_classes.y)
    (line,) = [one for one in ax.collections if getattr(one, "levels", None) is not None and len(one.levels) == 1]
    points = np.vstack([path.vertices for path in line.get_paths()])
    assert np.abs(s.decision_function(points)).max() < 0.05 * np.abs(s.decision_function(two_classes.X)).max()


def test_of_three_classes_the_regions_are_drawn(three_classes, size):
    s, X, y = three_classes.solution, three_classes.X, three_classes.y
    ax = plot.decision(s, X, y, columns=(0, 2), at=[0.0, 1.0, 0.0], resolution=15, names=["a", "b", "c"])
    display = plot.DecisionDisplay.from_solution(s, X, y, columns=(0, 2), at=[0.0, 1.0, 0.0], resolution=15)
    assert (display.grid.rows[:, 1] == 1.0).all()
    np.testing.assert_array_equal(ax.collections[0].get_array().ravel(), s.predict(display.grid.rows))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "c")
    ax.get_figure().canvas.draw()


def test_other_columns_stay_at_their_medians(three_classes):
    display = plot.DecisionDisplay.from_solution(three_classes.solution, three_classes.X, resolution=5)
    assert (display.grid.rows[:, 2] == np.median(three_classes.X[:, 2])).all()


def test_novelty_has_a_surface_without_targets(two_classes, size):
    s = kernelopt.solve(two_classes.X, criterion={"name": "one-class", "nu": 0.3})
    ax = plot.decision(s, two_classes.X, resolution=15)
    assert "rows" in [one.get_label() for one in ax.collections]
    ax.get_figure().canvas.draw()


def test_a_frame_outside_the_bounds_warns_nobody(two_classes):
    s = kernelopt.solve(two_classes.X, two_classes.y, family={"name": "tk", "margin": 0.0}, tol=1e-2)
    plot.decision(s, two_classes.X, two_classes.y, resolution=10)


def test_a_function_that_never_changes_its_mind_can_be_drawn(two_classes):
    s = kernelopt.solve(
        two_classes.X, two_classes.y, family=fixed("rbf"), criterion={"name": "lagrangian-svc", "c": 1e12}
    )
    plot.decision(s, two_classes.X, two_classes.y, resolution=5).get_figure().canvas.draw()


def test_a_regression_of_one_column_is_a_curve(numbers, size):
    X, y = numbers.X[:, :1], numbers.y
    s = kernelopt.solve(X, y, family=fixed("rbf"), tol=1e-2)
    ax = plot.regression(s, X, y, names=["time"])
    points, curve = (line.get_xydata() for line in ax.get_lines())
    np.testing.assert_array_equal(points, np.column_stack([X, y]))
    np.testing.assert_array_equal(curve[:, 1], s.predict(curve[:, :1]))
    assert ax.get_xlabel() == "time"
    ax.get_figure().canvas.draw()


def test_a_regression_of_two_columns_is_a_surface_in_space(numbers, size):
    ax = plot.regression(numbers.solution, numbers.X, numbers.y, resolution=8)
    assert ax.name == "3d"
    ax.get_figure().canvas.draw()


def test_a_regression_of_two_columns_is_a_map_in_the_plane(numbers, size):
    s, X, y = numbers.solution, numbers.X, numbers.y
    display = plot.RegressionDisplay.from_solution(s, X, y, resolution=8, ax=plt.subplots()[1])
    np.testing.assert_array_equal(display.values, s.predict(display.grid.rows))
    rows = display.ax_.collections[-1]
    np.testing.assert_array_equal(rows.get_offsets(), X)
    np.testing.assert_array_equal(rows.get_array(), y)
    display.figure_.canvas.draw()


def test_one_of_several_targets_is_drawn(numbers):
    X, y = numbers.X, np.column_stack([numbers.y, -(numbers.y**2)])
    s = kernelopt.solve(X, y, family=fixed("rbf"), criterion="ridge")
    display = plot.RegressionDisplay.from_solution(s, X, y, output=1, columns=[1], resolution=6)
    np.testing.assert_array_equal(display.values, s.predict(display.grid.rows)[:, 1])
    np.testing.assert_array_equal(display.y, y[:, 1])
    with pytest.raises(InvalidOption, match="the solution has 2"):
        plot.regression(s, X, y, output=2)


def test_pictures_that_make_no_sense_are_refused(two_classes, numbers):
    with pytest.raises(InvalidOption, match="RegressionDisplay"):
        plot.decision(numbers.solution, numbers.X)
    with pytest.raises(InvalidOption, match="DecisionDisplay"):
        plot.regression(two_classes.solution, two_classes.X)
    s, X, y = two_classes.solution, two_classes.X, two_classes.y
    for columns in ((0,), (0, 0), (0, 2), (0, 1, 1)):
        with pytest.raises(InvalidOption, match="columns"):
            plot.decision(s, X, y, columns=columns)
    with pytest.raises(InvalidOption, match="resolution"):
        plot.decision(s, X, y, resolution=1)
    with pytest.raises(InvalidOption, match="at has shape"):
        plot.decision(s, X, y, at=[1.0])
    with pytest.raises(InvalidData, match="pass the training rows"):
        plot.decision(s, X[:2], y[:2])
    with pytest.raises(InvalidData, match="wanted one value for each row"):
        plot.decision(s, X, y[:2])


def test_along_a_column_of_dates_the_axis_says_dates(size):
    days = np.arange("2019-01-01", "2022-01-01", 20, dtype="datetime64[D]")
    X = pd.DataFrame({"wet": np.sin(np.arange(len(days))), "day": days})
    y, gaussian = np.cos(np.arange(len(days))), fixed(("rbf", {"gamma": 1e-4}))
    curve = kernelopt.solve(X[["day"]], y, family=gaussian, criterion="ridge")
    surface = kernelopt.solve(X, y, family=gaussian, criterion="ridge")
    decision = kernelopt.solve(X, y > 0.0, family=gaussian, criterion="svc")
    axes = [
        plot.regression(curve, X[["day"]], y).xaxis,
        plot.regression(surface, X, y, resolution=5).yaxis,
        plot.decision(decision, X, y > 0.0, resolution=5).yaxis,
    ]
    for axis in axes:
        axis.get_figure().canvas.draw()
        assert axis.get_label_text() == "day"
        assert {"2019", "2020", "2021"} <= {label.get_text() for label in axis.get_ticklabels()}


def test_days_that_are_no_dates_of_the_calendar_stay_numbers():
    s = kernelopt.solve(
        pd.DataFrame({"day": np.array(["0001-01-01", "9000-01-01", "9999-12-31"], dtype="datetime64[s]")}),
        [0.0, 1.0, 2.0],
        family=fixed(("rbf", {"gamma": 1e-12})),
        criterion="ridge",
    )
    ax = plot.regression(s)
    ax.get_figure().canvas.draw()
    assert all(np.isfinite(float(label.get_text().replace("\N{MINUS SIGN}", "-"))) for label in ax.get_xticklabels())
