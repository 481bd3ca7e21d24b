"""Pictures of what was learned: members, atoms, columns, Grams."""

from itertools import pairwise

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Delta, Dictionary, Mixture, Part, fixed, plot, sampled
from kernelopt.plot._pictures import LONG, Bars
from kernelopt.plugin import InvalidData, InvalidOption, MatrixFamily

RBF = ("rbf", {"gamma": 1.0})
RBF_ALONE = Dictionary((RBF,))


def labels(ax):
    return [tick.get_text() for tick in ax.get_yticklabels()]


def solved(learned, family, **options):
    return kernelopt.solve(learned.X, learned.y, family=family, criterion="svc", **{"tol": 1e-2} | options)


def with_part(solution, part):
    """The solution with another kernel, which nobody learned, in its first family."""
    mixture = Mixture((part, *solution.mixture.parts[1:]))
    kernel = attrs.evolve(solution.kernel, mixture=mixture)
    response = attrs.evolve(solution.response, mixture=mixture)
    return attrs.evolve(solution, response=response, predictor=attrs.evolve(solution.predictor, kernel=kernel))


def test_the_bars_are_the_members_the_heaviest_first(three_classes, size):
    s = three_classes.solution
    ax = plot.weights(s, names=["a", "b", "c"])
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted((part.mass for part in s.mixture.parts), reverse=True)
    assert labels(ax)[0] == "tk on a"
    ax.get_figure().canvas.draw()


@pytest.mark.parametrize(
    "label",
    ["tk on a", "gaussian on colour_intensity, hue, od280/od315_of_diluted_wines", f"on {'x' * 40}, {'y' * 70}"],
)
def test_a_long_label_keeps_its_beginning_and_its_end_on_two_lines(label):
    plt = pytest.importorskip("matplotlib.pyplot")
    _, ax = plt.subplots()
    Bars((label,), np.ones(1), "weight").draw(ax)
    (shown,) = labels(ax)
    assert len(shown.split("\n")) <= 2
    assert max(map(len, shown.split("\n"))) <= LONG
    assert (shown[:2], shown[-3:]) == (label[:2], label[-3:])
    plt.close("all")


def test_bars_beyond_the_most_are_one(three_classes):
    ax = plot.weights(three_classes.solution, most=2)
    assert labels(ax)[1] == "2 others"
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(1.0)


def test_the_bars_of_views_are_their_shares(two_classes, size):
    family = kernelopt.by_view({"wide": [0], "high": [1]}, RBF_ALONE)
    s = solved(two_classes, family)
    ax = plot.views(s)
    shares = dict(sorted(s.views().items(), key=lambda item: -item[1]))
    assert labels(ax) == list(shares)
    assert [bar.get_width() for bar in ax.patches] == list(shares.values())
    ax.get_figure().canvas.draw()
    with pytest.raises(InvalidOption, match="learned from one matrix without views"):
        plot.views(two_classes.solution)


def test_p_is_drawn_with_its_names(two_classes, size):
    s = two_classes.solution
    ax = plot.atoms(s, names=["wide", "high"])
    (leaf,), (part,) = s.kernel.leaves, s.mixture.parts
    assert isinstance(leaf.family, MatrixFamily)
    order = leaf.family.reading_order()
    np.testing.assert_allclose(ax.images[0].get_array(), leaf.family.matrix(part)[np.ix_(order, order)], atol=2e-3)
    assert labels(ax)[:3] == ["1 [z >= x]", "wide [z >= x]", "high [z >= x]"]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == labels(ax)
    assert ax.get_aspect() == 1.0, "cells are square"
    ax.get_figure(root=True).canvas.draw()


def test_of_a_large_p_the_largest_rows_are_drawn(two_classes):
    s = two_classes.solution
    family = s.kernel.leaves[0].family
    P = family.matrix(s.mixture.parts[0])
    ax = plot.atoms(s, most=2)
    largest = np.sort(np.argsort(-np.diagonal(P))[:2])
    np.testing.assert_allclose(ax.images[0].get_array(), P[np.ix_(largest, largest)], atol=2e-3)
    assert labels(ax) == [family.coordinates(("x0", "x1"))[k] for k in largest]
    assert ax.get_xlabel() == "the largest 2 of 6 rows and columns"


