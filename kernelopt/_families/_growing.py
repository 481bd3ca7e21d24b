"""Kernels that may join a family during learning: what it offers, and what stays of that."""

from typing import Generic, TypeVar, cast

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._families._mixture import Part

Family = TypeVar("Family")


class Growing(Generic[Family]):
    """What a family has that grows; by default it does not, and no method returns any kernels.

    Under a criterion that judges kernels by held-out rows, learning begins with `restrained`. New kernels come from
    `seasonal`, `offered`, `selected`, `grown`, `categorised`, `adapted` and `parted`, in this order, and are kept only
    if held-out rows are predicted better with them. All methods are called after `prepare`, and return another family
    that is prepared too; each part of this family is the same kernel in the returned one, unless the returned part says
    which one is.

    In all methods X are rows, shape (n, d), T their targets, shape (n, c), and `weight` their weights, shape (n,), > 0.
    """

    def restrained(self) -> Family:
        """This family without the kernels that may join only if they predict held-out rows better.

        Each part of the returned family is the same kernel in this one. The default is the family itself.
        """
        return cast(Family, self)

    @property
    def grows(self) -> bool:
        """Whether kernels may join this family; by default no."""
        return False

    def offered(self, X: FloatArray, weight: FloatArray) -> Family | None:  # noqa: ARG002
        """This family with kernels that it has for these rows and does not begin with; by default None, without any."""
        return None

    def seasonal(self, X: FloatArray, weight: FloatArray, dates: IntArray) -> Family | None:  # noqa: ARG002
        """This family with added kernels that repeat with the seasons of dates; by default None, without any.

        Args:
            X: the rows, shape (n, d).
            weight: their weights, shape (n,); 0 where a date is missing, which is the mean of its column in X.
            dates: the columns of X that hold dates, as days since 1970-01-01, shape (k,); at least one.
        """
        return None

    def crowded(self, X: FloatArray, weight: FloatArray) -> bool:  # noqa: ARG002
        """Whether there are so many columns for these rows that `selected`, `correlated` and `sparse` are asked.

        By default True.
        """
        return True

    def selected(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Family | None:  # noqa: ARG002
        """This family with added kernels of few columns, which say most of the targets; by default None, without any.

        It is asked before all other kernels that are fitted to the targets, so that these begin with the right columns.
        """
        return None

    def grown(self, part: Part, X: FloatArray, V: FloatArray) -> tuple[Family, Part] | None:  # noqa: ARG002
        """This family with added kernels that suit the learned function; by default None, without any.

        It is returned with the part of it that is the same kernel as before.

        Args:
            part: the share of the family in the kernel.
            X: the rows, shape (n, d).
            V: the coefficients of the learned function f_c = sum_i V_ic k(., x_i), shape (n, c).
        """
        return None

    def correlated(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Family | None:  # noqa: ARG002
        """This family with added kernels of all columns, weighed by their correlations with the targets.

        It is asked where `crowded` says so, as `selected` is. By default None, without any.
        """
        return None

    def sparse(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Family | None:  # noqa: ARG002
        """This family with added kernels of all columns, weighed by their slopes in a sparse linear function.

        It is asked where `crowded` says so, as `selected` is. By default None, without any.
        """
        return None

    def categorised(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Family | None:  # noqa: ARG002
        """This family with added kernels of all columns that see numbers as names, where the targets say that they are.

        By default None, without any.
        """
        return None

    def adapted(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Family | None:  # noqa: ARG002
        """This family with added kernels whose parameters are fitted to the targets; by default None, without any."""
        return None

    def parted(self, X: FloatArray, T: FloatArray, weight: FloatArray) -> Family | None:  # noqa: ARG002
        """This family with added kernels that tell rows apart as the targets do; by default None, without any."""
        return None

    def pruned(self, part: Part) -> tuple[Family, Part]:
        """This family without the kernels that joined it and have no weight in a part.

        It is returned with the part of it that is the same kernel. The default returns the family and the part as they
        are.
        """
        return cast(Family, self), part

    def resumed(self, other: Family, part: Part) -> tuple[Family, Part] | None:  # noqa: ARG002
        """This family with the kernels that joined an earlier one, from whose kernel a run begins.

        It is returned with the part of it that is a part of `other`; None if this family cannot have a kernel of that
        part. The default returns the family and the part as they are.

        Args:
            other: the family of an earlier solution, of the same name and on the same columns, perhaps of other rows.
            part: its share of the kernel of that solution.
        """
        return cast(Family, self), part
