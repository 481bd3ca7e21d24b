"""The capability of a family whose kernels are known functions of products and distances."""

from abc import abstractmethod

from kernelopt._base._typing import FloatArray
from kernelopt._device._kernels import Kernels
from kernelopt._families._contract import KernelFamily
from kernelopt._families._mixture import Part


class ClosedFormFamily(KernelFamily):
    """A family whose kernels can be computed on a device, from rows as they see them. After `prepare`."""

    @abstractmethod
    def seen(self, X: FloatArray) -> FloatArray:
        """Rows X (n, d) as the kernels see them, shape (n, d')."""

    @abstractmethod
    def closed(self, part: Part) -> Kernels | None:
        """The kernel `cross(part, ., .)` in closed form, of rows as they are seen; None where it has none.

        Law: between `seen(Z)` and `seen(X)` it is `cross(part, Z, X)` to rounding.
        """

    @property
    def codes_rows(self) -> bool:
        """Whether `cross` and `among` look at fewer numbers than a row is seen as, such as codes of categories, so that
        in memory the closed form takes longer than they do. The default is False.
        """
        return False
