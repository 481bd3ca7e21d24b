"""What kernels are functions of, between two blocks of rows: products, squared and absolute distances."""

from typing import Literal

from kernelopt._device._arrays import Array, Arrays

Base = Literal["products", "squares", "absolutes"]
"""x'z, |x - z|^2, or the sum of |x_j - z_j|."""


def between(arrays: Arrays, base: Base, Z: Array, X: Array) -> Array:
    """What kernels are functions of, between rows Z (n', d) and X (n, d), shape (n', n)."""
    if base == "products":
        return products(arrays, Z, X)
    return squares(arrays, Z, X) if base == "squares" else absolutes(arrays, Z, X)


def products(arrays: Arrays, Z: Array, X: Array) -> Array:
    """z'x of rows Z (n', d) and X (n, d), shape (n', n)."""
    return Z @ arrays.xp.matrix_transpose(X)


def squares(arrays: Arrays, Z: Array, X: Array) -> Array:
    """|z - x|^2 = |z|^2 - 2 z'x + |x|^2 of rows Z (n', d) and X (n, d), shape (n', n); of one column (z - x)^2.

    Both are measured from the mean of X, so that no digits are lost where rows lie far from 0.
    """
    xp = arrays.xp
    if X.shape[1] == 1:
        apart = Z - xp.matrix_transpose(X)
        return apart * apart
    centre = xp.mean(X, axis=0, keepdims=True)
    Z, X = Z - centre, X - centre
    total = products(arrays, Z, X) * -2.0
    total += xp.sum(Z * Z, axis=1, keepdims=True)
    total += xp.matrix_transpose(xp.sum(X * X, axis=1, keepdims=True))
    return xp.clip(total, 0.0, None)


def absolutes(arrays: Arrays, Z: Array, X: Array) -> Array:
    """sum_j |z_j - x_j| of rows Z (n', d) and X (n, d), shape (n', n), one column after the other."""
    if arrays.plain:
        from kernelopt._linalg._absolute_distances import absolute_distances  # imports numba where it is needed

        return absolute_distances(Z, X)
    xp = arrays.xp
    total = arrays.zeros(Z.shape[0], X.shape[0])
    for j in range(X.shape[1]):
        total += xp.abs(Z[:, j : j + 1] - xp.matrix_transpose(X[:, j : j + 1]))
    return total
