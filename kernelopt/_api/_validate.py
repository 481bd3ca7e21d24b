"""The first step of a solve: what a user passes becomes checked values, or one clear error."""

import math
import time
from typing import Any

import attrs

from kernelopt._api._by_view import laid_out
from kernelopt._api._criterion_choice import suggested
from kernelopt._api._progress import Told, untold
from kernelopt._api._scale import Scale, check_scale
from kernelopt._api._sparse_in_time import Given
from kernelopt._api.data._blocks import in_blocks
from kernelopt._api.data._groups import GROUPS_IN_MEMORY, repeated, shared
from kernelopt._api.data._surveyed import Surveyed
from kernelopt._api.data._training import Training, admit
from kernelopt._base._copies import whole_numbers
from kernelopt._base._errors import InvalidData, InvalidOption
from kernelopt._base._options import plain
from kernelopt._base._working_time import working
from kernelopt._base.tables._row_labels import warn_of_other_order
from kernelopt._criteria._contract import Criterion
from kernelopt._device._arrays import Arrays, opened
from kernelopt._evidence._counting import meaning_of
from kernelopt._evidence._criterion import Evidence
from kernelopt._io._bundled import bundled
from kernelopt._rows._coded import ReadRows
from kernelopt._saddle._objective import Objective
from kernelopt._saddle._saddle_objective import objective_of


@attrs.frozen
class Settings:
    """The numbers of a solve, as `solve` documents them.

    Attributes:
        tol, atol: the relative and the absolute gap to reach.
        scale: what is 1 for each family on the training rows.
        max_steps, max_seconds: the limits of the run, or None.
        seed: of everything random.
        device: where rows are summed up; None for numpy.

    Raises:
        InvalidOption: a number is out of its range, or the device is not there.
        MissingLibrary: the device needs a library that is not installed.
    """

    tol: float = attrs.field(default=1e-3, converter=plain)
    atol: float | None = attrs.field(default=None, converter=plain)
    scale: Scale = attrs.field(default="auto", converter=check_scale)
    max_steps: int | None = attrs.field(default=None, converter=plain)
    max_seconds: float | None = attrs.field(default=None, converter=plain)
    seed: int = attrs.field(default=0, converter=plain)
    device: Arrays | None = attrs.field(default=None, converter=opened)

    @tol.validator
    def _check_tol(self, _: Any, tol: Any) -> None:
        if not (_number(tol) and 0.0 < tol < 1.0):
            raise InvalidOption(f"tol must be a number between 0 and 1, got {tol!r}; 1e-3 is usual")

    @atol.validator
    def _check_atol(self, _: Any, atol: Any) -> None:
        if atol is not None and not (_number(atol) and atol >= 0.0):
            raise InvalidOption(f"atol must be None or a number >= 0, got {atol!r}")

    @max_steps.validator
    def _check_max_steps(self, _: Any, max_steps: Any) -> None:
        if max_steps is not None and not (_whole(max_steps) and max_steps >= 0):
            raise InvalidOption(f"max_steps must be None or an integer >= 0, got {max_steps!r}")

    @max_seconds.validator
    def _check_max_seconds(self, _: Any, max_seconds: Any) -> None:
        if max_seconds is not None and not (_number(max_seconds) and max_seconds > 0.0):
            raise InvalidOption(f"max_seconds must be None or a positive number, got {max_seconds!r}")

    @seed.validator
    def _check_seed(self, _: Any, seed: Any) -> None:
        if not (_whole(seed) and seed >= 0):
            raise InvalidOption(f"seed must be an integer >= 0, got {seed!r}")


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)


@attrs.frozen(eq=False)
class Request:
    """What is asked for, checked.

    Attributes:
        training: the rows, the encoded targets and the weights.
        criterion: what is learned, the user's, the default or the one that y suggests.
        settings: the numbers.
        began: when the run began, on `time.monotonic()`'s clock.
        since: the same on the clock of `working`, which stands still while numba compiles.
        notes: what the user should know of the data and the criterion.
        reserve: the seconds of the time limit that are kept for the last look at both bounds.
        again: the seconds after the time limit that are for learning once more, with noise of Student's t.
        rows: all rows, where `training` has but some of them; None where it has all.
    """

    training: Training
    criterion: Criterion
    settings: Settings
    began: float
    notes: tuple[str, ...]
    reserve: float = 0.0
    again: float = 0.0
    rows: ReadRows | None = None
    since: float = attrs.field(factory=working)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.training.X) if self.rows is None else self.rows.n

    @property
    def objective(self) -> Objective:
        """What is minimised over kernels."""
        return objective_of(self.criterion)

    @property
    def deadline(self) -> float | None:
        """When the run must end, on the same clock, or None."""
        return None if self.settings.max_seconds is None else self.began + self.settings.max_seconds


