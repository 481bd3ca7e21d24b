"""What `Hyperkernel(kind=...)` takes: a name, or a hyperkernel of one's own."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import attrs

from kernelopt.plugin import InvalidOption, one_of
from kernelopt_hyperkernel._bases import GaussianBase
from kernelopt_hyperkernel._closed_forms import HARMONIC
from kernelopt_hyperkernel._differences import Differences
from kernelopt_hyperkernel._series import READY, Series
from kernelopt_hyperkernel._widths import Sigma

Own: TypeAlias = Series | Differences
"""A hyperkernel of one's own, which has its own options."""


def as_kind(value: Any) -> Any:
    """A series from a mapping of its options; what is none is left as it is."""
    return Series.of(value) if isinstance(value, Mapping) else value


def own_or(*names: str) -> Callable[[Any, "attrs.Attribute[Any]", Any], None]:
    """A validator: a hyperkernel of one's own, or one of these names."""

    def check(owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
        if not isinstance(value, Own):
            one_of(*names)(owner, field, value)

    return check


def alone(kind: str | Own, field: "attrs.Attribute[Any]", value: Any) -> None:
    """Refuse an option beside a hyperkernel of one's own that has it itself."""
    if isinstance(kind, Own) and value != field.default:
        instead = "Series(terms, base=GaussianBase(sigma), lambda_h=...)"
        raise InvalidOption(
            f"Hyperkernel: kind={type(kind).__name__}(...) has its own {field.name}, got {field.name}={value!r} beside "
            f"it; write {instead if isinstance(kind, Series) else 'Differences(function, sigma=...)'}"
        )


def ready(kind: str | Own, sigma: Sigma, lambda_h: float) -> Own:
    """A hyperkernel of one's own itself, or the series of a name in `READY` with these widths: of all columns together
    but for the harmonic.
    """
    if isinstance(kind, Own):
        return kind
    return Series(READY[kind], GaussianBase(sigma, "each" if kind == HARMONIC else "together"), lambda_h)
