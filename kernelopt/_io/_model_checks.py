"""What must agree within a model, whoever wrote its file."""

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import ModelFileError
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._dates import is_order
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._view_layout import Layout
from kernelopt._families._expansion import Expansion
from kernelopt._families._leaf import Leaf
from kernelopt._families._matrix import MatrixFamily
from kernelopt._families._mixture import Part
from kernelopt._model._model import Model
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._odds import Logistic, Odds, Shares
from kernelopt._prediction._posterior import Beside, Posterior, Thin, Whole
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._row_noise import RowNoise
from kernelopt._prediction._scope import Scope
from kernelopt._prediction._several import Several
from kernelopt._prediction._uneven import Uneven

_MARKS = (",", ",.", ".,")
"""What stands before the decimals of numbers in text, and between their thousands where something does."""


def check(model: Model) -> Model:
    """The model, after its shapes were compared and it has predicted one row.

    Raises:
        ModelFileError: something does not agree.
        Exception: a family cannot work with its constants.
    """
    machine, kernel = model.predictor, model.kernel
    check_kernel(kernel)
    check_function(machine)
    s, c = len(machine.support_vectors), len(machine.intercept)
    demand(_labelled(machine.classes, c) != (model.criterion.task == "regression"), "the classes")
    _check_posterior(model, s)
    demand(model.odds is None or machine.classes is not None, "the odds")
    _check_odds(model.odds)
    if machine.weighing is not None:
        demand(model.odds is not None and _finite(machine.weighing.logarithms, max(c, 2)), "the weights of classes")
        _check_odds(machine.weighing.odds)
    _try(model)
    return model


def _check_multiples(multiples: tuple[FloatArray, ...] | None, kernel: Kernel, c: int) -> None:
    """What each of c outputs multiplies the weights of the kernel by."""
    if multiples is not None:
        demand(len(multiples) == len(kernel.mixture.parts), "the weights of the targets")
        for one, part in zip(multiples, kernel.mixture.parts, strict=True):
            demand(_finite(one, len(part), c) and bool((one > 0.0).all()), "the weights of the targets")


def check_function(machine: Predictor) -> None:
    """Support vectors and coefficients of a function of rows, of the shapes that its kernel wants."""
    kernel, s, c = machine.kernel, len(machine.support_vectors), len(machine.intercept)
    demand(c >= 1 and _finite(machine.intercept, c), "the intercepts")
    demand(check_codes(machine.support_vectors, s, kernel), "the support vectors")
    demand(_finite(machine.dual_coef, s, c), "the dual coefficients")
    demand(len(machine.features) == len(kernel.leaves), "the features")
    demand(all(u is None or _finite(u, len(u), c) for u in machine.features), "the coefficients of features")
    _check_multiples(machine.multiples, kernel, c)


def _check_odds(odds: Odds | None) -> None:
    """Numbers that make probabilities."""
    demand(not isinstance(odds, Shares) or _positive(odds.width, odds.power), "the odds")
    demand(not isinstance(odds, Logistic) or _positive(odds.damping), "the odds")


def _check_posterior(model: Model, s: int) -> None:
    """How sure the model is, of several targets with each of the noises that they have."""
    posterior = model.posterior
    if posterior is None:
        return
    _check_sure(posterior, model, s)
    if isinstance(posterior, Several):
        outputs, kinds = len(model.predictor.intercept), len(posterior.each)
        demand(_finite(posterior.size, outputs) and bool((posterior.size >= 0.0).all()), "the sizes of the targets")
        which = posterior.which
        inside = which.shape == (outputs,) and which.min(initial=0) >= 0 and which.max(initial=0) < kinds
        demand(inside and not any(isinstance(one, Several) for one in posterior.each), "the noise of the targets")
        for one in posterior.each:
            _check_sure(one, model, s)


