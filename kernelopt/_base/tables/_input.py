"""What a user passes as rows and targets becomes clean arrays, or one clear error."""

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._doubles import alike, double
from kernelopt._base._errors import InvalidData
from kernelopt._base._plain_numbers import counted
from kernelopt._base._shown import shown
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._arrow import is_arrow
from kernelopt._base.tables._date_words import days_since_first, is_date

NUMBER = Real | Decimal | np.bool_
"""What is a number: databases give decimals, and numpy gives truth values, which Python does not count among the real
numbers.
"""
_TIMES = {
    "M": "such as the days since the first with (y - y.min()) / numpy.timedelta64(1, 'D')",
    "m": "such as the seconds with y / numpy.timedelta64(1, 's')",
}
"""How numbers are made of dates and of durations, by the kinds of numpy."""


def names_of_table(X: Any) -> tuple[str, ...]:
    """The names of the columns of a table of pandas, polars or pyarrow, where all of them are words; else none."""
    columns = X.schema.names if is_arrow(X) else getattr(X, "columns", None)
    listed = list(columns) if isinstance(columns, Iterable) else []
    return tuple(map(str, listed)) if all(isinstance(name, str) for name in listed) else ()


def refuse_twins(X: Any, name: str) -> None:
    """Refuse a table in which two columns have one name, where columns are known by their names.

    Raises:
        InvalidData: there are such.
    """
    names = names_of_table(X)
    twin = next((one for one, count in Counter(names).items() if count > 1), None)
    if twin is not None:
        raise InvalidData(
            f"{name} has {names.count(twin)} columns called {twin!r}, and scikit-learn tells columns apart by their "
            f"names; rename them, or pass the values without names: {name}.to_numpy()"
        )


def check_matrix(X: Any, name: str = "X", width: int | None = None) -> FloatArray:
    """X as a finite float array of two dimensions (with `width` columns, if given)."""
    refuse_sparse(X, name)
    refuse_masked(X, name)
    array = as_array(X, name)
    if array.dtype.kind not in "biuf":
        array = to_float(array, name)
    two_dimensional(array, name)
    if width is not None and array.shape[1] != width:
        raise InvalidData(f"{name} has {array.shape[1]} columns, wanted {width} as in training")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        bad = np.argwhere(~np.isfinite(array))
        row, column = bad[0]
        raise InvalidData(
            f"{name} has {counted(len(bad), 'value that is', 'values that are')} NaN or infinite, the "
            f"first in row {row}, column {column}; impute or drop them"
        )
    return array


def refuse_sparse(X: Any, name: str) -> None:
    """Refuse a sparse matrix.

    Raises:
        InvalidData: it is one.
    """
    if hasattr(X, "tocsr") or (hasattr(X, "sparse") and hasattr(X, "todense")):
        raise InvalidData(f"{name} is sparse ({type(X).__name__}), wanted a dense array; pass {name}.toarray()")


def is_lazy(values: Any) -> bool:
    """Whether it is a collection of dask, whose values are not computed yet."""
    if isinstance(values, np.ndarray | type) or not hasattr(values, "__dask_graph__"):
        return False
    return type(values).__module__.startswith("dask") or values.__dask_graph__() is not None


def refuse_lazy(values: Any, name: str) -> None:
    """Refuse a collection of dask, and a query of polars, where values are wanted: reading it would take all of it into
    memory.

    Raises:
        InvalidData: it is one.
    """
    if type(values).__name__ == "LazyFrame" and type(values).__module__.startswith("polars"):
        raise InvalidData(f"{name} is a LazyFrame of polars, wanted values in memory: pass {name}.collect()")
    if is_lazy(values):
        raise InvalidData(
            f"{name} is a collection of dask ({type(values).__name__}), wanted values in memory: pass {name}.compute() "
            "where they fit; solve, fit and predict read rows X of dask in blocks, with y and weights beside them"
        )


