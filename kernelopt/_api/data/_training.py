"""The door: X, y and the weights are checked once and become clean arrays; inner code trusts them."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._api.data._class_checks import check_classes
from kernelopt._api.data._class_weights import class_weights, weighs_odds
from kernelopt._api.data._column_notes import dropped_columns, dropped_rows, refuse_constant, refuse_few
from kernelopt._api.data._target_words import padded
from kernelopt._base._copies import copies_of
from kernelopt._base._errors import InvalidData
from kernelopt._base._row_order import row_order
from kernelopt._base._target_frame import TargetFrame
from kernelopt._base._target_sizes import sized
from kernelopt._base._typing import BoolArray, FloatArray, IntArray
from kernelopt._base._weights import check_weights
from kernelopt._base.tables._encoding import Encoding
from kernelopt._base.tables._input import check_target
from kernelopt._base.tables._reading_notes import notes_on, notes_on_words
from kernelopt._base.tables._tables import Table, table_of
from kernelopt._base.tables._view_layout import Layout
from kernelopt._criteria._contract import Criterion
from kernelopt._rows._coded import one_against_rest

_COPIES = 1_000_000
"""Weights that count more copies than this count each row once where rows are drawn: a guard, for time."""


@attrs.frozen(eq=False)
class Training:
    """What a problem is made of, checked.

    Attributes:
        X: codes of the rows, shape (n, d), NaN where something is missing; rows of zero weight are gone.
        level: what was taken out of each target, shape (c,): its mean where the criterion is `levelled`, else 0.
        encoded: the encoded targets with their level, shape (n, c).
        weight: sample weights, times class weights where these are weights of rows, shape (n, c), > 0.
        sample_weight: how often each row was observed, by its sample weight, shape (n,), > 0.
        rows: the row number of each sample in the caller's X, shape (n,).
        varying: the columns that tell rows apart, shape (d',).
        classes: the labels: of -1 and +1, or of each output; None in regression.
        names: of the columns, where X is a table that has them.
        encoding: how rows become codes.
        notes: what was changed on the way in.
        layout: where the views lie among the columns; None where X is one matrix or table.
        frame: how the given targets became those that are learned; None where these are the same.
        class_weights: of the classes, where they change their probabilities and weigh no row, shape (classes,).
        about_mean: whether numbers are learned less their mean, which may be 0.
    """

    X: FloatArray
    level: FloatArray
    encoded: FloatArray
    weight: FloatArray
    sample_weight: FloatArray
    rows: IntArray
    varying: IntArray
    classes: npt.NDArray[Any] | None
    names: tuple[str, ...]
    encoding: Encoding
    notes: tuple[str, ...]
    layout: Layout | None = None
    frame: TargetFrame | None = None
    class_weights: FloatArray | None = None
    about_mean: bool = False

    def as_given(self, values: FloatArray) -> FloatArray:
        """What is linear in the targets that are learned, for those that were given, shape (..., c)."""
        return values if self.frame is None else self.frame.given(values)

    def learned(self, values: FloatArray) -> FloatArray:
        """The same the other way round, shape (..., c')."""
        return values if self.frame is None else self.frame.framed(values)

    def levels_as_given(self, levels: FloatArray) -> FloatArray:
        """Values about which the targets that are learned vary, and those of constant ones, shape (c,)."""
        return levels if self.frame is None else self.frame.given(levels) + self.frame.constant

    @cached_property
    def y(self) -> FloatArray:
        """The encoded targets less their level, shape (n, c); many targets take no memory until they are asked for."""
        return self.encoded - self.level

    @cached_property
    def place(self) -> IntArray:
        """Where each row stands in an order that does not depend on the one in which rows are given, shape (n,)."""
        named = [j for j, labels in enumerate(self.encoding.labels) if labels is not None]
        named = [*named, self.width] if self.grouped else named
        order = row_order(self.X, self.encoded, named, classes=self.classes is not None)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return place

    def in_place(self, rows: IntArray) -> IntArray:
        """The numbers of some rows (n',) in that order: what is drawn from them depends on nothing else then."""
        return rows[np.argsort(self.place[rows])]

    def at_random(self, most: int, seed: int) -> IntArray:
        """So many rows at most in random order, the same rows whatever the order in which they are given. Where these
        are all rows, a row of weight k is where the first of k copies of it would be.
        """
        rows, rng = self.in_place(np.arange(len(self.X))), np.random.default_rng(seed)
        copies = copies_of(self.weight[rows, 0], _COPIES) if len(rows) <= most else None
        if copies is None:
            return rows[rng.permutation(len(rows))[:most]]
        drawn = copies[rng.permutation(len(copies))]
        return rows[drawn[np.sort(np.unique(drawn, return_index=True)[1])]]

    @property
    def width(self) -> int:
        """How many columns of X families may see: all but that of groups."""
        return int(self.X.shape[1]) - self.grouped

    @property
    def grouped(self) -> bool:
        """Whether the last column of X holds the number of each row's group."""
        return self.layout is not None and self.layout.grouped

    @property
    def told_apart(self) -> FloatArray:
        """By what rows are told apart where some are held out: rows that agree in it, shape (n, k), stay together. It
        is the group where groups are known, else all columns: copies are of one group.
        """
        return self.X[:, self.width :] if self.grouped else self.X

    def some(self, rows: IntArray) -> "Training":
        """What a problem needs of the training data, of these rows alone."""
        return attrs.evolve(
            self,
            X=self.X[rows],
            encoded=self.encoded[rows],
            weight=self.weight[rows],
            sample_weight=self.sample_weight[rows],
            rows=self.rows[rows],
        )

    def sparse_among(self, columns: Iterable[int]) -> tuple[range, ...]:
        """The views among these columns of X whose columns are coordinates of sparse rows, as their spans."""
        if self.layout is None or not self.layout.bases:
            return ()
        seen = set(columns)
        return tuple(span for span in self.layout.sparse if not seen.isdisjoint(span))

    @property
    def in_views(self) -> bool:
        """Whether the user passed views, and not one matrix or table."""
        return self.layout is not None and not self.layout.single


def admit(
    X: Any, y: Any, criterion: Criterion, sample_weight: Any, class_weight: Any, layout: Layout | None = None
) -> Training:
    """Check everything that a user can get wrong about the data.

    Where the table was made of views, the layout says where they lie in it.

    Raises:
        InvalidData: with what was got, what was wanted and what to do.
        InvalidOption: class_weight is of no known form.
    """
    table = table_of(X)
    labels = _targets(y, len(table), criterion)
    weight = check_weights(sample_weight, len(table))
    rows = np.flatnonzero(weight > 0.0)
    dropped = len(weight) - len(rows)
    if dropped:
        table, labels, weight = table[rows], labels[rows], weight[rows]
    refuse_few(len(table), dropped)
    encoding = Encoding.of(table, weight)
    coded = encoding.encode(table)
    classes, encoded = _encode(labels, criterion)
    factors, each = class_weights(class_weight, criterion, classes, labels, weight)
    of_odds = weighs_odds(criterion)
    total = weight if each is None or of_odds else weight * each
    total = np.broadcast_to(total[:, None], encoded.shape)  # the same for each target: many targets take no memory
    varies, left_out = _columns(table, encoding, coded, weight, layout)
    notes = (*dropped_rows(dropped), *left_out, *padded(classes))
    level = level_of(encoded, total, criterion)
    return Training(
        coded,
        level,
        encoded,
        total,
        criterion.observed(weight),
        rows,
        np.flatnonzero(varies),
        classes,
        table.names,
        encoding,
        notes,
        layout,
        class_weights=factors if of_odds else None,
        about_mean=classes is None and criterion.levelled,
    )


def _columns(
    table: Table, encoding: Encoding, coded: FloatArray, weight: FloatArray, layout: Layout | None
) -> tuple[BoolArray, tuple[str, ...]]:
    """Which columns families see, because they vary in rows of these codes (n, d) and weights (n,), and notes on what
    was done with columns.

    Raises:
        InvalidData: no column varies.
    """
    width = encoding.width - (layout is not None and layout.grouped)
    varies = encoding.varying(coded, weight)[:width]
    told = () if varies.any() else notes_on_words(encoding, table)
    refuse_constant(int(varies.sum()), width if layout is None else layout.own_width, told)
    directions = [] if layout is None else layout.directions
    varies[directions] = True  # new rows may have what all training rows have none of
    singular = encoding.singular(coded, weight)[:width]
    left_out = dropped_columns(table, width, ~varies & ~singular, singular)
    gaps = None if layout is None else layout.gaps(table)
    return varies, (*left_out, *notes_on(encoding, table, gaps=gaps, left_out=np.flatnonzero(singular)))


def level_of(encoded: FloatArray, weight: FloatArray, criterion: Criterion) -> FloatArray:
    """What is taken out of targets (n, c) of these weights (n, c), shape (c,): their mean, or nothing.

    Rounding does not take the mean out of the targets' range, so that constant targets are 0 without their level.
    """
    if not criterion.levelled:
        return np.zeros(encoded.shape[1])
    means = np.einsum("tc,tc->c", weight, encoded) / weight.sum(axis=0)
    return np.asarray(np.clip(means, encoded.min(axis=0), encoded.max(axis=0)))


def _targets(y: Any, n: int, criterion: Criterion) -> npt.NDArray[Any]:
    """The checked targets, shape (n,), or (n, c) in regression; ones where nothing but X is learned from."""
    if criterion.task == "novelty":
        return np.ones(n)
    if y is None:
        raise InvalidData(f"y is missing: {criterion.name} is a {criterion.task} criterion and needs a target per row")
    labels = check_target(y)
    if len(labels) != n:
        raise InvalidData(f"y has {len(labels)} values and X has {n} rows, wanted one value for each row")
    if labels.ndim == 2 and criterion.task != "regression":
        raise InvalidData(f"y has shape {labels.shape}, wanted one target per row, shape ({n},), for {criterion.name}")
    return labels


def _encode(labels: npt.NDArray[Any], criterion: Criterion) -> tuple[npt.NDArray[Any] | None, FloatArray]:
    """The classes and the targets -1 and +1: one column for two classes, else one against the rest for each.

    Other tasks take y as numbers; in novelty detection -1 is an outlier and +1 is none.
    """
    if criterion.task == "novelty":
        return np.array([-1, 1]), labels[:, None]
    if criterion.task != "classification":
        if labels.dtype.kind not in "biuf":
            advice = "; learn each column of words by itself" if labels.ndim == 2 and labels.dtype.kind in "US" else ""
            raise InvalidData(f"y has dtype {labels.dtype}, wanted numbers for {criterion.name}{advice}")
        numbers = np.asarray(labels, dtype=np.float64).reshape(len(labels), -1)
        sized(max(float(numbers.max()), -float(numbers.min())))
        return None, numbers
    classes, code = np.unique(labels, return_inverse=True)
    check_classes(classes, criterion.name)
    return classes, one_against_rest(code, len(classes))
