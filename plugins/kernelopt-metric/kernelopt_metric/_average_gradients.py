"""Along which directions a function of the kernel varies: its average gradient outer product."""

import numpy as np
from scipy.spatial.distance import cdist

from kernelopt.plugin import FloatArray
from kernelopt_metric._layout import Layout
from kernelopt_metric._radial_shapes import Shape, slopes


def gradients(X: FloatArray, V: FloatArray, atoms: FloatArray, shape: Shape, layout: Layout) -> FloatArray:
    """J, shape (c n, d), with the average gradient outer product J'J = 1/n sum_c sum_i grad f_c(x_i) grad f_c(x_i)' of
    f_c = sum_a sum_j v_jc k_a(., x_j).

    No kernel is damped here: one atom counts as another. With W_ij = 2 phi'(|R'(x_i - x_j)|^2) v_j the gradients of one
    are (diag(W 1) - W) X R R', in O(n s rank) for each output, s the number of rows where V is not 0.

    Radhakrishnan, Beaglehole, Pandit and Belkin (2024) learn a metric from it, round after round.

    Args:
        X: rescaled rows, shape (n, d).
        V: shape (n, c).
        atoms: shape (m, p).
        shape: of the kernels.
        layout: what the numbers of an atom are.
    """
    support = V.any(axis=1)
    steepness = np.zeros((V.shape[1], *X.shape))
    for atom in atoms:
        A = layout.projected(X, atom)
        _, slope = slopes(shape, np.asarray(cdist(A, A[support], "sqeuclidean")))
        for c, v in enumerate(V[support].T):
            W = 2.0 * slope * v
            steepness[c] += layout.lifted(W.sum(axis=1)[:, None] * A - W @ A[support], atom)
    return np.asarray(steepness.reshape(-1, X.shape[1]) / np.sqrt(len(X)))