def two_dimensional(array: npt.NDArray[Any], name: str) -> None:
    """Refuse what has no rows and columns.

    Raises:
        InvalidData: it is of another shape, or empty.
    """
    if array.ndim == 0:
        got = type(array.item()).__name__
        raise InvalidData(f"{name} is of type {got}, wanted an array, a table, or a list of rows of the same length")
    if array.ndim != 2:
        forms = {1: f"; {_of_one_dimension(array, name)}", 3: "; pass several matrices as a list of them"}
        advice = forms.get(array.ndim, "")
        raise InvalidData(f"{name} has shape {array.shape}, wanted two dimensions (rows, columns){advice}")
    refuse_empty(array.shape, name)


def _of_one_dimension(array: npt.NDArray[Any], name: str) -> str:
    """How rows and columns are made of an array (n,) of records, or of numbers or words."""
    if array.dtype.names or any(isinstance(item, Mapping) for item in array[:1]):
        return f"make a table of records with pandas.DataFrame({name})"
    if array.size and all(isinstance(item, str | bytes) for item in array):
        return (
            f"got texts, such as {shown(array[0])}: make columns of their words with TfidfVectorizer of "
            'scikit-learn, or compare them by Gram matrices of your own, with family="precomputed"; reshape one column '
            f"of categories with numpy.reshape({name}, (-1, 1))"
        )
    return f"reshape one column with numpy.reshape({name}, (-1, 1)), and one row with numpy.reshape({name}, (1, -1))"


def refuse_empty(shape: tuple[int, ...], name: str) -> None:
    """Refuse what has no rows or no columns.

    Raises:
        InvalidData: it has none.
    """
    if 0 in shape:
        raise InvalidData(f"{name} has shape {shape}: it is empty")


def refuse_masked(values: Any, name: str) -> None:
    """Refuse an array of numpy.ma that hides some of its values: what lies under the mask is not meant.

    Raises:
        InvalidData: it is one.
    """
    masked = int(np.ma.getmaskarray(values).sum()) if np.ma.isMaskedArray(values) else 0
    if masked:
        raise InvalidData(
            f"{name} is a masked array with {masked} masked values, wanted values for all; impute them, or drop their "
            "rows"
        )


def as_array(values: Any, name: str) -> npt.NDArray[Any]:
    """An array of whatever was passed.

    Raises:
        InvalidData: its rows are of different lengths or hold lists of values, or it is not computed yet.
    """
    refuse_lazy(values, name)
    try:
        return np.asarray(values)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise _uneven(values, name) from None


def _uneven(values: Any, name: str) -> InvalidData:
    """What is wrong with rows that make no array: their lengths or kinds differ, or a value has values itself."""
    lengths = [len(row) if hasattr(row, "__len__") else 1 for row in values]
    other = next((k for k, length in enumerate(lengths) if length != lengths[0]), None)
    if other is not None:
        return InvalidData(
            f"{name} has rows of different lengths, {lengths[0]} in row 0 and {lengths[other]} in row {other}; "
            "give each row the same number of values"
        )
    lists = [_of_many(row) for row in values]
    if not all(lists):
        return InvalidData(
            f"{name} has a list of values in row {lists.index(True)} and a single value in row {lists.index(False)}; "
            "give each row the same number of values"
        )
    row, inner = next((k, one) for k, cells in enumerate(values) for one in cells if _of_many(one))
    return InvalidData(
        f"{name} has rows of {lengths[0]} values, and one of them in row {row} is of the type {type(inner).__name__}, "
        "which holds values itself; give each row one number or word for each column"
    )


