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

Blocks = list[sparse.csr_matrix | FloatArray | None]
"""A row of blocks: one for the columns of each output and one for the tail's; None where there are no entries."""
Rows = tuple[list[Blocks], FloatArray]
"""Rows of blocks and a right-hand side: rows of the program."""


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
    size = 1.0 / np.sqrt(units.value)
    lifts = [-(units.alpha * size) * side.lift for side in sides]
    atoms = [_cone(sides, lifts, gram, tail.head(a), size, precision) for a, gram in enumerate(grams)]
    parts = [_apart([side.equalities() for side in sides]), _apart([side.inequalities() for side in sides])]
    parts += [*atoms, *(([[*_nothing(sides), -matrix]], rhs) for matrix, rhs in tail.cones())]
    pairs = [*(side.objective(units.value) for side in sides), tail.objective()]
    heights = [len(rhs) for _, rhs in parts]
    program = Program(
        np.concatenate([quadratic for quadratic, _ in pairs]),
        np.concatenate([linear for _, linear in pairs]),
        sparse.csc_matrix(sparse.block_array([row for rows, _ in parts for row in rows], format="csc")),
        np.concatenate([rhs for _, rhs in parts]),
        heights[0],
        heights[1],
        tuple(heights[2:]),
    )
    return Master(sides, tail, program, len(atoms))


def _nothing(sides: Sequence[Variables]) -> Blocks:
    """A row of blocks without entries in the columns of the outputs."""
    return [None] * len(sides)


def _apart(pairs: Sequence[tuple[sparse.csr_matrix, FloatArray]]) -> Rows:
    """Every output's rows, which share no column, and nothing on the tail."""
    rows = [[*(own if c == k else None for k in range(len(pairs))), None] for c, (own, _) in enumerate(pairs)]
    return rows, np.concatenate([rhs for _, rhs in pairs])


def _cone(
    sides: tuple[Variables, ...],
    lifts: Sequence[sparse.csr_matrix],
    gram: Gram,
    head: tuple[FloatArray, FloatArray],
    size: float,
    precision: float,
) -> Rows:
    """The rows of one atom: the tail's, then F_a'v of every output."""
    images = _images(sides, gram, precision)
    rows, rhs = _apart([(one.matrix @ lift, size * one.offset) for one, lift in zip(images, lifts, strict=True)])
    return [[*_nothing(sides), -head[0]], *rows], np.concatenate([head[1], rhs])


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
