"""A kernel of a list from trees that the user has: two rows are alike where many trees have them in one leaf."""

import math
from typing import Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._options import is_number
from kernelopt._base._typing import FloatArray
from kernelopt._families.dictionary.seen._leaves import Leaves, leaves_of


@attrs.frozen(eq=False)
class ForestKernel:
    """A kernel of the leaves of trees, which `forest_kernel` makes.

    Attributes:
        leaves: of the trees.
        width: how many columns the trees were grown on.
        gamma: of exp(-gamma (1 - share)), >= 0; None: the share itself.
        name: in words.
    """

    leaves: Leaves
    width: int
    gamma: float | None = None
    name: str = "forest"

    def __call__(self, X: FloatArray, Z: FloatArray) -> FloatArray:
        """The kernel between rows X (n, d) and Z (n', d), shape (n, n')."""
        for rows in (X, Z):
            if rows.shape[1] != self.width:
                raise InvalidData(
                    f"forest_kernel: the trees were grown on {self.width} columns, and the list sees rows of "
                    f"{rows.shape[1]}; give the list the columns of the trees, for example by on(family, columns)"
                )
        share = self.leaves.of(X) @ self.leaves.of(Z).T
        return share if self.gamma is None else np.exp(self.gamma * (share - 1.0))

    def named(self, columns: tuple[str, ...]) -> "ForestKernel":
        """The same, which calls its columns by these names."""
        return attrs.evolve(self, name=f"forest on {self.leaves.words(columns)}")


def forest_kernel(forest: Any, gamma: float | None = None) -> ForestKernel:
    """A kernel for a `Dictionary` from trees of scikit-learn that you have fitted.

    Two rows are alike if many of the trees have both in the same leaf:

        share(x, z) = 1/T sum_t 1[leaf_t(x) = leaf_t(z)],      or exp(-gamma (1 - share(x, z)))

    Breiman (2000); Davies and Ghahramani (2014). Both are positive semidefinite for any trees. If the trees were grown
    to the targets that you learn from, the kernel has seen these targets: judge the solution by rows that neither the
    trees nor `solve` have seen.

    Args:
        forest: a fitted tree, forest or gradient boosting of scikit-learn, with trees in `tree_` or `estimators_`, such
            as `RandomForestClassifier`; grown on the columns that the list sees.
        gamma: >= 0; None: the share itself.

    Returns:
        an entry for the list of a `Dictionary`, with any criterion and solver; it can be saved with a model.

    Raises:
        InvalidOption: `forest` has no fitted trees, or `gamma` is no number >= 0.
    """
    if gamma is not None and not (is_number(gamma) and 0.0 <= gamma < math.inf):
        raise InvalidOption(f"forest_kernel: gamma must be None or a finite number >= 0, got {gamma!r}")
    trees = _trees(forest)
    if not trees or getattr(forest, "estimators_features_", None) is not None:
        raise InvalidOption(
            f"forest_kernel: got {type(forest).__name__}, wanted a fitted tree, forest or gradient boosting of "
            "scikit-learn whose trees are in tree_ or estimators_ and see all columns, such as RandomForestClassifier"
        )
    kernel = ForestKernel(
        leaves_of(trees, forest.feature_importances_),
        int(forest.n_features_in_),
        None if gamma is None else float(gamma),
    )
    return kernel.named(())


def _trees(forest: Any) -> list[Any]:
    """The fitted trees, none where there are none."""
    members = [forest] if hasattr(forest, "tree_") else np.ravel(getattr(forest, "estimators_", [])).tolist()
    return [one.tree_ for one in members] if all(hasattr(one, "tree_") for one in members) else []
