"""What novelty detection takes where the user leaves the family open: one kernel, whose width the rows say."""

from collections.abc import Mapping

import numpy as np

from kernelopt._api.data._training import Training
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._families._expansion import Expansion
from kernelopt._families._views import View, seen_columns
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary.columns._standard_columns import rescaled, standard
from kernelopt._families.dictionary.growth._rows_width import rows_width
from kernelopt._families.dictionary.kernels._base_kernels import Named, PlacedKernel
from kernelopt._families.dictionary.seen._places import Metric


def unlabelled(
    training: Training, views: Mapping[str, tuple[int, ...]] | None = None
) -> tuple[Dictionary | View, tuple[str, ...]]:
    """A Gaussian on columns of mean 0 and deviation 1, so wide that rows are a little alike; with a note.

        k(x, z) = exp(-|x - z|^2 / w),      the mean of k over pairs of different rows is min(1/2, 3 / sqrt(m))

    Here m is the number of different rows. Without targets the minimum over kernels runs to the most constant one: it
    certifies, and learns nothing. So the kernel is chosen before the machine is trained, from the rows alone. Neither
    the order of the columns nor their units and origins matter.

    For the same reason no weights of views can be learned: the view whose rows are most alike would get all of it, and
    what is strange in another view would not be seen. So views have one kernel too, to which each is one column:

        |x - z|^2 = sum_v |x_v - z_v|^2 / d_v,      d_v the sum of the variances of the columns of view v

    A narrower kernel tells classes apart a little better, and new rows from the training rows, too: where a row is
    like few others, the machine is higher at it for its own sake alone, and hardly any new row is as high.

    Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson (2001) for the machine; the width is measured beside other
    rules in `asv_benchmarks/novelty_table.py` and `asv_benchmarks/novelty_flagged.py`.
    """
    columns = training.varying if views is None else _of_some_view(views, training)
    codes = training.X[:, columns]
    expansion = Expansion.of(training.encoding, codes, columns)
    X = codes if expansion is None else expansion.seen(codes)
    sparse = [j for span in training.sparse_among(columns) for j in span]
    if views is not None:
        sources = columns if expansion is None else columns[expansion.sources]
        family, seen = _of_views(X, training.sample_weight, np.isin(sources, sparse), _members(sources, views))
        note = _note("standardised columns, where each view counts as one column,", *seen)
        return View(family, tuple(columns.tolist())), (note,)
    rows = X if sparse else rescaled(X, standard(X, training.sample_weight))
    width, alike, looked_at = rows_width(rows, training.sample_weight)
    family = Dictionary((_gaussian(width),), normalize=None, rescale=None if sparse else "standard")
    return family, (_note("columns as they are" if sparse else "standardised columns", width, alike, looked_at),)


def _of_some_view(views: Mapping[str, tuple[int, ...]], training: Training) -> IntArray:
    """The columns of some view, without those that are constant, ascending.

    Raises:
        InvalidOption: a view has no others.
    """
    seen = [seen_columns(own, training.varying, training.width, f"view {name!r}") for name, own in views.items()]
    return training.varying[np.isin(training.varying, np.concatenate(seen))]


def _members(sources: IntArray, views: Mapping[str, tuple[int, ...]]) -> BoolArray:
    """Which columns of rows each view has, shape (v, p); they come from those of these numbers (p,)."""
    return np.array([np.isin(sources, columns) for columns in views.values()])


def _of_views(
    X: FloatArray, weight: FloatArray, sparse: BoolArray, members: BoolArray
) -> tuple[Dictionary, tuple[float, float, int]]:
    """The list of the one kernel of rows X (n, p) of weights (n,), of whose columns these (v, p) belong to each view;
    with what `rows_width` says. Coordinates of sparse rows (p,) are not standardised, for none of them is a column.
    """
    frame = standard(X, weight)
    squares = np.where(sparse, frame[1] ** 2, 1.0)
    told = members @ np.where(X.max(axis=0) > X.min(axis=0), squares, 0.0)
    root = np.sqrt(squares * (members / np.where(told > 0.0, told, 1.0)[:, None]).sum(axis=0))
    found = rows_width(rescaled(X, frame) * root, weight)
    kernel = PlacedKernel(_gaussian(found[0]), Metric(root))
    return Dictionary((kernel,), normalize=None, rescale="standard", _turned=bool(sparse.any())), found


def _gaussian(width: float) -> Named:
    return "rbf", {"gamma": 1.0 / width}


def _note(columns: str, width: float, alike: float, looked_at: int) -> str:
    return (
        f"family: without targets no kernel is learned, a Gaussian exp(-|x - z|^2 / {width:.3g}) on {columns} "
        f"was taken: its mean over pairs of {looked_at} rows is {alike:.3g}; name a family to take another"
    )
