"""The master problem as a second-order cone program: all outputs over the atoms in play.

    minimise    -sum_c h_c(alpha_c) + r^2 / 2
    subject to  alpha_c in A_c,    r >= |(F_a' v_1, ..., F_a' v_C)|  for every atom a,    K_a = F_a F_a'

The multiplier of an atom's cone, over r, is its weight. The factors F_a end at the numerical rank. r is the gamma of
Bach, Lanckriet and Jordan (2004), (D_K), and r^2 the t of Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), (21).
"""

from collections.abc import Iterable, Sequence

import attrs
import numpy as np
from scipy import sparse

from kernelopt.plugin import DualQP, FloatArray, Gram
from kernelopt_qcqp._images import Image, image
from kernelopt_qcqp._program import Answer, Program
from kernelopt_qcqp._variables import Variables


@attrs.frozen
class Units:
    """What is 1 in the program: alpha by its largest entry, the objective by its value at the same dual point."""

    alpha: float
    value: float


@attrs.frozen(eq=False)
class Master:
    """The program, and how to read its answer.

    Attributes:
        outputs: the columns of each output; r is the last column of all.
        program: the cones in the order of the atoms.
        units: of its columns.
    """

    outputs: tuple[Variables, ...]
    program: Program
    units: Units

    def alphas(self, answer: Answer) -> tuple[FloatArray, ...]:
        """The dual variables of each output."""
        ends = np.cumsum([side.width for side in self.outputs])
        return tuple(side.alpha(x) for side, x in zip(self.outputs, np.split(answer.x, ends), strict=False))

    def weights(self, answer: Answer) -> FloatArray:
        """The atoms' weights, of sum 1; equal where no cone is touched."""
        heads = np.maximum(answer.multipliers[self.program.starts], 0.0)
        total = float(heads.sum())
        return heads / total if total > 0.0 else np.full(len(heads), 1.0 / len(heads))


def master(outputs: Sequence[DualQP], grams: Iterable[Gram], units: Units, precision: float) -> Master:
    """The master over these atoms.

    Args:
        outputs: the dual problems; variables held by an interval of one point are constants.
        grams: of the atoms in play, each asked for once.
        units: the sizes of alpha and of the objective.
        precision: what of an atom's Gram may be left out, as a share of its largest diagonal entry.
    """
    sides = tuple(Variables.of(qp, units.alpha) for qp in outputs)
    blocks = [_cone(sides, gram, units, precision) for gram in grams]
    objective = [side.objective() for side in sides]
    equal, bounded = _apart(sides, 0), _apart(sides, 1)
    rows = [equal[0], bounded[0], *(matrix for matrix, _ in blocks)]
    program = Program(
        np.append(np.concatenate([quadratic for quadratic, _ in objective]) / units.value, 1.0),
        np.append(np.concatenate([linear for _, linear in objective]) / units.value, 0.0),
        sparse.csc_matrix(sparse.vstack(rows)),
        np.concatenate([equal[1], bounded[1], *(rhs for _, rhs in blocks)]),
        len(equal[1]),
        len(bounded[1]),
        tuple(len(rhs) for _, rhs in blocks),
    )
    return Master(sides, program, units)


def _apart(sides: tuple[Variables, ...], kind: int) -> tuple[sparse.csr_matrix, FloatArray]:
    """Every output's equalities (kind 0) or inequalities (1), which share no column, and nothing on r."""
    parts = [side.inequalities() if kind else side.equalities() for side in sides]
    matrix = sparse.block_diag([part[0] for part in parts])
    return sparse.hstack([matrix, sparse.csr_matrix((matrix.shape[0], 1))]), np.concatenate([part[1] for part in parts])


def _cone(
    sides: tuple[Variables, ...], gram: Gram, units: Units, precision: float
) -> tuple[sparse.csr_matrix, FloatArray]:
    """The rows of one atom: r, then F_a'v of every output."""
    size = 1.0 / np.sqrt(units.value)
    images = _images(sides, gram, precision)
    wide = sparse.block_diag(
        [units.alpha * size * one.matrix @ side.lift for one, side in zip(images, sides, strict=True)]
    )
    corner = sparse.csr_matrix(np.eye(1))
    matrix = sparse.block_array([[None, corner], [wide, None]])
    return -sparse.csr_matrix(matrix), np.concatenate([[0.0], *(size * one.offset for one in images)])


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
