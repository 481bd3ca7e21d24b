"""Kernels at a price: a small list whose neighbours cost more together, and every kind of price in one table."""

import math
from collections.abc import Sequence

import attrs
import numpy as np

from kernelopt._api._family_specs import priced
from kernelopt._families._views import Priced
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.variances._delta import Delta
from kernelopt.plugin import KernelFamily, Norm, PenalizedFamily, Penalty, Square, within

KERNELS = (("rbf", {"gamma": 0.05}), ("rbf", {"gamma": 0.4}), ("rbf", {"gamma": 3.0}), "linear")
"""Three Gaussians and a line: the list that `every_price` puts prices on."""


@attrs.frozen(eq=False)
class Costly(Dictionary, PenalizedFamily):
    """A finite list whose neighbouring kernels cost more together: R(w) of the matrix H_ij = exp(-0.3 |i - j|).

    Attributes:
        rule: the price that is made of H: `Norm`, rho sqrt(w'Hw), or `Square`, rho w'Hw.
        rho: the size of the price, >= 0.
        sum: the sum of the weights; None for weights of any sum.
    """

    rule: type[Norm | Square] = Square
    rho: float = attrs.field(default=0.5, validator=within(0.0, math.inf))
    sum: float | None = 1.0

    @property
    def total(self) -> float | None:
        return self.sum

    @property
    def penalty(self) -> Penalty:
        place = np.arange(len(self.kernels or ()))
        return self.rule(np.exp(-0.3 * np.abs(place[:, None] - place)), self.rho)


def every_price(
    matrix: KernelFamily | str, totals: Sequence[float | None] = (1.0, 2.5, None)
) -> dict[str, list[KernelFamily | Priced]]:
    """Unions with every kind of price, as a mapping from names; each call returns new ones.

    For each of the `totals`, the sum of the weights (None: any sum), there are a norm, a square, a price for each
    kernel of a list, and `matrix`, a matrix family or its name, at a price. Besides there are unions whose weights sum
    to 1, and "nothing", a price of 0. If None is among the totals, there is also "a cone of a union".
    """
    table: dict[str, list[KernelFamily | Priced]] = {}
    for total in totals:
        table[f"norm, total {total}"] = [Costly(KERNELS, rule=Norm, sum=total)]
        table[f"square, total {total}"] = [Costly(KERNELS, sum=total)]
        table[f"list at a price, total {total}"] = [priced(Dictionary(KERNELS), [0.5, 1.0, 0.2, 2.0], total)]
        table[f"matrix at a price, total {total}"] = [priced(matrix, 0.4, total)]
    cheap = priced(Dictionary(KERNELS), 0.3, 1.0)
    table["a union"] = [cheap, Costly(KERNELS), Delta()]
    table["a union with a norm"] = [cheap, Costly(KERNELS, rule=Norm), Delta()]
    table["a norm beside delta"] = [Costly(KERNELS, rule=Norm), Delta()]
    table["nothing"] = [Costly(KERNELS, rho=0.0)]
    if None in totals:
        cone = Costly(KERNELS, rule=Norm, sum=None)
        table["a cone of a union"] = [priced(matrix, 0.3), cone, priced(Delta(), 0.2)]
    return table
