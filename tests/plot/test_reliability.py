"""Pictures of how far a machine can be believed: probabilities that come true, intervals that hold what they claim."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy import stats
from sklearn.calibration import calibration_curve

import kernelopt
from kernelopt import Evidence, InvalidData, InvalidOption, plot


@pytest.fixture(scope="module", name="classes")
def _classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.where(X[:, 0] + 0.7 * rng.normal(size=400) > 0.0, "yes", "no")
    return kernelopt.solve(X[:100], y[:100]), X[100:], y[100:]


@pytest.fixture(scope="module", name="numbers_of")
def _numbers():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.3 * rng.normal(size=500)
    return kernelopt.solve(X[:120], y[:120]), X[120:], y[120:]


def test_points_are_those_of_scikit_learn(classes, size):
    s, X, y = classes
    display = plot.CalibrationDisplay.from_solution(s, X, y)
    wanted = calibration_curve(y == "yes", s.predict_proba(X)[:, 1], n_bins=10)
    full = display.counts > 0
    np.testing.assert_allclose(display.frequencies[full], wanted[0])
    np.testing.assert_allclose(display.probabilities[full], wanted[1])
    assert display.counts.sum() == len(X)
    assert display.ax_.get_xlabel() == "predicted probability of yes"
    words = [text.get_text() for text in display.ax_.texts]
    assert [int(word) for word in words if word] == display.counts[full].tolist()
    display.figure_.canvas.draw()


def test_the_other_class_is_the_mirror_image(classes):
    s, X, y = classes
    yes = plot.CalibrationDisplay.from_solution(s, X, y, label="yes")
    no = plot.CalibrationDisplay.from_solution(s, X, y, label="no")
    assert yes.counts.tolist() == no.counts[::-1].tolist()
    np.testing.assert_allclose(yes.frequencies, 1.0 - no.frequencies[::-1])
    assert yes.difference == pytest.approx(no.difference)


def test_of_more_classes_every_row_counts_once_for_each(size):
    X = np.random.default_rng(2).normal(size=(150, 2))
    y = np.digitize(X[:, 0] + 0.3 * X[:, 1], [-0.5, 0.5])
    s = kernelopt.solve(X[:90], y[:90])
    display = plot.CalibrationDisplay.from_solution(s, X[90:], y[90:], bins=5)
    assert display.counts.sum() == 3 * 60
    assert np.nansum(display.counts * display.frequencies) == pytest.approx(60)
    alone = plot.CalibrationDisplay.from_solution(s, X[90:], y[90:], label=1)
    assert alone.counts.sum() == 60
    assert display.ax_.get_xlabel() == "predicted probability of each class"
    display.figure_.canvas.draw()


def test_intervals_hold_the_true_frequency_as_often_as_they_say():
    rng = np.random.default_rng(3)
    held = []
    for _ in range(300):
        came, truth = rng.binomial(40, 0.3), 0.3
        one = plot.CalibrationDisplay(
            np.array([0.0, 1.0]), np.array([truth]), np.array([came / 40]), np.array([40]), "it"
        )
        low, high = one.intervals[:, 0]
        assert low <= came / 40 <= high
        held.append(low <= truth <= high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.03)


def test_a_machine_that_is_too_sure_is_told_by_the_mean_difference():
    counts, sure = np.array([50, 50]), np.array([0.02, 0.98])
    one = plot.CalibrationDisplay(np.array([0.0, 0.5, 1.0]), sure, np.array([0.2, 0.8]), counts, "it")
    assert one.difference == pytest.approx(0.18)
    assert one.plot().ax_.get_title(loc="left") == "mean difference 18.0 %"


def test_an_empty_bin_has_no_point(classes):
    s, X, y = classes
    display = plot.CalibrationDisplay.from_solution(s, X[:3], y[:3])
    assert np.isnan(display.frequencies).sum() == np.isnan(display.probabilities).sum() >= 7
    display.figure_.canvas.draw()


def test_residuals_are_the_targets_less_what_was_predicted(numbers_of, size):
    s, X, y = numbers_of
    display = plot.ResidualsDisplay.from_solution(s, X, y, target="height (m)")
    values, deviation = s.predict(X, return_std=True)
    np.testing.assert_allclose(display.predicted, values)
    np.testing.assert_allclose(display.residuals, y - values)
    np.testing.assert_allclose(display.reach, stats.norm.ppf(0.975) * deviation)
    inside = np.abs(y - values) <= display.reach
    assert (display.inside == inside).all()
    assert display.ax_.get_title(loc="left") == f"{100 * inside.mean():.1f} % lie in intervals of 95 %"
    assert "height (m)" in display.ax_.get_xlabel()
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()][1:] == [
        f"inside ({inside.sum()})",
        f"outside ({(~inside).sum()})",
    ]
    display.figure_.canvas.draw()


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_intervals_hold_what_they_claim_where_noise_is_as_assumed(numbers_of, share):
    s, X, y = numbers_of
    assert plot.ResidualsDisplay.from_solution(s, X, y, share=share).inside.mean() == pytest.approx(share, abs=0.06)


def test_intervals_of_heavy_tails_are_those_of_students_t():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 1))
    y = X[:, 0] + 0.2 * rng.standard_t(3, size=120)
    s = kernelopt.solve(X, y, criterion=Evidence(noise="student"))
    degrees = s.posterior.degrees
    _, deviation = s.predict(X, return_std=True)
    display = plot.ResidualsDisplay.from_solution(s, X, y, share=0.9)
    wanted = stats.t(degrees, scale=deviation * np.sqrt((degrees - 2.0) / degrees)).ppf(0.95)
    np.testing.assert_allclose(display.reach, wanted)


def test_a_machine_that_claims_nothing_has_residuals_and_no_intervals(numbers, size):
    display = plot.ResidualsDisplay.from_solution(numbers.solution, numbers.X, numbers.y)
    assert display.reach is None
    assert display.inside is None
    assert display.ax_.get_title(loc="left").startswith("root mean squared error ")
    display.figure_.canvas.draw()


def test_one_of_several_targets(numbers):
    X, y = numbers.X, np.column_stack([numbers.y, -(numbers.y**2)])
    s = kernelopt.solve(X, y)
    values, deviation = s.predict(X, return_std=True)
    display = plot.ResidualsDisplay.from_solution(s, X, y, output=1)
    np.testing.assert_allclose(display.residuals, y[:, 1] - values[:, 1])
    np.testing.assert_allclose(display.reach, s.posterior.reach(0.95) * deviation[:, 1])
    with pytest.raises(InvalidOption, match="the solution has 2"):
        plot.residuals(s, X, y, output=2)


def test_models_have_both(classes, numbers_of):
    for draw, (s, X, y) in ((plot.calibration, classes), (plot.residuals, numbers_of)):
        _, (left, right) = plt.subplots(1, 2)
        assert draw(s.model, X, y, ax=right) is right
        assert right.get_title(loc="left") == draw(s, X, y).get_title(loc="left") != ""
        assert not left.has_data()


def test_what_makes_no_sense_is_refused(classes, numbers_of, two_classes):
    s, X, y = classes
    with pytest.raises(InvalidOption, match="CalibrationDisplay"):
        plot.residuals(s, X, y)
    with pytest.raises(InvalidOption, match="without probabilities"):
        plot.calibration(two_classes.solution, two_classes.X, two_classes.y)
    with pytest.raises(InvalidOption, match="'maybe', the classes are"):
        plot.calibration(s, X, y, label="maybe")
    with pytest.raises(InvalidOption, match="bins"):
        plot.calibration(s, X, y, bins=0)
    with pytest.raises(InvalidData, match="wanted one value for each row"):
        plot.calibration(s, X, y[:3])
    with pytest.raises(InvalidData, match="y is missing"):
        plot.calibration(s, X, None)
    s, X, y = numbers_of
    with pytest.raises(InvalidOption, match="ResidualsDisplay"):
        plot.calibration(s, X, y)
    for wrong in (0.0, 1.0, 95):
        with pytest.raises(InvalidOption, match="share must be a number between 0 and 1"):
            plot.residuals(s, X, y, share=wrong)
    with pytest.raises(InvalidData, match="2 columns"):
        plot.residuals(s, X, np.column_stack([y, y]))
    with pytest.raises(InvalidData, match="y is missing"):
        plot.residuals(s, X, None)