def _of_many(value: Any) -> bool:
    """Whether this holds values, as a list does and a word does not."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes)


def to_float(array: npt.NDArray[Any], name: str) -> FloatArray:
    """An array of objects or words whose values are numbers, as one of numbers.

    Raises:
        InvalidData: some are none.
    """
    if array.dtype.kind == "c":
        raise InvalidData(f"{name} is complex, wanted real numbers")
    if array.dtype.kind == "O" and not any(isinstance(item, str) and "_" in item for item in array.flat):
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            pass
    values = array.astype(str) if array.dtype.kind in _TIMES else array
    example = next((item for item in values.ravel().tolist() if not isinstance(item, int | float)), None)
    advice = "encode text columns first, for example with sklearn.preprocessing.OneHotEncoder"
    if is_date(str(example)):
        advice = f"make numbers of dates first, such as {days_since_first(str(example))}"
    if name == "sample_weight":
        advice = "give each row a number >= 0"
    raise InvalidData(
        f"{name} has values that are not numbers, such as {shown(example)} (dtype {array.dtype}); {advice}"
    )


def check_target(y: Any) -> npt.NDArray[Any]:
    """The targets as one array of numbers, booleans or strings, shape (n,) or (n, c), with nothing missing."""
    refuse_masked(y, "y")
    refuse_sparse(y, "y")
    labels = as_array(y, "y")
    if labels.dtype.kind in "US" and not isinstance(y, np.ndarray):
        labels = np.asarray(y, dtype=object)  # what is no word was made one: a missing value, or a number beside words
    if labels.dtype.kind == "T":  # strings of any length, some of which may be missing
        labels = labels.astype(object)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim not in (1, 2) or labels.shape[1:] == (0,):
        raise InvalidData(
            f"y has shape {labels.shape}, wanted one target per row, shape (n,), or a column for each target"
        )
    if labels.dtype.kind == "O":
        labels = _of_one_kind(labels)
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        number = int((~np.isfinite(labels)).sum())
        raise InvalidData(
            f"y has {counted(number, 'value that is', 'values that are')} NaN or infinite; {_without_missing(labels)}"
        )
    refuse_times(labels)
    if labels.dtype.kind == "O":
        other = next(item for item in labels.flat if not isinstance(item, NUMBER))
        raise InvalidData(
            f"y holds values such as {shown(other)} ({type(other).__name__}), wanted numbers, booleans or strings; "
            "make numbers of them, or words if they are classes, such as with y.astype(str)"
        )
    if labels.dtype.kind not in "biufUS":
        raise InvalidData(f"y has dtype {labels.dtype}, wanted numbers, booleans or strings")
    return labels


def _without_missing(labels: npt.NDArray[Any]) -> str:
    """What to do about targets (n,) or (n, c) that are missing: rows that lack few of many are too good to drop."""
    if labels.ndim == 1:
        return "drop those rows"
    return "drop those rows, or learn each target that has such values by itself, from the rows where it is known"


def refuse_times(labels: npt.NDArray[Any]) -> None:
    """Refuse targets that are dates, times or durations of numpy, which say nothing of their unit as numbers.

    Raises:
        InvalidData: they are.
    """
    if labels.dtype.kind in _TIMES:
        raise InvalidData(
            f"y holds dates or times ({labels.dtype}), wanted numbers, booleans or strings; make numbers of them, "
            + _TIMES[labels.dtype.kind]
        )


def _of_one_kind(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Targets that were given as objects, as numbers or as words.

    Raises:
        InvalidData: some are missing, or there are both: 7 and "7" would be one class.
    """
    if any(missing(item) for item in labels.flat):
        raise InvalidData(f"y has missing values (None or NaN); {_without_missing(labels)}")
    word = next((item for item in labels.flat if isinstance(item, str | bytes)), None)
    other = next((item for item in labels.flat if not isinstance(item, str | bytes)), None)
    if word is not None and other is not None:
        raise InvalidData(
            f"y has words and other values, such as {shown(word)} and {shown(other)}; make all values of one kind"
        )
    values = np.array(labels.tolist())
    exact = values.dtype.kind == "O" and all(isinstance(item, NUMBER) for item in values.flat)
    pair = alike(values.ravel()) if exact else None
    if pair is not None:
        raise InvalidData(
            f"y holds whole numbers such as {pair[0]} and {pair[1]}, which are one number in double precision; make "
            "words of them if they are classes, or subtract the smallest of them"
        )
    return np.vectorize(double, otypes=[np.float64])(values) if exact else values


def missing(item: Any) -> bool:
    """Whether it is None, NaN, NaT or pandas.NA, which is not even unequal to itself."""
    try:
        return item is None or bool(item != item)
    except TypeError:
        return True
    except ValueError:  # an array in a cell
        return False
