"""A finite list of kernels."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import attrs
import numpy as np

from kernelopt._errors import InvalidData, InvalidOption
from kernelopt._gram import ROW_BLOCK, Dense, Gram
from kernelopt._mixture import Part
from kernelopt._options import one_of
from kernelopt._stored import StoredFamily
from kernelopt._typing import Data, FloatArray, IntArray

_GATHER = 0.6
"""With a larger share of support vectors a product with all rows is quicker than one with a copy of theirs."""
_CACHED = 1 << 16
"""Entries of a Gram that are added up over the whole list while they are in the cache."""

Callback = Callable[[FloatArray, FloatArray], Any]
Kernel = str | tuple[str, Mapping[str, Any]] | Callback


def _as_tuple(kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    return (kernels,) if isinstance(kernels, str) else tuple(kernels)


@attrs.frozen(eq=False)
class Dictionary(StoredFamily):
    """The hull of a finite list of kernels, each brought to one size on the training rows.

    Attributes:
        kernels: each a name of scikit-learn's pairwise kernels ("rbf", "linear", "poly"...), a pair
            (name, options) such as ("rbf", {"gamma": 0.5}), or a callable k(X (n, d), Z (n', d)) -> (n, n').
        normalize: what is made 1 for each kernel on the training rows. "variance": tr K/n - 1'K1/n^2, the variance in
            feature space (default: with a unit diagonal the margin runs to the narrowest Gaussian); "trace": tr K/n;
            "diagonal": every k(x, x); None: nothing.

    Raises:
        InvalidOption: the list is empty, a name is unknown, or an item is of another kind.
    """

    name: ClassVar[str] = "dictionary"

    kernels: tuple[Kernel, ...] = attrs.field(converter=_as_tuple)
    normalize: Literal["variance", "trace", "diagonal"] | None = attrs.field(
        default="variance", validator=one_of("variance", "trace", "diagonal", None)
    )
    _size: FloatArray | None = attrs.field(default=None, alias="_size", repr=False)

    @kernels.validator
    def _check_kernels(self, _: Any, value: tuple[Kernel, ...]) -> None:
        if not value:
            raise InvalidOption("Dictionary: the list of kernels is empty, wanted at least one")
        for kernel in value:
            _callable(kernel)

    def prepare(self, X: FloatArray, weight: FloatArray) -> "Dictionary":
        sizes = [_spread(_callable(kernel), X, weight, self.normalize) for kernel in self.kernels]
        return attrs.evolve(self, _size=np.array(sizes))

    def bind(self, X: FloatArray) -> Data:
        return np.stack([self._block(a, X, X) for a in range(len(self.kernels))])

    def bind_bytes(self, n: int, d: int) -> int:  # noqa: ARG002
        return 8 * n * n * len(self.kernels)

    def _block(self, a: int, Z: FloatArray, X: FloatArray) -> FloatArray:
        """Kernel number a between rows Z and X, normalised, shape (n', n)."""
        kernel = _callable(self.kernels[a])
        block = _checked(kernel(Z, X), (len(Z), len(X)), self.kernels[a])
        if self.normalize == "diagonal":
            scaled: FloatArray = block / np.sqrt(np.outer(_diagonal(kernel, Z), _diagonal(kernel, X)))
            return scaled
        return block if self._size is None else block / self._size[a]

    def dictionary(self) -> Part:
        m = len(self.kernels)
        return Part(np.arange(m, dtype=float)[:, None], np.full(m, 1.0 / m))

    def gram(self, part: Part, data: Data) -> Gram:
        n = data.shape[1]
        matrix = np.zeros((n, n))
        rows = max(_CACHED // n, 1)
        for i in range(0, n, rows):
            for a, weight in _chosen(part):
                matrix[i : i + rows] += weight * data[a, i : i + rows]
        return Dense(matrix)

    def block(self, data: Data, atom: FloatArray, rows: IntArray) -> FloatArray:
        from kernelopt.dual._rows import square  # numba is imported when the first problem needs it

        return square(data[int(atom[0])], rows)

    def cross(self, part: Part, Z: FloatArray, X: FloatArray) -> FloatArray:
        matrix = np.zeros((len(Z), len(X)))
        for a, weight in _chosen(part):
            matrix += weight * self._block(a, Z, X)
        return matrix

    def diag(self, part: Part, X: FloatArray) -> FloatArray:
        total = np.zeros(len(X))
        for a, weight in _chosen(part):
            if self.normalize == "diagonal":
                total += weight
            else:
                total += (
                    weight * _diagonal(_callable(self.kernels[a]), X) / (1.0 if self._size is None else self._size[a])
                )
        return total

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        product = np.zeros_like(V)
        for a, weight in _chosen(part):
            product += weight * (data[a] @ V)
        return product

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        product: FloatArray = data @ V
        return product

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        support = np.flatnonzero(V.any(axis=1))
        if support.size > _GATHER * len(V):
            return np.array([np.vdot(V, K @ V) for K in data])
        from kernelopt.dual._rows import square

        part = V[support]
        return np.array([np.vdot(part, square(K, support) @ part) for K in data])

    def describe(self, part: Part) -> str:
        weights = np.bincount(part.atoms[:, 0].astype(int), weights=part.weights, minlength=len(self.kernels))
        order = [a for a in np.argsort(-weights, kind="stable") if weights[a] >= 5e-4]
        words = [f"{weights[a]:.3f} {_label(self.kernels[a])}" for a in order[:5]]
        return " + ".join(words) + (" + ..." if len(order) > 5 else "")


def fixed(kernel: Kernel) -> Dictionary:
    """One kernel, as it is: nothing is learned but the classifier, and the certificate is that classifier's."""
    return Dictionary((kernel,), normalize=None)


def _chosen(part: Part) -> list[tuple[int, float]]:
    """(kernel number, weight) of the atoms with weight."""
    return [(int(a), float(w)) for a, w in zip(part.atoms[:, 0], part.weights, strict=True) if w != 0.0]


def _label(kernel: Kernel) -> str:
    if isinstance(kernel, tuple):
        return f"{kernel[0]}({', '.join(f'{key}={value:g}' for key, value in kernel[1].items())})"
    return kernel if isinstance(kernel, str) else getattr(kernel, "__name__", type(kernel).__name__)


def _callable(kernel: Kernel) -> Callback:
    """The function that a kernel of the list stands for."""
    if callable(kernel):
        return kernel
    name, options = kernel if isinstance(kernel, tuple) and len(kernel) == 2 else (kernel, {})
    if not isinstance(name, str) or not isinstance(options, Mapping):
        raise InvalidOption(f"Dictionary: got the kernel {kernel!r}, wanted a name, (name, options) or a callable")
    from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS

    if name not in PAIRWISE_KERNEL_FUNCTIONS:
        known = ", ".join(sorted(PAIRWISE_KERNEL_FUNCTIONS))
        raise InvalidOption(f"Dictionary: scikit-learn has no kernel {name!r}; it has {known}")
    function = PAIRWISE_KERNEL_FUNCTIONS[name]
    return lambda X, Z: function(X, Z, **options)


def _checked(block: Any, shape: tuple[int, int], kernel: Kernel) -> FloatArray:
    array: FloatArray = np.asarray(block, dtype=np.float64)
    if array.shape != shape:
        raise InvalidData(f"Dictionary: the kernel {_label(kernel)} returned shape {array.shape}, wanted {shape}")
    if not np.isfinite(array).all():
        raise InvalidData(f"Dictionary: the kernel {_label(kernel)} returned NaN or infinity; scale the columns of X")
    return array


def _diagonal(kernel: Callback, X: FloatArray) -> FloatArray:
    """k(x, x) of each row, in small blocks, shape (n,)."""
    return np.concatenate([np.diagonal(np.asarray(kernel(x, x))) for x in np.array_split(X, len(X) // 64 + 1)])


def _spread(kernel: Callback, X: FloatArray, weight: FloatArray, normalize: str | None) -> float:
    """What `normalize` makes 1; a sample of weight k counts as k samples."""
    if normalize in (None, "diagonal"):
        return 1.0
    share = weight / weight.sum()
    size = float(share @ _diagonal(kernel, X))
    if normalize == "variance":
        rows = range(0, len(X), ROW_BLOCK)
        size -= sum(float(share[i : i + ROW_BLOCK] @ (kernel(X[i : i + ROW_BLOCK], X) @ share)) for i in rows)
    if not size > 1e-12:
        raise InvalidData(f"Dictionary: a kernel has no {normalize} on the training rows ({size:.3g}); remove it")
    return size
