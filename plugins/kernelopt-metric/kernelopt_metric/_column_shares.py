"""Which columns a solution looks at."""

from kernelopt.plugin import FloatArray, Part
from kernelopt_metric._metric import Metric


def column_shares(part: Part, family: Metric) -> FloatArray:
    """The share that each column has in the metrics of a part, shape (d,), >= 0, of sum 1 (0 without a metric).

    An atom's share of column j is M_jj / tr M, M = R R', of the columns after `rescale`; of several atoms it is the
    mean, each counting by its weight in the kernel. d counts the columns that the family sees: none is constant.

    Args:
        part: the family's share of a kernel: `solution.mixture.parts[k]`.
        family: after `prepare`: `solution.kernel.leaves[k].family`.

    Raises:
        InvalidOption: the family has not seen any data.
    """
    return family.shares(part)
