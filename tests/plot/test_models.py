"""A model in a file has the pictures of what it keeps, and says what it has not."""

import numpy as np
import pytest

import kernelopt
from kernelopt import InvalidData, Refused, plot


@pytest.fixture(name="model")
def _model(two_classes, tmp_path):
    two_classes.solution.named(["across", "up"]).save(tmp_path / "one")
    return kernelopt.load(tmp_path / "one")


def test_a_model_shows_what_its_solution_showed(two_classes, three_classes, model, size):
    s, X, y = two_classes.solution, two_classes.X, two_classes.y
    grids = [plot.DecisionDisplay.from_solution(one, X, y, resolution=12).values for one in (s, model)]
    assert np.array_equal(*grids)
    assert np.array_equal(plot.atoms(s).images[0].get_array(), plot.atoms(model).images[0].get_array())
    assert plot.features(model, X).get_yticklabels()[0].get_text() in ("across", "up")
    union = three_classes.solution
    mine, its = (plot.WeightsDisplay.from_solution(one).bars for one in (union, union.model))
    assert its.values == pytest.approx(mine.values[: len(its.values)])


def test_without_rows_a_model_is_drawn_over_its_support_vectors(model, numbers, size):
    display = plot.DecisionDisplay.from_solution(model, resolution=12)
    kept = model.predictor.support_vectors
    assert np.array_equal(display.grid.X, kept)
    assert display.support.tolist() == list(range(len(kept)))
    assert display.ax_.get_xlabel() == "across"
    surface = plot.RegressionDisplay.from_solution(numbers.solution.model, resolution=12)
    assert np.array_equal(surface.grid.X, numbers.solution.support_vectors)


def test_a_solution_is_drawn_over_its_support_vectors_where_no_rows_are_given(two_classes):
    s = two_classes.solution
    display = plot.DecisionDisplay.from_solution(s, resolution=12)
    assert np.array_equal(display.grid.X, s.support_vectors)


def test_the_overview_of_a_model_is_what_was_learned(model, size):
    (ax,) = plot.overview(model)
    assert ax.get_title() == "tk"
    assert "certified relative gap" in ax.get_figure().get_suptitle()


def test_what_a_model_has_not_is_refused(model, two_classes):
    with pytest.raises(Refused, match="keeps no trace"):
        plot.convergence(model)
    with pytest.raises(Refused, match="keeps no centre kernel"):
        plot.grams(model, two_classes.X)
    waves = kernelopt.solve(two_classes.X, two_classes.y, family="cosine", criterion="svc", max_steps=1).model
    with pytest.raises(InvalidData, match="the model keeps no rows"):
        plot.decision(waves)