def _check_sure(posterior: Posterior, model: Model, s: int) -> None:
    """Rows for a Gram, or a factor for the features, and a noise that keeps both from being singular."""
    kernel = model.kernel
    demand(_positive(posterior.noise) and math.isfinite(posterior.excess) and posterior.excess >= 0.0, "the noise")
    demand(math.isfinite(posterior.doubt) and posterior.doubt >= 1.0, "the noise")
    demand(0.0 < posterior.spread <= 1.0, "the noise")
    outputs = len(model.predictor.intercept)
    _check_scope(posterior.scope, outputs)
    unit = posterior.unit
    demand(unit is None or (_finite(unit, outputs) and bool((unit >= 0.0).all())), "the units of the targets")
    demand(posterior.degrees is None or (_positive(posterior.degrees) and posterior.degrees > 2.0), "the noise")
    if isinstance(posterior, Several):
        return
    if isinstance(posterior, Uneven):
        demand(not isinstance(posterior.function, Several | Uneven), "the noise of the rows")
        _check_rows(posterior.rows, kernel.width)
        _check_sure(posterior.function, model, s)
        return
    if isinstance(posterior, Beside):
        demand(math.isfinite(posterior.share) and posterior.share >= 0.0, "the share of what landmarks do not know")
        kernel = posterior.kernel
    if not isinstance(posterior, Thin | Beside):
        demand(s > 0, "the rows that deviations need")
        weight = posterior.weight if isinstance(posterior, Whole) else None
        demand(weight is None or (_finite(weight, s) and bool((weight > 0.0).all())), "the weights of rows")
        return
    demand(kernel.explicit, "the factor of the features")
    r = kernel.features(kernel.shown(np.zeros((1, kernel.width)))).shape[1]
    demand(
        _finite(posterior.lower, r, r) and bool((np.diagonal(posterior.lower) > 0.0).all()),
        "the factor of the features",
    )


def _check_rows(rows: RowNoise, width: int) -> None:
    """Numbers that make a noise of each row, and a function of rows of so many columns."""
    machine = rows.predictor
    check_kernel(machine.kernel)
    check_function(machine)
    demand(_positive(rows.factor, rows.least) and math.isfinite(rows.most), "the noise of the rows")
    demand(rows.degrees is None or (_positive(rows.degrees) and rows.degrees > 2.0), "the noise of the rows")
    demand(machine.kernel.width == width and len(machine.intercept) == 1, "the noise of the rows")


def _check_scope(scope: Scope | None, c: int) -> None:
    """What rows of c targets span."""
    if scope is not None:
        known = scope.largest >= 0.0 and _finite(scope.spread, c) and bool((scope.spread >= 0.0).all())
        demand(known, "what the training rows span")


def _labelled(classes: npt.NDArray[Any] | None, c: int) -> bool:
    """Whether c outputs have these labels: two for one output, else one for each."""
    if classes is not None:
        demand(classes.shape == (2 if c == 1 else c,), "the classes")
    return classes is not None


def _try(model: Model) -> None:
    """Let the model predict a row: what a family holds is its own business, and so are its errors."""
    machine, kernel = model.predictor, model.kernel
    row = machine.support_vectors[:1] if len(machine.support_vectors) else np.zeros((1, kernel.width))
    row = kernel.shown(row)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        demand(len(machine.predict(row)) == 1, "the predictions")
        demand(kernel.diag(row).shape == (1,), "the kernel")
        str(model)


def check_kernel(kernel: Kernel) -> None:
    demand(kernel.width >= 1, "the number of columns")
    demand(len(kernel.names) in (0, kernel.width), "the names of the columns")
    demand(0 < len(kernel.leaves) == len(kernel.mixture.parts), "the families")
    for leaf, part in zip(kernel.leaves, kernel.mixture.parts, strict=True):
        check_leaf(leaf, part, kernel.width, kernel.encoding)
    if kernel.encoding is not None:
        _check_encoding(kernel.encoding, kernel.width)
    if kernel.layout is not None:
        _check_layout(kernel.layout, kernel.width)