def test_rows_of_p_that_are_zero_are_not_drawn(two_classes):
    s = two_classes.solution
    atom = np.zeros((1, 6))
    atom[0, [1, 4]] = 0.6, 0.8
    ax = plot.atoms(with_part(s, Part(atom, np.ones(1))))
    assert labels(ax) == ["x1 [z >= x]", "x1 [else]"]
    np.testing.assert_allclose(ax.images[0].get_array(), [[0.36, 0.48], [0.48, 0.64]])


def test_a_large_p_has_names_that_do_not_overlap(size):
    X = np.random.default_rng(0).normal(size=(40, 11))
    s = kernelopt.solve(X, X[:, 0], family="tk", criterion="svr", max_steps=0)
    ax = plot.atoms(s, names=[f"a rather long name of column {j}" for j in range(11)])
    ax.get_figure(root=True).canvas.draw()
    for ticks, low, high in ((ax.get_xticklabels(), "x0", "x1"), (ax.get_yticklabels()[::-1], "y0", "y1")):
        boxes = [tick.get_window_extent() for tick in ticks]
        assert all(getattr(a, high) <= getattr(b, low) + 1.0 for a, b in pairwise(boxes))


def test_a_list_is_bars_with_the_words_of_its_entries(two_classes, size):
    s = solved(two_classes, Dictionary([RBF, "linear"]))
    ax = plot.atoms(s)
    assert set(labels(ax)) <= {"rbf(gamma=1)", "linear"}
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(1.0)
    ax.get_figure().canvas.draw()


def test_a_family_that_says_nothing_shows_its_numbers(two_classes):
    s = solved(two_classes, "gaussians")
    assert set(labels(plot.atoms(s))) <= {"0.1", "0.3", "1", "3"}


def test_of_a_union_every_named_atom_has_a_bar(two_classes, size):
    family = [Dictionary([RBF, "linear"]), kernelopt.on(Dictionary([RBF]), [1]), "tk", Delta()]
    s = solved(two_classes, family, max_steps=0)
    ax = plot.weights(s, atoms=True, names=["a", "b"])
    dictionary, view, tk, delta = (part.mass for part in s.mixture.parts)
    drawn = dict(zip(labels(ax), [bar.get_width() for bar in ax.patches], strict=True))
    named = {"rbf(gamma=1)": dictionary / 2, "linear": dictionary / 2, "rbf(gamma=1) on b": view, "tk": tk}
    assert drawn == pytest.approx(named | {"delta": delta})
    assert sorted(labels(plot.weights(s))) == ["delta", "dictionary", "dictionary on x1", "tk"]
    ax.get_figure().canvas.draw()


def test_the_overview_of_the_evidence_shows_atoms_and_their_weights(numbers, size):
    noise = np.random.default_rng(0).normal(size=len(numbers.X))
    s = kernelopt.solve(numbers.X, numbers.y + 0.3 * noise)
    ax = s.plot()[3]
    assert "dictionary" not in labels(ax)
    assert "delta" in labels(ax)
    part = s.mixture.parts[0]
    assert len(part.visible) > 1
    assert {round(bar.get_width(), 9) for bar in ax.patches} >= {round(w, 9) for w in part.visible.weights}
    ax.get_figure(root=True).canvas.draw()


def test_random_atoms_have_the_words_of_their_family(two_classes):
    s = solved(two_classes, sampled({"name": "dictionary", "kernels": [RBF, "linear"]}, 2))
    assert set(labels(plot.atoms(s))) <= {"rbf(gamma=1)", "linear"}


def test_atoms_of_one_number_are_stems(numbers, size):
    s = with_part(numbers.solution, Part(np.array([[0.1], [2.0], [30.0]]), np.array([0.5, 0.3, 0.2])))
    ax = plot.atoms(s)
    np.testing.assert_array_equal(ax.containers[0].markerline.get_xydata(), [[0.1, 0.5], [2.0, 0.3], [30.0, 0.2]])
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("omega", "weight", "log")
    ax.get_figure().canvas.draw()


def test_atoms_of_two_numbers_are_points(two_classes, size):
    part = Part(np.random.default_rng(0).normal(size=(3, 2)), np.array([0.2, 0.5, 0.3]))
    s = with_part(solved(two_classes, "cosine", max_steps=0), part)
    ax = plot.atoms(s, names=["a", "b"])
    order = np.argsort(-part.weights, kind="stable")
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), part.atoms[order])
    np.testing.assert_array_equal(ax.collections[0].get_array(), part.weights[order])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("gamma(a)", "gamma(b)")
    ax.get_figure().canvas.draw()


