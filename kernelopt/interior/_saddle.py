"""The saddle that an interior point works on: all outputs side by side over the blocks that they share."""

from collections.abc import Sequence
from functools import cached_property, reduce
from itertools import pairwise

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._dual_qp import DualPoint, DualQP
from kernelopt._criteria._side_by_side import side_by_side
from kernelopt._families._coupling import Coupling
from kernelopt._families._joined_couplings import stack, written_out
from kernelopt._families._mixture import Mixture
from kernelopt._linalg._gram import Gram, LowRank, add
from kernelopt._saddle._problem import Problem
from kernelopt.interior._block import Block


@attrs.frozen(eq=False)
class Saddle:
    """min over the blocks' parameters, max over the dual variables of every output.

    The outputs stand one after the other: v has shape (c n,), and the only thing that couples them is the kernel.

    Attributes:
        outputs: the dual problems; some of their variables may be held, by intervals of one point.
        qp: all of them as one, over c n samples; its bias_cost is 0, the saddle adds it to the kernel.
        blocks: the parameters.
        total: the sum of their traces; None where it is free.
    """

    outputs: tuple[DualQP, ...]
    qp: DualQP
    blocks: tuple[Block, ...]
    total: float | None = 1.0

    @classmethod
    def of(cls, problem: Problem, blocks: tuple[Block, ...], outputs: tuple[DualQP, ...] | None = None) -> "Saddle":
        """The problem's saddle over these blocks; `outputs` are its own with some variables held, or None."""
        outputs = problem.outputs if outputs is None else outputs
        return cls(outputs, side_by_side(outputs), blocks, problem.total)

    @cached_property
    def size(self) -> int:
        """The sum of the blocks' dimensions."""
        return sum(len(block.start) for block in self.blocks)

    @cached_property
    def listed(self) -> bool:
        """Whether all parameters are weights."""
        return all(block.start.ndim == 1 for block in self.blocks)

    @cached_property
    def units(self) -> tuple[FloatArray, ...]:
        """What of each block's S counts towards the total."""
        return tuple(block.unit for block in self.blocks)

    def lifted(self, S: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Each block's S with what more moves for the sake of a smooth price."""
        return tuple(block.lifted(s) for block, s in zip(self.blocks, S, strict=True))

    def plain(self, S: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Each block's parameters alone."""
        return tuple(block.plain(s) for block, s in zip(self.blocks, S, strict=True))

    def mass(self, S: tuple[FloatArray, ...]) -> float:
        """The sum of what counts towards the total."""
        return sum(float(np.vdot(unit, s)) for unit, s in zip(self.units, S, strict=True))

    def prices(self, S: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """Each block's gradient of R."""
        return tuple(block.price(s) for block, s in zip(self.blocks, S, strict=True))

    def bends(self, S: tuple[FloatArray, ...]) -> tuple[FloatArray | None, ...]:
        """Each block's Hessian of R; None where R is linear."""
        return tuple(block.bend(s) for block, s in zip(self.blocks, S, strict=True))

    def cost(self, S: tuple[FloatArray, ...]) -> float:
        """R(S)."""
        return sum(block.cost(s) for block, s in zip(self.blocks, S, strict=True))

    def columns(self, v: FloatArray) -> FloatArray:
        """v by outputs, shape (c, n)."""
        return v.reshape(len(self.outputs), -1)

    def couple(self, v: FloatArray, rows: IntArray | None = None) -> tuple[Coupling, ...]:
        """Each block's coupling at v, on these rows of all c n, sorted, where some are given."""
        if len(self.outputs) == 1:
            return tuple([block.couple(v, rows) for block in self.blocks])
        pairs = list(zip(self.columns(v), self._by_output(rows), strict=True))
        return tuple(stack(tuple(block.couple(one, some) for one, some in pairs)) for block in self.blocks)

    def _by_output(self, rows: IntArray | None) -> list[IntArray | None]:
        if rows is None:
            return [None] * len(self.outputs)
        starts = self.outputs[0].n * np.arange(len(self.outputs) + 1)
        cuts = np.searchsorted(rows, starts)
        return [rows[low:high] - start for (low, high), start in zip(pairwise(cuts), starts, strict=False)]

    def adjoint(self, v: FloatArray) -> tuple[FloatArray, ...]:
        """Each block's D with <D, S> = sum over the outputs of v'K(S)v."""
        return tuple(np.sum([block.adjoint(one) for one in self.columns(v)], axis=0) for block in self.blocks)

    def image(self, S: tuple[FloatArray, ...], v: FloatArray) -> FloatArray:
        """K(S) v, shape (c n,), for any symmetric S."""
        V = self.columns(v).T
        total: FloatArray = np.sum([block.image(s, V) for block, s in zip(self.blocks, S, strict=True)], axis=0)
        return total.T.ravel()

    def bilinear(
        self, S: tuple[FloatArray, ...], v: FloatArray, like: tuple[Coupling, ...]
    ) -> tuple[FloatArray, tuple[FloatArray, ...]]:
        """K(S) v, shape (c n,), and each block's D(v): from couplings at v, where those of the blocks, which are `like`
        this, are not tensors. One pass over the pairs of rows then takes the place of two.
        """
        if any(written_out(coupling) for coupling in like):
            return self.image(S, v), self.adjoint(v)
        couplings = self.couple(v)
        f = couplings[0].apply(S[0])
        for coupling, s in zip(couplings[1:], S[1:], strict=True):
            f = f + coupling.apply(s)
        return f, tuple(coupling.adjoint(v) for coupling in couplings)

    def biased(self, f: FloatArray, v: FloatArray) -> FloatArray:
        """f = K v (c n,) with what a penalised bias adds to it."""
        if not self.costs.any():
            return f
        more: FloatArray = np.repeat(self.costs * self.columns(v).sum(axis=1), self.outputs[0].n)
        return f + more

    @cached_property
    def costs(self) -> FloatArray:
        """Each output's price of the bias, shape (c,)."""
        return np.array([qp.bias_cost for qp in self.outputs], dtype=np.float64)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many samples of each output have a variable to move."""
        places = self.qp.moving_samples // self.outputs[0].n
        return tuple(np.bincount(places, minlength=len(self.outputs)).tolist())

    def kernel(self, S: tuple[FloatArray, ...]) -> Gram:
        """The Gram of S on the n rows."""
        return reduce(add, (block.gram(s) for block, s in zip(self.blocks, S, strict=True)))

    @cached_property
    def thin(self) -> bool:
        """Whether all blocks have factors, with fewer columns together than half the rows.

        Several outputs meet in the parameters: of those too there must be fewer than half the rows.
        """
        columns = [block.columns for block in self.blocks]
        few = None not in columns and 2 * sum(count or 0 for count in columns) < self.outputs[0].n
        return few and (len(self.outputs) == 1 or 2 * self.parameters < self.outputs[0].n)

    @cached_property
    def parameters(self) -> int:
        """How many numbers the parameters of all blocks are."""
        sizes = [block.start.shape for block in self.blocks]
        return sum(shape[0] * (shape[0] + 1) // 2 if len(shape) == 2 else shape[0] for shape in sizes)

    def curved(self, S: tuple[FloatArray, ...], inverses: tuple[FloatArray, ...], v: FloatArray) -> LowRank:
        """K + M of one output as factors, where the saddle is thin."""
        parts = [block.curved(s, zi, v) for block, s, zi in zip(self.blocks, S, inverses, strict=True)]
        columns = parts[0].factor if len(parts) == 1 else np.hstack([part.factor for part in parts])
        return LowRank(columns, sum(part.ridge for part in parts)).with_constant(self.outputs[0].bias_cost)

    def add_kernel(self, H: FloatArray, K: Gram, rows: IntArray) -> None:
        """Add a Gram (n, n) over all outputs, block diagonal, to H on some of the c n rows, sorted."""
        if len(self.outputs) == 1 and len(rows) == K.n:
            K.add_to(H)
            if self.outputs[0].bias_cost:
                H += self.outputs[0].bias_cost
            return
        end = 0
        for qp, mine in zip(self.outputs, self._by_output(rows), strict=True):
            assert mine is not None
            here = slice(end, end + len(mine))
            H[here, here] += K.block(mine, mine) + qp.bias_cost
            end += len(mine)

    def scaled(self, S: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
        """S with the total exactly, where there is one."""
        if self.total is None:
            return S
        return tuple(s * (self.total / self.mass(S)) for s in S)

    def mixture(self, S: tuple[FloatArray, ...]) -> Mixture:
        """The kernel of S in the families' own atoms, weights with the total exactly, where there is one."""
        return self.whole(Mixture(tuple(block.part(s).kept() for block, s in zip(self.blocks, S, strict=True))))

    def whole(self, mixture: Mixture) -> Mixture:
        """A mixture with the total exactly, where there is one."""
        share = 1.0 if self.total is None else self.total / mixture.mass
        return Mixture(tuple(part.scaled(share) for part in mixture.parts))

    def join(self, duals: Sequence[DualPoint]) -> FloatArray:
        """Every output's alpha, one after the other, shape (N,)."""
        return np.concatenate([dual.alpha for dual in duals])

    def split(self, alpha: FloatArray) -> tuple[FloatArray, ...]:
        """Alpha by outputs."""
        if len(self.outputs) == 1:
            return (alpha,)
        return tuple(np.split(alpha, np.cumsum([qp.size for qp in self.outputs])[:-1]))
