"""What the kernels say of one alpha, computed once: a step's bounds and the next step's system both ask for it."""

import attrs

from kernelopt._base._typing import FloatArray
from kernelopt._families._coupling import Coupling
from kernelopt._linalg._gram import Gram
from kernelopt.interior._saddle import Saddle


@attrs.frozen(eq=False)
class Image:
    """K(S) and what it makes of v = E alpha.

    Attributes:
        v: shape (c n,).
        kernel: K(S) on the n rows; not to be written into.
        couplings: of the blocks at v, on the rows that have a variable to move.
        f: K(S) v, without what a penalised bias adds; 0 on rows without a variable to move; shape (c n,).
        D: each block's D(v).
        whole: whether f has all rows.
    """

    v: FloatArray
    kernel: Gram
    couplings: tuple[Coupling, ...]
    f: FloatArray
    D: tuple[FloatArray, ...]
    whole: bool

    @classmethod
    def of(cls, saddle: Saddle, alpha: FloatArray, S: tuple[FloatArray, ...]) -> "Image":
        """The image of alpha under the kernel of S."""
        qp = saddle.qp
        v, rows = qp.embed(alpha), qp.moving_samples
        whole = len(rows) == qp.n
        couplings = saddle.couple(v, None if whole else rows)
        f = applied(couplings, S)
        if not whole:
            f = qp.spread(rows, f)
        D = tuple(one.adjoint(v) for one in couplings) if whole else saddle.adjoint(v)
        return cls(v, saddle.kernel(S), couplings, f, D, whole)


def applied(couplings: tuple[Coupling, ...], S: tuple[FloatArray, ...]) -> FloatArray:
    """sum over the blocks of K(S) v, shape (n,)."""
    total = couplings[0].apply(S[0])
    for coupling, s in zip(couplings[1:], S[1:], strict=True):
        total = total + coupling.apply(s)
    return total
