"""What novelty detection takes where the user leaves the family open: one kernel, whose width the rows say."""

from kernelopt._api._training import Training
from kernelopt._families.dictionary._dictionary import Dictionary
from kernelopt._families.dictionary._neighbour_width import neighbour_distance
from kernelopt._families.dictionary._standard_columns import rescaled, standard


def unlabelled(training: Training) -> tuple[Dictionary, tuple[str, ...]]:
    """A Laplacian on columns of mean 0 and deviation 1, as wide as a row is from its nearest; with a note.

        k(x, z) = exp(-sum_j |x_j - z_j| / w),      w the median distance from a row to the nearest that is no copy

    Without targets the minimum over kernels runs to the most constant one: it certifies, and learns nothing. So the
    kernel is chosen before the machine is trained, from the rows alone. Neither the order of the columns nor their
    units and origins matter.

    Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson (2001) for the machine; the width is measured beside other
    rules in `asv_benchmarks/novelty_table.py`.
    """
    X = training.X[:, training.varying]
    width, looked_at = neighbour_distance(rescaled(X, standard(X, training.sample_weight)), training.sample_weight)
    family = Dictionary((("laplacian", {"gamma": 1.0 / width}),), normalize=None, rescale="standard")
    note = (
        f"family: without targets no kernel is learned, a Laplacian of width {width:.3g} on standardised columns was "
        f"taken: the median distance from one of {looked_at} rows to the nearest of them; name a family to take another"
    )
    return family, (note,)
