"""A structured primal-dual interior point on the saddle, for kernels that are linear in their parameters.

    min over S_b >= 0, sum tr S_b = 1     max over alpha     h(alpha) - 1/2 v' sum_b K_b(S_b) v,     v = E alpha

One step costs one n x n Cholesky and a few products. The blocks say where each leaf's kernel may move: the whole
spectraplex, a subspace of it, or a list of atoms.

Solver authors import from this page. Nothing here knows a solver, or who chooses what is in play.
"""

from kernelopt._families.features._row_lists import rowwise
from kernelopt.dual._hull_levels import Stage as RowStage
from kernelopt.dual._hull_levels import advanced as advanced_by_rows
from kernelopt.interior._active_set import Held, narrowed, thinned
from kernelopt.interior._block import Block
from kernelopt.interior._bounds import bounds_at
from kernelopt.interior._by_rows import begun_by_rows, goes_by_rows, proved_by_rows
from kernelopt.interior._factor import cheaper_by_parameters
from kernelopt.interior._feature_block import FeatureBlock, matrix_block
from kernelopt.interior._image import Image
from kernelopt.interior._iterate import Point, Stuck, central, inward, middle, resumed
from kernelopt.interior._matrix_block import MatrixBlock
from kernelopt.interior._saddle import Saddle
from kernelopt.interior._step import advance
from kernelopt.interior._tangent_block import on_tangents
from kernelopt.interior._weight_block import on_atoms

__all__ = [
    "Block",
    "FeatureBlock",
    "Held",
    "Image",
    "MatrixBlock",
    "Point",
    "RowStage",
    "Saddle",
    "Stuck",
    "advance",
    "advanced_by_rows",
    "begun_by_rows",
    "bounds_at",
    "central",
    "cheaper_by_parameters",
    "goes_by_rows",
    "inward",
    "matrix_block",
    "middle",
    "narrowed",
    "on_atoms",
    "on_tangents",
    "proved_by_rows",
    "resumed",
    "rowwise",
    "thinned",
]
