"""The kernels and samples in play: the blocks of their Grams, and the variables that move."""

import attrs
import numpy as np

from kernelopt.dual import Table, tabulate
from kernelopt.plugin import DualQP, FloatArray, IntArray, near_margin, require
from kernelopt_smo._pooled_kernels import Pool


@attrs.frozen(eq=False)
class Play:
    """What the compiled loop works on: m kernels, C outputs, k samples, L variables to a sample.

    Attributes:
        kernels: their numbers in the pool, shape (m,).
        rows: the samples, shape (k,).
        K: shape (m, k, k).
        diag: shape (m, k).
        tables: of each output, on the samples in play.
        lo, hi, t, linear, curvature: the tables' arrays, shape (C, L, k).
    """

    kernels: IntArray
    rows: IntArray
    K: FloatArray
    diag: FloatArray
    tables: tuple[Table, ...]
    lo: FloatArray
    hi: FloatArray
    t: FloatArray
    linear: FloatArray
    curvature: FloatArray

    @property
    def bias(self) -> float:
        """Added to every entry of the whole kernel."""
        return self.tables[0].bias

    @property
    def span(self) -> IntArray:
        """The first variable of each group's layers and the one after the last, shape (groups, 2)."""
        return self.tables[0].span

    @property
    def group(self) -> IntArray:
        """Each variable's equality, shape (C, L, k), the last for none."""
        return np.stack([table.group for table in self.tables])

    def load(self, outputs: tuple[DualQP, ...], alphas: tuple[FloatArray, ...]) -> FloatArray:
        """The variables in play at these alpha, shape (C, L, k)."""
        triples = zip(self.tables, outputs, alphas, strict=True)
        return np.stack([table.load(qp, alpha) for table, qp, alpha in triples])

    def store(
        self, outputs: tuple[DualQP, ...], alphas: tuple[FloatArray, ...], u: FloatArray
    ) -> tuple[FloatArray, ...]:
        """The alpha with the variables in play at u, all others as they were."""
        return tuple(_stored(*each) for each in zip(self.tables, outputs, alphas, u, strict=True))

    def embed(self, u: FloatArray) -> FloatArray:
        """v on the samples in play, shape (C, k)."""
        v: FloatArray = (self.t * u).sum(axis=1)
        return v

    def masks(self, u: FloatArray) -> FloatArray:
        """0 where a variable is of the group and can rise (first) or fall, else -inf; shape (C, 2, groups, L k)."""
        masks = np.stack([table.masks(each) for table, each in zip(self.tables, u, strict=True)])
        return masks.reshape(*masks.shape[:3], -1)


def flat(array: FloatArray) -> FloatArray:
    """An array (C, L, k) as the compiled loop sees it: (C, L k)."""
    return array.reshape(len(array), -1)


def gathered(pool: Pool, kernels: IntArray, rows: IntArray) -> Play:
    """The play of some kernels on some samples; their Grams are formed one by one.

    Raises:
        NotEnoughMemory: there is no room for the blocks.
    """
    m, k, n = len(kernels), len(rows), pool.problem.n
    require(8 * m * k * k + 8 * n * n, f"the Grams of {m} kernels on {k} rows, which smo holds,")
    K = np.empty((m, k, k))
    pool.write_blocks(kernels, rows, K)
    tables = tuple(tabulate(qp).restricted(rows) for qp in pool.problem.outputs)
    names = ("lo", "hi", "t", "linear", "curvature")
    stacked = {name: np.stack([getattr(table, name) for table in tables]) for name in names}
    return Play(kernels, rows, K, np.ascontiguousarray(np.einsum("mkk->mk", K)), tables, **stacked)


def near(outputs: tuple[DualQP, ...], alphas: tuple[FloatArray, ...], F: FloatArray, band: int) -> IntArray:
    """The samples in play: those with a variable that the gradient lets move, and the `band` nearest the margin.

    Args:
        outputs: the dual sets.
        alphas: one for each.
        F: K v at the current kernel, shape (n, c).
        band: the least number of variables of each output.
    """
    matter = [near_margin(qp, alpha, f, band) for qp, alpha, f in zip(outputs, alphas, F.T, strict=True)]
    return np.unique(np.concatenate(matter))


def _stored(table: Table, qp: DualQP, alpha: FloatArray, u: FloatArray) -> FloatArray:
    present = table.at >= 0
    at = table.at[present]
    after = alpha.copy()
    after[at] = np.where((qp.group[at] >= 0) & (qp.coefficient[at] < 0.0), -u[present], u[present])
    return after
