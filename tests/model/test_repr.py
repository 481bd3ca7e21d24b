"""What a prompt and a notebook show of an answer: short words, and tables with small pictures that escape them."""

import re
from xml.etree import ElementTree as ET

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Certificate, Trace

SVG = "{http://www.w3.org/2000/svg}"
SMALL = 20_000


def solved(family="tk", **options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return kernelopt.solve(X, np.where(X[:, 0] > 0.0, 1, -1), family=family, tol=1e-2, **options)


@pytest.fixture(scope="module")
def solution():
    return solved(criterion="svc").named(["<age>", "size & weight"])


@pytest.fixture(scope="module")
def table():
    return kernelopt.compatibility(["tk", "hyperkernel"], criteria=["svc", "alignment"])


@pytest.fixture(scope="module")
def shown(solution, table):
    return (solution, solution.certificate, solution.kernel, solution.trace, solution.model, table)


def parsed(html):
    """The HTML as a tree; what is shown is well-formed, so that it breaks no page."""
    return ET.fromstring(f"<div>{html}</div>")


def test_reprs_are_one_short_line_and_say_what_they_are(solution, shown):
    assert repr(solution) == f"<Solution CONVERGED: {solution.certificate}>"
    assert repr(solution.certificate) == f"<Certificate: {solution.certificate}>"
    assert repr(solution.model) == f"<Model svc, CONVERGED: {solution.certificate}>"
    assert re.match(r"<Trace: \d+ records, relative gap \S+e\S+ to \S+e-\d+>", repr(solution.trace))
    assert repr(Trace()) == "<Trace: no steps>"
    assert re.match(r"<Predictor: 1 outputs, \d+ support vectors, tk", repr(solution.predictor))
    for one in (*shown, solution.predictor):
        assert len(repr(one)) < 300
        assert "\n" not in repr(one)


def test_a_repr_of_a_table_of_combinations_counts_them(table):
    assert repr(table) == f"<Compatibility: {len(table) - len(table.refused)} of {len(table)} combinations solve>"


def test_a_notebook_gets_tables_with_everything_escaped(shown):
    for one in shown:
        html = one._repr_html_()
        assert html.count("<table>") == 1
        assert "<age>" not in html
        assert parsed(html).findall(".//tr")


def test_a_table_is_small_and_needs_neither_script_nor_network(shown):
    for one in shown:
        html = one._repr_html_()
        assert len(html) < SMALL
        assert "<script" not in html
        assert "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "")


def test_notes_and_bounds_stand_in_the_table_of_a_solution(solution):
    assert "solver: auto took" in solution._repr_html_()
    assert solution.certificate._repr_html_() != solution._repr_html_()
    assert f"{solution.certificate.upper:.8g}" in solution.certificate._repr_html_()


@pytest.mark.parametrize("family", kernelopt.families())
def test_every_family_is_shown_by_solutions_and_models(family, tmp_path):
    s = solved(family, criterion="svc", max_steps=3)
    s.save(tmp_path / "one")
    for one in (s, s.kernel, s.model, kernelopt.load(tmp_path / "one")):
        assert len(one._repr_html_()) < SMALL
        parsed(one._repr_html_())


def test_the_bars_of_a_kernel_are_its_weights():
    s = solved(["dictionary", "delta"], criterion="svc", solver="smo")
    assert s.mixture.count > 2
    bars = np.array([float(bar.get("width")) for bar in parsed(s.kernel.picture).iter(f"{SVG}rect")])
    weights = np.sort(np.concatenate([part.visible.weights for part in s.mixture.parts]))[::-1][: len(bars)]
    assert len(bars) == min(10, s.mixture.count)
    drawn = slice(None) if len(bars) == s.mixture.count else slice(-1)
    np.testing.assert_allclose(bars[drawn] / bars[0], (weights / weights[0])[drawn], atol=0.02)


def test_the_cells_of_a_matrix_are_p(solution):
    (leaf,), (part,) = solution.kernel.leaves, solution.mixture.parts
    order = leaf.family.reading_order()
    P = leaf.family.matrix(part)[np.ix_(order, order)]
    cells = list(parsed(solution.kernel.picture).iter(f"{SVG}rect"))
    depth = [float(cell.get("fill-opacity")) for cell in cells]
    np.testing.assert_allclose(depth, np.abs(P / np.abs(P).max()).ravel(), atol=6e-3)
    colours = {True: set(), False: set()}
    for cell, value in zip(cells, P.ravel(), strict=True):
        if abs(value) > 0.01:
            colours[bool(value > 0.0)].add(cell.get("fill"))
    assert [len(one) for one in colours.values()] == [1, 1]
    assert colours[True] != colours[False]


def test_the_lines_of_a_trace_are_its_bounds(solution):
    upper, lower = (
        np.array([point.split(",") for point in line.get("points").split()], dtype=float)
        for line in parsed(solution.trace.picture).iter(f"{SVG}polyline")
    )
    assert len(upper) == len(lower) == len(solution.trace)
    assert (np.diff(upper[:, 1]) >= 0.0).all(), "the upper bound falls: down is more"
    assert (np.diff(lower[:, 1]) <= 0.0).all()
    assert (upper[:, 1] <= lower[:, 1]).all()


def test_a_trace_of_one_step_and_one_of_none_have_no_picture(solution):
    assert Trace(solution.trace[:1]).picture == Trace().picture == ""
    parsed(Trace()._repr_html_())


def test_what_a_solver_says_of_a_step_is_escaped(solution):
    trace = Trace((attrs.evolve(solution.trace[0], note="<script>mu & nu</script>"),))
    assert parsed(trace._repr_html_()).findall(".//td")[-1].text == "<script>mu & nu</script>"


def test_a_bound_that_is_infinite_is_left_out(solution):
    first = attrs.evolve(solution.trace[0], upper=np.inf, lower=-np.inf, relative_gap=np.inf)
    trace = Trace((first, *solution.trace[1:]))
    assert "nan" not in trace.picture
    for line in parsed(trace.picture).iter(f"{SVG}polyline"):
        assert len(line.get("points").split()) == len(trace) - 1


def test_a_nearer_bound_stands_further_right():
    def place(gap):
        return float(next(parsed(Certificate(1.0, 1.0 - gap).picture).iter(f"{SVG}circle")).get("cx"))

    places = [place(gap) for gap in (0.9, 1e-2, 1e-4, 1e-9, 0.0)]
    assert places == sorted(places)
    assert places[1] < places[2] < places[3] == places[4]


def test_bounds_that_prove_nothing_have_no_picture():
    for one in (Certificate(0.0, 1.0), Certificate(np.inf, 0.0)):
        assert one.picture == ""
        parsed(one._repr_html_())


def test_reasons_of_combinations_stand_below_and_behind_their_cells(table):
    tree = parsed(table._repr_html_())
    assert [cell.get("title") for cell in tree.iter("td") if cell.get("title")]
    assert tree.find(".//details/summary").text == "Why some are refused"
    whole = kernelopt.compatibility(["tk"], ["ipm"], ["svc"])
    assert "details" not in whole._repr_html_()


def test_no_picture_loads_matplotlib(loaded):
    assert "matplotlib" not in loaded
