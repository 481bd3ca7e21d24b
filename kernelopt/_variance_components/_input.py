"""What a user passes as kernels, trait and covariates becomes a mixed model with names, or one clear error."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData
from kernelopt._base._options import instance, one_of, within
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._input import check_matrix, check_target, names_of_table
from kernelopt._linalg._definiteness import defect
from kernelopt._variance_components._mixed_model import MixedModel

INTERCEPT, RESIDUAL = "intercept", "residual"
_ROOM = 0.01
"""A kernel may have eigenvalues so far below 0, as a share of its mean diagonal: files round kinships to a few digits,
and the residual variance hides that."""
_WILD = 1e60
"""The fourth power of a trait or of a kernel of at most this size is a floating point number, and so is its inverse."""
_RANK = 1e-9
"""What is left of a unit column beside the columns before it, where it is a combination of them."""


@attrs.frozen
class Options:
    """How a fit is done.

    Attributes:
        method: "reml" or "ml".
        intercept: whether a column of ones joins the covariates.
        tests: whether each kernel is tested by a fit without it.
        tol: a climb ends where another step would raise the log-likelihood by less than this, in nats.
        max_steps: of each climb.
    """

    caller: ClassVar[str] = "variance_components"

    method: str = attrs.field(default="reml", validator=one_of("reml", "ml"))
    intercept: bool = attrs.field(default=True, validator=instance(bool, "True or False"))
    tests: bool = attrs.field(default=True, validator=instance(bool, "True or False"))
    tol: float = attrs.field(default=1e-7, validator=within(1e-14, 1.0))
    max_steps: int = attrs.field(default=100, validator=within(1, np.inf, integer=True))


@attrs.frozen(eq=False)
class Design:
    """The fixed effects: columns with names, an orthonormal basis of them, and what turns one into the other.

    Attributes:
        names: length q.
        Q: orthonormal, shape (n, q).
        R: the columns are Q R, shape (q, q).
        intercept: whether the first column is that of ones.
        called: the names that the covariates themselves have, as those of a table; none where they have none.
    """

    names: tuple[str, ...]
    Q: FloatArray
    R: FloatArray
    intercept: bool
    called: tuple[str, ...]


@attrs.frozen(eq=False)
class Trait:
    """A trait less a combination of the fixed effects, which would take the digits of its squares if it were large.

    The likelihood does not feel it, and the estimates of the effects grow by it.

    Attributes:
        left: the rest in units of its deviation, shape (n,).
        along: the coefficients of the combination in the basis of the fixed effects, shape (q,).
        size: the deviation of the rest, in the units of the trait.
    """

    left: FloatArray
    along: FloatArray
    size: float

    @classmethod
    def of(cls, trait: FloatArray, design: Design) -> "Trait":
        """Of a trait (n,); raises InvalidData where the fixed effects explain all of it."""
        along = design.Q.T @ trait
        left = trait - design.Q @ along
        size = float(np.std(left))
        if size <= 1e-12 * float(np.abs(trait).max()):
            raise InvalidData("y is a combination of the covariates, wanted a trait that they leave partly unexplained")
        return cls(left / size, along, size)


def trait_of(y: Any) -> FloatArray:
    """The trait as numbers, shape (n,).

    Raises:
        InvalidData: it is something else, some of it is missing, or it is constant.
    """
    values = check_target(y)
    if values.ndim != 1:
        raise InvalidData(f"y has shape {values.shape}, wanted one trait, shape (n,); call once for each trait")
    if values.dtype.kind in "US":
        raise InvalidData(
            f"y has words such as {str(values[0])!r}, wanted numbers: a trait that is measured, or 0 and 1"
        )
    trait = values.astype(np.float64)
    if len(trait) < 2 or np.ptp(trait) == 0.0:
        raise InvalidData(f"y has {len(trait)} rows with one value, wanted a trait that varies")
    largest = float(np.abs(trait).max())
    if not 1.0 / _WILD <= largest <= _WILD:
        raise InvalidData(
            f"y has values up to {largest:.3g} in size, wanted {1.0 / _WILD:g} to {_WILD:g}, because the standard "
            "errors of variances need their fourth powers; divide y by its largest value"
        )
    return trait


def kernels_of(kernels: Any, names: Sequence[str] | None, n: int) -> dict[str, FloatArray]:
    """The kernels by their names, shape (n, n) each.

    Raises:
        InvalidData: they are no square matrices of n rows, or have entries or eigenvalues that kernels have not.
    """
    if isinstance(kernels, Mapping):
        listed = [str(name) for name in kernels] if names is None else list(names)
        matrices = list(kernels.values())
    else:
        matrices = [kernels] if _is_matrix(kernels) else list(kernels)
        listed = [f"K{a + 1}" for a in range(len(matrices))] if names is None else list(names)
    if not matrices:
        raise InvalidData("kernels: got none, wanted a list or a mapping of matrices (n, n)")
    if len(listed) != len(matrices) or len({*listed, RESIDUAL}) != len(listed) + 1:
        raise InvalidData(
            f"names: got {listed!r} for {len(matrices)} kernels, wanted as many different names, none of them "
            f'"{RESIDUAL}"'
        )
    return {name: _kernel(K, name, n) for name, K in zip(listed, matrices, strict=True)}


def _is_matrix(kernels: Any) -> bool:
    """Whether this is one matrix and no list of them, of which no array is made: it would be a copy of all of them."""
    if isinstance(kernels, list | tuple):
        return len(kernels) > 0 and np.ndim(kernels[0]) == 1
    return np.ndim(kernels) == 2


def _kernel(K: Any, name: str, n: int) -> FloatArray:
    matrix = check_matrix(K, f"the kernel {name!r}")
    if matrix.shape != (n, n):
        raise InvalidData(f"the kernel {name!r} has shape {matrix.shape}, wanted ({n}, {n}): a row for each value of y")
    mean = float(np.trace(matrix)) / n
    if mean <= 0.0:
        raise InvalidData(f"the kernel {name!r} has a diagonal whose mean is {mean:.3g}, wanted a number above 0")
    if not 1.0 / _WILD <= mean <= _WILD:
        raise InvalidData(
            f"the kernel {name!r} has a diagonal whose mean is {mean:.3g}, wanted a number from {1.0 / _WILD:g} to "
            f"{_WILD:g}; divide the kernel by this mean"
        )
    wrong = defect(matrix, _ROOM * mean)
    if wrong is not None:
        raise InvalidData(
            f"the kernel {name!r} is no kernel: {wrong}; pass (K + K.T) / 2 where rounding made it so, and a matrix of "
            "similarities, not of distances"
        )
    return matrix


def design_of(covariates: Any, n: int, *, intercept: bool) -> Design:
    """The fixed effects, the intercept first.

    Raises:
        InvalidData: they are no numbers, some are missing, or some are combinations of others.
    """
    columns, names, called = np.ones((n, int(intercept))), (INTERCEPT,) * intercept, names_of(covariates)
    if covariates is not None:
        given = covariate_columns(covariates)
        if len(given) != n:
            raise InvalidData(f"covariates has {len(given)} rows and y has {n}, wanted a row for each value of y")
        columns, names = np.hstack([columns, given]), names + (called or _numbered(given.shape[1]))
    if len(names) >= n - 1:
        raise InvalidData(f"covariates: {len(names)} fixed effects and {n} rows, wanted more rows than that by 2")
    Q, R = np.linalg.qr(columns)
    lengths = np.linalg.norm(columns, axis=0)
    dependent = np.flatnonzero(np.abs(np.diagonal(R)) <= _RANK * lengths)
    if len(dependent):
        told = ", ".join(repr(names[j]) for j in dependent)
        raise InvalidData(
            f"covariates: {told} can be computed from the columns before, the intercept among them; leave out what "
            "can be computed, or pass intercept=False"
        )
    return Design(names, Q, R, intercept, called)


def covariate_columns(covariates: Any) -> FloatArray:
    """Covariates as numbers, shape (n, q): one column may be given as a vector."""
    return check_matrix(np.reshape(covariates, (-1, 1)) if np.ndim(covariates) == 1 else covariates, "covariates")


def names_of(covariates: Any) -> tuple[str, ...]:
    """The names of covariates, as a table or a column of pandas or polars has them; none where they have none."""
    if np.ndim(covariates) == 1:
        alone = getattr(covariates, "name", None)
        return (str(alone),) if alone is not None else ()
    return names_of_table(covariates)


def _numbered(q: int) -> tuple[str, ...]:
    """What covariates without names are called."""
    return tuple(f"x{j + 1}" for j in range(q))


def refuse_other(got: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    """Refuse covariates whose names are not those of the fit, where both have names.

    Raises:
        InvalidData: they are other columns, or the same in another order.
    """
    for j, (name, known) in enumerate(zip(got, wanted, strict=False)):
        if name != known:
            raise InvalidData(
                f"covariates has {name!r} as column {j}, wanted {known!r} as in the fit; select the columns by their "
                "names, or pass an array"
            )


def distinct(found: Iterable[int], names: Sequence[str]) -> str:
    """Components in a message: kernels by their names, and the residual."""
    called = [f"the kernel {name!r}" for name in names] + ["the residual"]
    return " and ".join(called[a] for a in found)


def model_of(kernels: Mapping[str, FloatArray], y: FloatArray, design: Design, *, restricted: bool) -> MixedModel:
    """The mixed model of a trait."""
    return MixedModel(tuple(kernels.values()), y, design.Q, restricted)
