"""A table of a paper as a value: what was learned from which rows, and the numbers that the paper prints."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

import attrs
from attrs.validators import optional

from kernelopt._base._errors import InvalidOption
from kernelopt._base._options import is_number, one_of, positive, within

QUALITIES: Mapping[str, str] = MappingProxyType(
    {
        "error": "error, %",
        "training error": "training error, %",
        "accuracy": "right, %",
        "mse": "squared error",
    }
)
"""What is measured of predictions; an RBF SVM on the same rows is measured by it, too."""
QUANTITIES: Mapping[str, str] = MappingProxyType(
    {
        **QUALITIES,
        "seconds": "seconds",
        "evaluation": "ms to predict",
        "support": "SV",
        "atoms": "kernels",
        "steps": "steps",
        "step": "s a step",
        "gap": "gap",
        "distance": "distance",
        "iterations": "iterations of libsvm",
    }
)
"""What a table may show, and what stands above its column; all times are those of the processor."""
AXES = ("rows", "max_steps")
"""What an axis may vary beside the options of the family and of the criterion."""
PREFIXES = ("family.", "criterion.")
EACH = "each"
Number = tuple[float, float | None]
"""A number of a paper, and its deviation where the paper prints one."""
Numbers = Mapping[str, Mapping[str, tuple[Number | None, ...]]]
"""By method and by quantity: one number, or one for each place of the axis; None where the paper has none."""


def _listed(values: Any) -> tuple[Any, ...]:
    if not isinstance(values, list | tuple):
        raise InvalidOption(f"got {values!r}, wanted a list")
    return tuple(values)


def _text(_owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    if not isinstance(value, str) or not value.strip():
        raise InvalidOption(f"{field.name}: got {value!r}, wanted some words")


def _share_or_count(_owner: Any, field: "attrs.Attribute[Any]", value: Any) -> None:
    if not is_number(value) or value < 0 or (isinstance(value, float) and value >= 1.0):
        raise InvalidOption(
            f"{field.name}: got {value!r}, wanted a share of the rows below 1, such as 0.4, or a number"
        )


def _number_or_text(value: Any) -> bool:
    return is_number(value) or isinstance(value, str)


def _option_path(text: str, where: str, also: tuple[str, ...] = ()) -> None:
    if not (text in also or any(text.startswith(prefix) and text != prefix for prefix in PREFIXES)):
        others = "".join(f"{word}, or " for word in also)
        raise InvalidOption(f"{where}: got {text!r}, wanted {others}an option such as family.beta or criterion.C")


@attrs.frozen
class Protocol:
    """How a paper made its splits, and how it chose what it did not learn.

    Attributes:
        splits: their number in the paper.
        test: the share of the rows that is held out, or their number; 0: the machine is measured on its own rows.
        own: take the data set's own splits where it has any.
        folds: of the cross-validation that chooses from a grid.
        on: so many splits choose, each by folds of its training rows, and the median of their choices is taken for
            all; "each": each split takes its own choice.
        rows: the folds are of so many of the training rows at most, the first; None: of all.
    """

    splits: int = attrs.field(default=1, validator=within(1, float("inf"), integer=True))
    test: float = attrs.field(default=0.2, validator=_share_or_count)
    own: bool = attrs.field(default=False, validator=one_of(True, False))
    folds: int = attrs.field(default=5, validator=within(2, float("inf"), integer=True))
    on: int | Literal["each"] = attrs.field(default=5)
    rows: int | None = attrs.field(default=None, validator=optional(within(2, float("inf"), integer=True)))

    @on.validator
    def _check_on(self, field: "attrs.Attribute[Any]", value: Any) -> None:
        if value != EACH:
            within(1, float("inf"), integer=True)(self, field, value)


@attrs.frozen
class Method:
    """A column of the paper: what is learned.

    Attributes:
        name: as the paper calls it.
        family, criterion, solver, scale, tol, max_steps: as `kernelopt.solve` takes them; of the first two a value such
            as "100 n" is computed from the number n of training rows. A criterion may also be one of `PROGRAMS`.
        grid: values to choose from in rising order, by options such as family.beta: numbers, or texts such as "3 / n".
    """

    name: str = attrs.field(validator=_text)
    family: Any = attrs.field()
    criterion: Any = attrs.field()
    solver: Any = attrs.field(default="auto")
    scale: Any = attrs.field(default="auto")
    tol: float = attrs.field(default=1e-3, validator=positive)
    max_steps: int | None = attrs.field(default=None)
    grid: Mapping[str, Any] = attrs.field(factory=dict)

    @grid.validator
    def _check_grid(self, _: "attrs.Attribute[Any]", value: Mapping[str, Any]) -> None:
        for path, values in value.items():
            _option_path(path, "grid")
            if not isinstance(values, list) or not values or not all(map(_number_or_text, values)):
                raise InvalidOption(
                    f'grid: {path} is {values!r}, wanted a list of numbers, or of texts such as "3 / n"'
                )


@attrs.frozen
class Axis:
    """What the rows of a figure's points differ in.

    Attributes:
        option: "rows", the number of training rows; "max_steps"; or an option such as family.degree.
        title: above its column.
        values: of the option, one for each point: numbers, or texts such as "10 n".
        average: whether all places are one line: the mean over the places of the means, and their deviation.
        follow: whether all places are of one run: each goes on from the answer of the place before. Else each is a run
            of its own.
    """

    option: str = attrs.field(validator=_text)
    title: str = attrs.field(validator=_text)
    values: tuple[Any, ...] = attrs.field(converter=_listed)
    average: bool = attrs.field(default=False, validator=one_of(True, False))
    follow: bool = attrs.field(default=False, validator=one_of(True, False))

    @option.validator
    def _check_option(self, _: "attrs.Attribute[Any]", value: str) -> None:
        _option_path(value, "option", AXES)

    @values.validator
    def _check_values(self, _: "attrs.Attribute[Any]", value: tuple[Any, ...]) -> None:
        if not value or not all(map(_number_or_text, value)):
            raise InvalidOption(f'values: got {value!r}, wanted numbers, or texts such as "10 n"')

    @follow.validator
    def _check_follow(self, _: "attrs.Attribute[Any]", value: bool) -> None:
        if value and (self.option != "max_steps" or list(self.values) != sorted(set(self.values))):
            raise InvalidOption(
                f"follow: got {self.option} = {list(self.values)}, wanted max_steps with rising values; a run can only "
                "be followed along its steps"
            )


@attrs.frozen
class Rows:
    """A row of the paper: the data.

    Attributes:
        name: as the paper calls it.
        data: the data set's name, as `kernelopt.datasets` takes it, or "made:spiral-20"; None: there is none, see
            reason.
        reason: why there is no data, in a sentence.
        plus, minus: the labels that become the two classes; rows with other labels are left out.
        above: two classes of numbers: those above this one, and the others; "median": above their median.
        predicts: the column, from 0, that is predicted in the place of the data set's target, which becomes the last
            column; None: the target is predicted.
        target: "unit" brings numbers to [0, 1].
        first: from so many training rows of a split is learned at most.
        train: the number of training rows of a split that is drawn; None: all that are not held out.
        test: in the place of the protocol's.
        methods: those of the table that the paper tried here; none: all.
        paper: what the paper prints.
    """

    name: str = attrs.field(validator=_text)
    data: str | None = attrs.field(default=None)
    reason: str | None = attrs.field(default=None)
    plus: tuple[Any, ...] = attrs.field(default=(), converter=_listed)
    minus: tuple[Any, ...] = attrs.field(default=(), converter=_listed)
    above: float | Literal["median"] | None = attrs.field(default=None)
    predicts: int | None = attrs.field(default=None, validator=optional(within(0, float("inf"), integer=True)))
    target: Literal["unit"] | None = attrs.field(default=None, validator=one_of("unit", None))
    first: int | None = attrs.field(default=None)
    train: int | None = attrs.field(default=None)
    test: float | None = attrs.field(default=None)
    methods: tuple[str, ...] = attrs.field(default=(), converter=_listed)
    paper: Numbers = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if (self.data is None) is (self.reason is None):
            raise InvalidOption(
                f"{self.name}: wanted either data, the name of a data set, or reason, why there is none"
            )
        if bool(self.plus) is not bool(self.minus):
            raise InvalidOption(f"{self.name}: plus and minus belong together, and each wants a list of labels")


@attrs.frozen
class Table:
    """A table or a figure of a paper.

    Attributes:
        key: what the command calls it, such as "003-3".
        title: what the paper calls it, and what it shows.
        source: the paper, and where in it the numbers stand.
        reading: how a misprint or a gap of the paper is read, and what differs from the paper.
        show: the quantities that are shown, names of `QUANTITIES`.
        protocol: the splits.
        methods: what is learned.
        sets: from what.
        axis: of a figure.
    """

    key: str
    title: str = attrs.field(validator=_text)
    source: str = attrs.field(validator=_text)
    reading: str = attrs.field(validator=_text)
    show: tuple[str, ...] = attrs.field(converter=_listed)
    protocol: Protocol
    methods: tuple[Method, ...]
    sets: tuple[Rows, ...]
    axis: Axis | None = None

    def __attrs_post_init__(self) -> None:
        for quantity in self.show:
            if quantity not in QUANTITIES:
                raise InvalidOption(f"show: {quantity!r} is no quantity; there are {', '.join(QUANTITIES)}")
        if not self.show or not self.sets:
            raise InvalidOption("show and sets: wanted at least one of each")
        known = {method.name for method in self.methods}
        for rows in self.sets:
            for name in {*rows.methods, *rows.paper} - known:
                raise InvalidOption(f"{rows.name}: {name!r} is no method of the table; there are {', '.join(known)}")

    @property
    def places(self) -> tuple[Any, ...]:
        """The values of the axis; None alone where there is no axis."""
        return (None,) if self.axis is None else self.axis.values

    @property
    def averaged(self) -> bool:
        """Whether all places of the axis are one line."""
        return self.axis is not None and self.axis.average

    @property
    def followed(self) -> bool:
        """Whether all places of the axis are of one run."""
        return self.axis is not None and self.axis.follow

    @property
    def quality(self) -> str | None:
        """What an RBF SVM is measured by: the first of these that is shown."""
        return next((one for one in self.show if one in QUALITIES and one != "training error"), None)

    def tried_on(self, rows: Rows) -> tuple[Method, ...]:
        """The methods that the paper tried on these rows."""
        return tuple(one for one in self.methods if not rows.methods or one.name in rows.methods)
