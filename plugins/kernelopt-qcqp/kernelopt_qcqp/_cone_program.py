"""The master problem as a second-order cone program: all outputs over the atoms in play.

    minimise    -sum_c h_c(alpha_c) + r^2 / 2
    subject to  alpha_c in A_c,    r >= |(F_a' v_1, ..., F_a' v_C)|  for every atom a,    K_a = F_a F_a'

The multiplier of an atom's cone, over r, is its weight. The factors F_a end at the numerical rank. r is the gamma of
Bach, Lanckriet and Jordan (2004), (D_K), and r^2 the t of Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), (21). Where
kernels have prices, the tail says what takes the place of r.
"""

from collections.abc import Iterable, Sequence

import attrs
import numpy as np
from scipy import sparse

from kernelopt.plugin import DualQP, FloatArray, Gram
from kernelopt_qcqp._dual_columns import Variables
from kernelopt_qcqp._gram_roots import Image, image
from kernelopt_qcqp._program_arrays import Answer, Program
from kernelopt_qcqp._shared_columns import Tail

Rows = tuple[sparse.csr_matrix, FloatArray]
"""A matrix and a right-hand side: rows of the program."""


@attrs.frozen
class Units:
    """What is 1 in the program: alpha by its largest entry, the objective by its value at the same dual point."""

    alpha: float
    value: float


@attrs.frozen(eq=False)
class Master:
    """The program, and how to read its answer.

    Attributes:
        outputs: the columns of each output.
        tail: the columns that they share, after all of theirs.
        program: the cones in the order of the atoms, then the tail's own.
        count: of the atoms.
    """

    outputs: tuple[Variables, ...]
    tail: Tail
    program: Program
    count: int

    def alphas(self, answer: Answer) -> tuple[FloatArray, ...]:
        """The dual variables of each output."""
        ends = np.cumsum([side.width for side in self.outputs])
        return tuple(side.alpha(x) for side, x in zip(self.outputs, np.split(answer.x, ends), strict=False))

    def weights(self, answer: Answer) -> FloatArray:
        """The atoms' weights, shape (count,), up to a common factor where they have a total."""
        return self.tail.weights(answer.multipliers, self.program.starts[: self.count])


def master(outputs: Sequence[DualQP], grams: Iterable[Gram], tail: Tail, units: Units, precision: float) -> Master:
    """The master over these atoms.

    Args:
        outputs: the dual problems; variables held by an interval of one point are constants.
        grams: of the atoms in play, each asked for once.
        tail: what bounds their squares, in the units of the objective.
        units: the sizes of alpha and of the objective.
        precision: what of an atom's Gram may be left out, as a share of its largest diagonal entry.
    """
    sides = tuple(Variables.of(qp, units.alpha) for qp in outputs)
    atoms = [_cone(sides, gram, tail.head(a), units, precision) for a, gram in enumerate(grams)]
    more = [_alone(sides, cone) for cone in tail.cones()]
    rows = [[side.equalities() for side in sides], [side.inequalities() for side in sides]]
    blocks = [*(_apart(parts, tail) for parts in rows), *atoms, *more]
    objective = [side.objective(units.value) for side in sides]
    objective.append(tail.objective())
    program = Program(
        np.concatenate([quadratic for quadratic, _ in objective]),
        np.concatenate([linear for _, linear in objective]),
        sparse.csc_matrix(sparse.vstack([matrix for matrix, _ in blocks])),
        np.concatenate([rhs for _, rhs in blocks]),
        len(blocks[0][1]),
        len(blocks[1][1]),
        tuple(len(rhs) for _, rhs in blocks[2:]),
    )
    return Master(sides, tail, program, len(atoms))


def _apart(parts: list[Rows], tail: Tail) -> Rows:
    """Every output's rows, which share no column, and nothing on the tail."""
    matrix = sparse.block_diag([part[0] for part in parts])
    nothing = sparse.csr_matrix((matrix.shape[0], tail.width))
    return sparse.hstack([matrix, nothing]), np.concatenate([part[1] for part in parts])


def _cone(
    sides: tuple[Variables, ...], gram: Gram, head: tuple[FloatArray, FloatArray], units: Units, precision: float
) -> Rows:
    """The rows of one atom: the tail's, then F_a'v of every output."""
    size = 1.0 / np.sqrt(units.value)
    images = _images(sides, gram, precision)
    pairs = zip(images, sides, strict=True)
    wide = sparse.block_diag([units.alpha * size * one.matrix @ side.lift for one, side in pairs])
    matrix = sparse.block_array([[None, sparse.csr_matrix(head[0])], [wide, None]])
    return -sparse.csr_matrix(matrix), np.concatenate([head[1], *(size * one.offset for one in images)])


def _alone(sides: tuple[Variables, ...], cone: tuple[FloatArray, FloatArray]) -> Rows:
    """A cone of the tail's own."""
    nothing = sparse.csr_matrix((len(cone[1]), sum(side.width for side in sides)))
    return sparse.hstack([nothing, -sparse.csr_matrix(cone[0])]), cone[1]


def _images(sides: tuple[Variables, ...], gram: Gram, precision: float) -> list[Image]:
    """One image for each output; outputs of which all rows move share theirs."""
    whole: Image | None = None
    images = []
    for side in sides:
        held = side.held
        free = len(side.rows) == gram.n and not held.any()
        whole = image(gram, side.rows, held, precision) if free and whole is None else whole
        images.append(whole if free and whole is not None else image(gram, side.rows, held, precision))
    return images