def test_atoms_of_more_numbers_are_rows_the_heaviest_on_top(three_classes, size):
    part = Part(np.random.default_rng(0).normal(size=(3, 3)), np.array([0.2, 0.5, 0.3]))
    s = with_part(solved(three_classes, "cosine", max_steps=0), part)
    ax = plot.atoms(s, most=2)
    heaviest = part.atoms[np.argsort(-part.weights, kind="stable")[:2]]
    shown = np.sort(np.argsort(-(part.weights @ np.abs(part.atoms)))[:2])
    np.testing.assert_array_equal(ax.images[0].get_array(), heaviest[:, shown])
    assert [tick.get_text() for tick in ax.get_xticklabels()] == [f"gamma(x{j})" for j in shown]
    ax.get_figure().canvas.draw()


def test_another_member_can_be_asked_for(two_classes):
    s = solved(two_classes, fixed("rbf") + Delta())
    assert [plot.atoms(s, member=k).get_title() for k in (0, 1)] == ["dictionary", "delta"]
    with pytest.raises(InvalidOption, match="the kernel has 2"):
        plot.atoms(s, member=2)


def test_columns_of_an_additive_function_have_their_share_of_its_variance():
    X = np.random.default_rng(0).normal(size=(400, 3))
    y = 3.0 * X[:, 0] + X[:, 1]
    s = kernelopt.solve(X, y, family=fixed("linear"), criterion={"name": "ridge", "lam": 1e-6})
    display = plot.FeaturesDisplay.from_solution(s, X, repeats=30)
    wanted = np.array([9.0, 1.0, 0.0]) * X.var(axis=0) / y.var()
    np.testing.assert_allclose(display.bars.values, wanted, rtol=0.03, atol=1e-9)
    assert display.bars.labels == ("x0", "x1", "x2")


def test_a_column_that_the_function_does_not_see_has_no_effect(two_classes):
    s = solved(two_classes, kernelopt.on(fixed(RBF), [1]))
    assert plot.FeaturesDisplay.from_solution(s, two_classes.X).bars.values.tolist()[1:] == [0.0]


def test_a_gram_is_cosines_sorted_by_class(three_classes, size):
    X, y = three_classes.X, three_classes.y
    axes = plot.grams(three_classes.solution, X, y)
    display = plot.GramDisplay.from_solution(three_classes.solution, X, y)
    C = display.cosines
    np.testing.assert_allclose(C, C.T)
    np.testing.assert_allclose(np.diagonal(C), 1.0)
    assert np.abs(C).max() <= 1.0
    assert (np.diff(y[display.order]) >= 0).all()
    assert display.breaks.tolist() == np.cumsum(np.bincount(y))[:-1].tolist()
    np.testing.assert_allclose(axes[1].images[0].get_array(), C)
    before = plot.GramDisplay.from_solution(three_classes.solution, X, y, learned=False).cosines
    np.testing.assert_allclose(axes[0].images[0].get_array(), before)
    assert np.abs(before - C).max() > 0.1
    assert [ax.get_title() for ax in axes] == ["centre kernel", "learned kernel"]
    axes[0].get_figure().canvas.draw()


def test_a_gram_does_not_see_scales_and_constants(two_classes):
    K = lambda A, B: np.exp(-((A[:, None] - B[None]) ** 2).sum(axis=2))  # noqa: E731
    X, y = two_classes.X, two_classes.y
    plain, moved = (solved(two_classes, fixed(kernel)) for kernel in (K, lambda A, B: 3.0 * K(A, B) + 2.0))
    first, second = (plot.GramDisplay.from_solution(s, X, y).cosines for s in (plain, moved))
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_the_centre_is_what_the_baseline_is_about(three_classes):
    s = three_classes.solution
    centre = s.kernel.center()
    family = kernelopt.each("tk")
    certificate = kernelopt.certify(three_classes.X, three_classes.y, family=family, mixture=centre.mixture)
    assert certificate.upper == pytest.approx(s.baseline, rel=1e-3)


def test_of_many_rows_some_are_drawn(two_classes):
    X, y = two_classes.X, two_classes.y
    display = plot.GramDisplay.from_solution(two_classes.solution, X, y, most=10)
    assert display.cosines.shape == (10, 10)
    assert len(display.breaks) == 1
    with pytest.raises(InvalidOption, match="at least 2"):
        plot.grams(two_classes.solution, X, y, most=1)
    with pytest.raises(InvalidData, match="3 values and X has 60 rows"):
        plot.grams(two_classes.solution, X, y[:3])
