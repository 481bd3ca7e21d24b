"""What a prompt and a notebook show of an answer: short words, and a table that escapes them."""

import re

import numpy as np
import pytest

import kernelopt


@pytest.fixture(scope="module")
def solution():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    s = kernelopt.solve(X, np.where(X[:, 0] > 0.0, 1, -1), family="tk", criterion="svc", tol=1e-2)
    return s.named(["<age>", "size & weight"])


def test_reprs_are_short_and_say_what_they_are(solution):
    assert repr(solution) == f"<Solution CONVERGED: {solution.certificate}>"
    assert repr(solution.certificate) == f"<Certificate: {solution.certificate}>"
    assert re.match(r"<Predictor: 1 outputs, \d+ support vectors, tk", repr(solution.predictor))
    for one in (solution, solution.certificate, solution.predictor, solution.kernel):
        assert len(repr(one)) < 300


def test_a_notebook_gets_tables_with_everything_escaped(solution):
    for one in (solution, solution.certificate, solution.kernel):
        html = one._repr_html_()
        assert html.startswith("<table>")
        assert html.endswith("</table>")
        assert "<age>" not in html
        assert html.count("<tr>") == html.count("</tr>") >= 1
    assert "solver: auto took" in solution._repr_html_()
    assert solution.certificate._repr_html_() != solution._repr_html_()


def test_the_bounds_of_a_table_are_those_of_the_words(solution):
    assert f"{solution.certificate.upper:.8g}" in solution.certificate._repr_html_()
