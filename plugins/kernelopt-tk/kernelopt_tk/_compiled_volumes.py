"""The compiled loop over pairs of rows for the volumes of the boxes that they span.

Importing this module imports numba.
"""

from kernelopt.dual.loops import compiled
from kernelopt.plugin import FloatArray


@compiled
def products_of_minima(left: FloatArray, right: FloatArray, products: FloatArray) -> None:
    """Writes prod_k min(left_ki, right_kj) into products_ij; left is (d, n'), right (d, n), products (n', n).

    A factor enters for a whole row of pairs at once: the row stays in the cache, and the loop over it is vectorised.
    """
    (d, n), m = left.shape, right.shape[1]
    for i in range(n):
        for j in range(m):
            products[i, j] = 1.0
        for k in range(d):
            limit = left[k, i]
            for j in range(m):
                products[i, j] *= min(limit, right[k, j])
