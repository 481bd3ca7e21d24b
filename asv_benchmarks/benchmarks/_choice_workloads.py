"""Short problems on both sides of what the automatic solver asks for."""

from typing import Any

from sklearn.datasets import load_diabetes

import kernelopt

from . import _short_problems as short


def auto_columns() -> Any:
    """Thirty columns: the whole P is small, and one output."""
    return short.solved(short.rows(400, 30), "tk", "auto", tol=1e-4)


def auto_hard() -> Any:
    """A margin that is all but hard."""
    return short.solved(short.rows(200, 10), "tk", "auto", C=1e4, tol=1e-4)


def auto_features() -> Any:
    """Quadratic forms in some hundred features."""
    return short.solved(short.rows(400, 6), "gpk", "auto", tol=1e-4)


def auto_many_features() -> Any:
    """Quadratic forms in more than a thousand features."""
    return short.solved(short.rows(150, 45), "gpk", "auto", tol=1e-2)


def auto_loose() -> Any:
    """A loose tolerance."""
    return short.solved(short.rows(800, 30), "tk", "auto", C=1.0, tol=1e-2)


def auto_loose_hard() -> Any:
    """The same, at a large C."""
    return short.solved(short.rows(400, 20), "tk", "auto", C=100.0, tol=1e-2)


def auto_tight() -> Any:
    """A tolerance that is not loose."""
    return short.solved(short.rows(800, 30), "tk", "auto", C=1.0, tol=1e-4)


def auto_rows() -> Any:
    """More rows than a working set moves."""
    return short.solved(short.rows(2500, 6), "tk", "auto", C=1.0, tol=1e-3)


def auto_few_classes() -> Any:
    """Three classes of some hundred rows."""
    return short.solved(short.classes(300, 3), "tk", "auto", tol=1e-3)


def auto_list() -> Any:
    """The ready list on a hundred rows."""
    return short.solved(short.rows(100, 10), "auto", "auto", tol=1e-3)


def auto_list_numbers() -> Any:
    """The ready list for a column of numbers."""
    return short.solved(short.numbers(200, 10), "auto", "auto", criterion=kernelopt.SVR(10.0, 0.1), tol=1e-3)


def auto_list_more_numbers() -> Any:
    """The same on more rows."""
    return short.solved(short.numbers(600, 10), "auto", "auto", criterion=kernelopt.SVR(10.0, 0.1), tol=1e-3)


def auto_list_squares() -> Any:
    """The ready list under ridge, on the diabetes data of scikit-learn."""
    return short.solved(load_diabetes(return_X_y=True), "auto", "auto", criterion=kernelopt.Ridge(), tol=1e-3)


def auto_list_more() -> Any:
    """The ready list on as many rows as count as few."""
    return short.solved(short.rows(400, 10), "auto", "auto", tol=1e-3)


def auto_list_tube() -> Any:
    """The ready list for a tube that holds a share of the rows."""
    return short.solved(short.numbers(400, 10), "auto", "auto", criterion=kernelopt.NuSVR(), tol=1e-3)


def auto_list_classes() -> Any:
    """The ready list for three classes."""
    return short.solved(short.classes(150, 3), "auto", "auto", C=1.0, tol=1e-3)


def auto_list_more_classes() -> Any:
    """The ready list for six classes, on fewer rows."""
    return short.solved(short.classes(100, 6), "auto", "auto", C=1.0, tol=1e-3)


def auto_list_tight() -> Any:
    """The ready list on twice as many rows, at a small tolerance."""
    return short.solved(short.rows(200, 10), "auto", "auto", tol=1e-6)


def auto_classes() -> Any:
    """More outputs times rows than MOST_TOGETHER."""
    return short.solved(short.classes(900, 6), "tk", "auto", C=1.0, tol=1e-2)