def validated(
    X: Any,
    y: Any,
    family: Any,
    criterion: Any,
    sample_weight: Any,
    class_weight: Any,
    settings: Settings,
    told: Told = untold,
    client: Any = None,
    groups: Any = None,
) -> Request:
    """What can be known to be wrong before a family and a solver are looked at is refused here.

    Of the family only matters whether one is named. Somebody is told how far a first look at rows in blocks has come.

    Raises:
        InvalidData, InvalidOption, UnknownName, BrokenPlugin, MissingLibrary: as in `solve`.
    """
    began, since = time.monotonic(), working()
    X, y, source = _given_or_bundled(X, y)
    warn_of_other_order(X, y=y, sample_weight=sample_weight, groups=groups)
    if groups is not None and in_blocks(X, y, sample_weight, client) is not None:
        raise InvalidOption(GROUPS_IN_MEMORY)
    given = Given(X, y, sample_weight, groups).in_time(family, settings.max_seconds, settings.seed)
    y, sample_weight, groups, source = given.y, given.sample_weight, given.groups, (*source, *given.notes)
    X, layout = laid_out(given.X, family, groups)
    blocks = in_blocks(X, y, sample_weight, client)
    if blocks is not None:
        surveyed = Surveyed.of(blocks, settings.seed, told)
        surveyed.refuse_words(criterion)
        if not surveyed.few:
            return _of_blocks(surveyed, family, criterion, class_weight, settings, began, since)
        X, y, sample_weight = surveyed.whole().parts
        source = (*source, *blocks.notes)
    suited, why = suggested(family, criterion, y, sample_weight)
    training = admit(X, y, suited, sample_weight, class_weight, layout)
    weight = training.weight[:, 0]
    if isinstance(suited, Evidence):
        suited = suited.weighed(len(weight), float(weight.sum()), whole_numbers(weight))
    effects = repeated(suited, training) if groups is None else shared(suited, training)
    return Request(training, suited, settings, began, (*source, *training.notes, *why, *effects), since=since)


def _of_blocks(
    surveyed: Surveyed, family: Any, criterion: Any, class_weight: Any, settings: Settings, began: float, since: float
) -> Request:
    """Of rows that are read in blocks: with some of them in memory, and with all of them where it takes all."""
    suited, why = suggested(family, criterion, surveyed.telling)
    if not isinstance(suited, Evidence):
        table, y, weight = surveyed.whole().parts
        training = admit(table, y, suited, weight, class_weight)
        note = f"data: {suited.name} learns from rows in memory, so all {len(training.X)} rows were read into memory"
        return Request(
            training, suited, settings, began, (note, *surveyed.blocks.notes, *training.notes, *why), since=since
        )
    survey = surveyed.survey
    suited = suited.weighed(survey.n, survey.weight, survey.whole)
    training, coding = surveyed.training(suited, class_weight)
    rows = surveyed.rows(coding, meaning_of(suited.weights, survey.whole))
    notes = (*training.notes, *surveyed.blocks.notes, *why)
    return Request(training, suited, settings, began, notes, rows=rows, since=since)


def _given_or_bundled(X: Any, y: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """The data, or scikit-learn's breast cancer set where neither X nor y is given."""
    if X is not None:
        return X, y, ()
    if y is not None:
        raise InvalidData("y is given without X; pass both, or neither to solve the bundled data")
    data = bundled()
    return data.table, data.y, (f"data: {data.title}, as no X and y were given",)


def unused(request: Request) -> tuple[str, ...]:
    """A note where a device is asked for, and nothing is summed up on it."""
    device = request.settings.device
    if device is None:
        return ()
    least = request.criterion if isinstance(request.criterion, Evidence) else Evidence()
    note = (
        f"device: {device.name} was not used: only the evidence uses a device, where it sums up more than "
        f"{least.at_once} rows, and this run is {request.criterion.name} on {request.n} rows"
    )
    return (note,)
