"""Kernels of trees that are grown to targets: two rows are alike where many trees have them in one leaf."""

from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.growth._boosted_trees import boosted_trees
from kernelopt._families.dictionary.growth._telling_columns import telling_columns
from kernelopt._families.dictionary.kernels._base_kernels import PlacedKernel

TREES = 100
"""Their number. Worth: `trees_table.py`."""
LEAVES = 8
"""Of each tree: more of them fit noise in the targets, which the evidence, that sees the same targets, takes for a
signal."""
WIDTHS = (1.0, 4.0, 16.0)
"""gamma of exp(-gamma s), s the share of the trees that part two rows."""


def tree_kernels(X: FloatArray, T: FloatArray, weight: FloatArray) -> tuple[PlacedKernel, ...]:
    """The share of the trees that two rows have a leaf of in common, and decaying functions of the share of the others.

    The trees are those of boosting, so that later ones part rows which the first ones do not tell apart. Every split is
    the best of all columns, or of the telling ones where there are many more columns than rows. None where no split
    helps.

    Args:
        X: rows, shape (n, d).
        T: targets, shape (n, c).
        weight: of the rows, shape (n,), > 0.
    """
    columns = telling_columns(X, T, weight)
    grown = boosted_trees(X[:, columns], T, weight, trees=TREES, leaves=LEAVES)
    seen = grown.among(columns, X.shape[1])
    if not len(seen.columns):
        return ()
    decaying = (PlacedKernel(("rbf", {"gamma": 0.5 * gamma}), seen) for gamma in WIDTHS)
    return (PlacedKernel(("linear", {}), seen), *decaying)
