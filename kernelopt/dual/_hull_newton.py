"""Newton's equations by rows, brought down to one unknown for each feature and each kernel.

With W = E S^-1 E' and S the curvature of each variable with that of its walls, G = Phi'W Phi, B = Phi'E S^-1 A',
T = w/Z, P = diag(p) and C = diag(Phi'v) owner, the step of f is Phi g with g = P^1/2 eta + C T^1/2 omega,
dw = T^1/2 omega, and

    [I + P^1/2 G P^1/2    P^1/2 B       P^1/2 G C T^1/2      ] [eta  ]   [P^1/2 s  ]             [   ]
    [                     A S^-1 A'     B'C T^1/2            ] [db   ] = [t        ]  -  dtau  * [   ]
    [                                   I + T^1/2 C'G C T^1/2] [omega]   [q        ]             [T^1/2]

for each output, all of which meet in omega; 1'T^1/2 omega keeps the total. Nothing in it cancels, and its eigenvalues
but those of the bias are 1 or more.
"""

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt.dual._arrow import Arrow
from kernelopt.dual._hull import Hull


@attrs.frozen(eq=False)
class Newton:
    """The equations at a point, factored.

    Attributes:
        hull: the problem.
        c: Phi'v by outputs, shape (c, r).
        P: P^1/2, shape (r,).
        t: T^1/2, shape (k,).
        groups: the equalities of each output.
        arrow: the equations without dtau.
        against: what T^1/2 in place of the right side gives.
    """

    hull: Hull
    c: FloatArray
    P: FloatArray
    t: FloatArray
    groups: list[IntArray]
    arrow: Arrow
    against: tuple[list[FloatArray], FloatArray]

    @classmethod
    def of(
        cls,
        hull: Hull,
        w: FloatArray,
        Z: FloatArray,
        c: FloatArray,
        inner: list[FloatArray],
        across: list[FloatArray],
        diagonal: FloatArray,
    ) -> "Newton":
        """Raises LinAlgError where no regularisation makes them positive definite.

        Args:
            hull: the problem.
            w: weights, > 0, shape (k,).
            Z: their slacks, > 0, shape (k,).
            c: Phi'v by outputs, shape (c, r).
            inner: G of each output, shape (r, r).
            across: B' of each output, shape (g, r).
            diagonal: of A S^-1 A' by equalities, shape (g,).
        """
        P, t, groups = np.sqrt(hull.spread(w)), np.sqrt(w / Z), hull.groups
        parts = zip(inner, across, c, groups, strict=True)
        blocks, sides, corners = zip(
            *(_part(hull, P, t, G, B, one, diagonal[mine]) for G, B, one, mine in parts), strict=True
        )
        arrow = Arrow.of(list(blocks), list(sides), sum(corners, np.eye(hull.kernels)))
        return cls(hull, c, P, t, groups, arrow, arrow.solve([np.zeros(len(H)) for H in arrow.blocks], t))

    def solve(
        self, s: FloatArray, equal: FloatArray, tail: FloatArray, missing: float
    ) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """g (c, r), db (g,), dw (k,) and dtau.

        Args:
            s: by outputs, shape (c, r).
            equal: t by equalities, shape (g,).
            tail: q less what s adds to it, shape (k,).
            missing: of the total: so much the weights move in sum.
        """
        hull, P, t = self.hull, self.P, self.t
        heads = [np.concatenate([P * one, equal[mine]]) for one, mine in zip(s, self.groups, strict=True)]
        xs, omega = self.arrow.solve(heads, tail + t * hull.owned(np.sum(self.c * s, axis=0)))
        ys, along = self.against
        dtau = (float(t @ omega) - missing) / float(t @ along)
        omega = omega - dtau * along
        solved = [x - dtau * y for x, y in zip(xs, ys, strict=True)]
        r, db = len(P), np.zeros(len(equal))
        for x, mine in zip(solved, self.groups, strict=True):
            db[mine] = x[r:]
        dw = t * omega
        return np.stack([P * x[:r] for x in solved]) + hull.moving(dw) * self.c, db, dw, dtau


def _part(
    hull: Hull, P: FloatArray, t: FloatArray, G: FloatArray, B: FloatArray, c: FloatArray, diagonal: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """One output's block, its side, and what it adds to the corner."""
    r, C = len(P), np.zeros((len(P), hull.kernels))
    mine = np.flatnonzero(hull.owner < hull.kernels)
    C[mine, hull.owner[mine]] = c[mine] * t[hull.owner[mine]]
    GC = G @ C
    H = np.zeros((r + len(B), r + len(B)))
    H[:r, :r] = P[:, None] * G * P
    H[np.diag_indices(r)] += 1.0
    H[r:, :r] = B * P
    H[:r, r:] = H[r:, :r].T
    H[r:, r:] = np.diag(diagonal)
    return H, np.vstack([P[:, None] * GC, B @ C]), C.T @ GC


def along_equalities(hull: Hull, flow: FloatArray) -> FloatArray:
    """E S^-1 A' by equalities, each on the rows of its output, shape (g, n), for S^-1 of shape (N,)."""
    qp = hull.qp
    rows = np.zeros((len(qp.target), hull.n))
    for o, mine in enumerate(hull.groups):
        for g in mine:
            rows[g] = hull.by_output(np.where(qp.group == g, qp.sign * qp.coefficient * flow, 0.0))[o]
    return rows