def _check_layout(layout: Layout, width: int) -> None:
    """As many views as widths, which fill the columns, and Grams that name their own rows."""
    counts = {len(layout.names), len(set(layout.names)), len(layout.widths), len(layout.known)}
    demand(len(counts) == 1 and min(layout.widths, default=0) > 0, "the views")
    demand(sum(len(span) for span in layout.spans.values()) == width, "the views")
    bases = layout.bases or (None,) * len(layout.names)
    demand(len(bases) == len(layout.names), "the bases of sparse rows")
    for basis, columns in zip(bases, layout.widths, strict=True):
        demand(basis is None or (basis.width == columns and basis.sound()), "the basis of sparse rows")
    for known, columns in zip(layout.known, layout.widths, strict=True):
        inside = known is None or (known.ndim == 1 and known.min(initial=0) >= 0 and known.max(initial=0) < columns)
        demand(inside, "the rows of a Gram")


def check_leaf(leaf: Leaf, part: Part, width: int, encoding: Encoding | None) -> None:
    d, m = len(leaf.columns), len(part)
    inside = d > 0 and leaf.columns.shape == (d,) and leaf.columns.min() >= 0 and leaf.columns.max() < width
    demand(inside, "the columns of a family")
    _check_expansion(leaf.expansion, encoding, leaf.columns)
    demand(math.isfinite(leaf.factor) and leaf.factor > 0.0, "the scale of a family")
    demand(part.atoms.ndim == 2 and _finite(part.atoms, m, part.atoms.shape[1]), "the atoms")
    demand(m > 0 and _finite(part.weights, m) and part.weights.min() >= 0.0, "the weights")
    # The order grows so fast with the options of a family that it must not be believed, and P is its square.
    if isinstance(leaf.family, MatrixFamily):
        demand(leaf.family.check_order().order == part.atoms.shape[1], "the order of P")


def check_codes(rows: npt.NDArray[Any], s: int, kernel: Kernel) -> bool:
    """Whether these are s rows of codes, with gaps where the training rows have some."""
    gaps = np.zeros(kernel.width, dtype=bool) if kernel.encoding is None else kernel.encoding.gaps
    fits = rows.shape == (s, kernel.width) and rows.dtype == np.float64
    return fits and _finite(np.where(np.isnan(rows) & gaps, 0.0, rows), s, kernel.width)


def _check_encoding(encoding: Encoding, width: int) -> None:
    fits = encoding.centres.shape == encoding.gaps.shape == (width,) == (encoding.width,)
    demand(fits and _finite(encoding.centres, width), "the encoding of the columns")
    codes = [encoding.codes(j) for j in range(width)]
    demand(all(_finite(one, len(set(one.tolist()))) for one in codes), "the categories of a column")
    days = all(0 <= j < width and encoding.labels[j] is None and is_order(order) for j, order in encoding.dates)
    demand(days, "the columns of dates")
    marked = all(0 <= j < width and encoding.labels[j] is None and mark in _MARKS for j, mark in encoding.marks)
    demand(marked and encoding.target_marks in ("", *_MARKS), "the marks in numbers")


def _check_expansion(expansion: Expansion | None, encoding: Encoding | None, columns: IntArray) -> None:
    d = len(columns)
    if expansion is None:
        plain = encoding is None or all(encoding.labels[j] is None and not encoding.gaps[j] for j in columns)
        return demand(plain, "the indicators of a family")
    places = [*expansion.numbers.tolist(), *(group.column for group in expansion.groups)]
    inside = expansion.numbers.ndim == 1 and expansion.width == d and all(0 <= place < d for place in places)
    groups = all(group.codes.shape == (len(group.labels),) != (0,) for group in expansion.groups)
    finite = _finite(expansion.centres, len(expansion.numbers))
    return demand(inside and groups and finite and expansion.columns > 0, "the indicators of a family")


def _positive(*numbers: float) -> bool:
    return all(math.isfinite(number) and number > 0.0 for number in numbers)


def _finite(array: npt.NDArray[Any], *shape: int) -> bool:
    return array.shape == shape and array.dtype == np.float64 and bool(np.isfinite(array).all())


def demand(held: bool | np.bool_, what: str) -> None:
    if not held:
        raise ModelFileError(f"is broken: {what} of its model do not agree with the rest")
