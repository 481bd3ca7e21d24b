"""Power series without a negative coefficient: those with a name, and what any of them is worth, word for word."""

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import attrs
import numpy as np

from kernelopt.plugin import FloatArray

Terms = str | tuple[float, ...]
"""A name in `CLOSED`, or the coefficients c_0, c_1, ... of a polynomial."""

_MOST_TERMS = 4


@attrs.frozen
class ClosedForm:
    """g(xi) = sum_i c_i xi^i.

    Attributes:
        value: g, elementwise.
        coefficient: c_i, at least 0.
        radius: of convergence.
    """

    value: Callable[[FloatArray], FloatArray]
    coefficient: Callable[[int], float]
    radius: float = math.inf


HARMONIC = "harmonic"
CLOSED: Mapping[str, ClosedForm] = MappingProxyType(
    {
        HARMONIC: ClosedForm(lambda x: np.asarray(1.0 / (1.0 - x)), lambda _: 1.0, 1.0),
        "exp": ClosedForm(np.exp, lambda i: 1.0 / math.factorial(i)),
        "sinh": ClosedForm(np.sinh, lambda i: i % 2 / math.factorial(i)),
        "cosh": ClosedForm(np.cosh, lambda i: (i + 1) % 2 / math.factorial(i)),
        "arctanh": ClosedForm(np.arctanh, lambda i: i % 2 / max(i, 1), 1.0),
        "log": ClosedForm(lambda x: np.asarray(-np.log1p(-x)), lambda i: min(i, 1) / max(i, 1), 1.0),
    }
)
"""The geometric series, and table 2 of Ong, Smola and Williamson (2005)."""


def size(terms: Terms, lambda_h: float) -> float:
    """What stands before g: the harmonic series is 1 where its argument is."""
    return 1.0 - lambda_h if terms == HARMONIC else 1.0


def radius(terms: Terms) -> float:
    """Of convergence: that of a polynomial is infinite."""
    return CLOSED[terms].radius if isinstance(terms, str) else math.inf


def coefficients(terms: Terms, lambda_h: float, count: int) -> FloatArray:
    """The coefficients of xi^0 to xi^(count - 1) in g(lambda xi), shape (count,)."""
    if isinstance(terms, str):
        listed = [CLOSED[terms].coefficient(i) for i in range(count)]
    else:
        listed = [*terms[:count], *[0.0] * (count - len(terms))]
    return size(terms, lambda_h) * np.array(listed) * lambda_h ** np.arange(count)


def products(terms: Terms, lambda_h: float, first: FloatArray, second: FloatArray) -> FloatArray:
    """g(lambda u v) for numbers u (k,) and v (m,), shape (k, m)."""
    if isinstance(terms, str):
        return size(terms, lambda_h) * CLOSED[terms].value(np.multiply.outer(lambda_h * first, second))
    c = np.trim_zeros(coefficients(terms, lambda_h, len(terms)), "b")
    one, two = (np.vander(values, len(c), increasing=True) for values in (first, second))
    return np.asarray((one * c) @ two.T)


def squares(terms: Terms, lambda_h: float, values: FloatArray) -> FloatArray:
    """g(lambda u^2), elementwise."""
    if isinstance(terms, str):
        return size(terms, lambda_h) * CLOSED[terms].value(lambda_h * values**2)
    return np.asarray(np.polynomial.polynomial.polyval(lambda_h * values**2, np.trim_zeros(np.array(terms), "b")))


def formula(terms: Terms, lambda_h: float, argument: str) -> str:
    """g(lambda xi) in the signs of a formula, xi being that word; of a long list the first terms."""
    if not isinstance(terms, str):
        shown = [(i, c) for i, c in enumerate(coefficients(terms, lambda_h, len(terms))) if c > 0.0]
        more = " + ..." if len(shown) > _MOST_TERMS else ""
        return " + ".join(_term(i, c, argument) for i, c in shown[:_MOST_TERMS]) + more
    inner = argument if lambda_h == 1.0 else f"{lambda_h:g} {argument}"
    if terms == HARMONIC:
        return f"{1.0 - lambda_h:g} / (1 - {inner})"
    return f"-ln(1 - {inner})" if terms == "log" else f"{terms}({inner})"


def _term(i: int, c: float, argument: str) -> str:
    """c xi^i; what multiplies by 1, and a first power, are not written."""
    if i == 0:
        return f"{c:g}"
    power = argument if i == 1 else f"({argument})^{i}"
    return power if c == 1.0 else f"{c:g} {power}"
