"""What novelty detection takes where the user leaves the family open: one kernel, whose width the rows say."""

from kernelopt._api._training import Training
from kernelopt._families._expansion import Expansion
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary._rows_width import rows_width
from kernelopt._families.dictionary._standard_columns import rescaled, standard


def unlabelled(training: Training) -> tuple[Dictionary, tuple[str, ...]]:
    """A Gaussian on columns of mean 0 and deviation 1, so wide that rows are a little alike; with a note.

        k(x, z) = exp(-|x - z|^2 / w),      the mean of k over pairs of different rows is min(1/2, 3 / sqrt(m))

    Here m is the number of different rows. Without targets the minimum over kernels runs to the most constant one: it
    certifies, and learns nothing. So the kernel is chosen before the machine is trained, from the rows alone. Neither
    the order of the columns nor their units and origins matter.

    A narrower kernel tells classes apart a little better, and new rows from the training rows, too: where a row is
    like few others, the machine is higher at it for its own sake alone, and hardly any new row is as high.

    Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson (2001) for the machine; the width is measured beside other
    rules in `asv_benchmarks/novelty_table.py` and `asv_benchmarks/novelty_flagged.py`.
    """
    X = training.X[:, training.varying]
    expansion = Expansion.of(training.encoding, X, training.varying)
    X = X if expansion is None else expansion.seen(X)
    sparse = bool(training.sparse_among(training.varying))
    rows = X if sparse else rescaled(X, standard(X, training.sample_weight))
    width, alike, looked_at = rows_width(rows, training.sample_weight)
    kernel = ("rbf", {"gamma": 1.0 / width})
    family = Dictionary((kernel,), normalize=None, rescale=None if sparse else "standard")
    columns = "columns as they are" if sparse else "standardised columns"
    note = (
        f"family: without targets no kernel is learned, a Gaussian exp(-|x - z|^2 / {width:.3g}) on {columns} "
        f"was taken: its mean over pairs of {looked_at} rows is {alike:.3g}; name a family to take another"
    )
    return family, (note,)
