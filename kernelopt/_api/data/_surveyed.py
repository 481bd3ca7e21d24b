"""Rows that are read in blocks, at the door: a first look at all of them, and some of them in memory."""

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._api._progress import Told, untold
from kernelopt._api.data._class_checks import check_classes
from kernelopt._api.data._class_weights import class_factors, weighs_odds
from kernelopt._api.data._column_notes import dropped_columns, dropped_rows, refuse_constant, refuse_few
from kernelopt._api.data._target_words import called, refuse_words
from kernelopt._api.data._training import Training
from kernelopt._base._errors import InvalidData
from kernelopt._base._target_sizes import sized
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._number_words import numerals
from kernelopt._base.tables._reading_notes import notes_on, notes_on_words
from kernelopt._criteria._contract import Criterion
from kernelopt._evidence._counting import Meaning, factor_of
from kernelopt._families.features._landmark_lists import MANY, WHOLE
from kernelopt._rows._coded import Coding, ReadRows
from kernelopt._rows._contract import Given, RowBlocks
from kernelopt._rows._survey import Survey, Surveying
from kernelopt._rows._target_words import first_word


@attrs.frozen(eq=False)
class Surveyed:
    """Rows that were looked at once.

    Attributes:
        blocks: where they are.
        survey: what all of them have.
    """

    blocks: RowBlocks
    survey: Survey

    @classmethod
    def of(cls, blocks: RowBlocks, seed: int, told: Told = untold) -> "Surveyed":
        """In one pass, of which somebody is told how far it has come; in two, where only some of the rows show in which
        order their dates are written.
        """

        def heard(share: float) -> None:
            told(f"a first look at all rows, {share:.0%}", 0.0)

        survey = blocks.total(Surveying(seed, WHOLE), heard)[0]
        return cls(blocks, blocks.total(Surveying(seed, WHOLE, survey.ordered), heard)[0] if survey.ordered else survey)

    @property
    def few(self) -> bool:
        """Whether they are few enough for memory, and to be treated as any others."""
        return self.survey.n + self.survey.dropped <= MANY

    @property
    def telling(self) -> npt.NDArray[Any]:
        """Targets that tell what kind all are: all values of classes, else those of some rows."""
        distinct, targets = self.survey.targets.distinct(), self.survey.chosen.rows.targets
        return distinct if distinct is not None and len(distinct) < len(targets) else targets

    def refuse_words(self, criterion: Any) -> None:
        """Refuse targets that are words where the criterion that is named, or None, takes numbers.

        Raises:
            InvalidData: they are, or they are words among numbers.
        """
        if self.survey.targets.kind == "w":
            refuse_words(criterion, self.telling, partial(first_word, self.blocks))

    def whole(self) -> Given:
        """All rows, as they were given.

        Raises:
            NotEnoughMemory: they do not fit.
        """
        return self.blocks.whole()

    def training(self, criterion: Criterion, class_weight: Any) -> tuple[Training, Coding]:
        """Some of the rows, with what is known of all, and how all are encoded.

        Raises:
            InvalidData, InvalidOption: as in `admit`.
        """
        survey = self.survey
        if criterion.task == "novelty":
            raise InvalidData(
                f"{criterion.name} cannot learn from rows in blocks; pass the rows as an array or a table in memory"
            )
        refuse_few(survey.n, survey.dropped)
        classes, counts = _classes(survey, criterion, self._rare)
        factors = class_factors(class_weight, criterion, classes, counts)
        of_odds = factors is not None and weighs_odds(criterion)
        coding = Coding(survey.encoding, classes, np.zeros(_outputs(survey, classes)), None if of_odds else factors)
        deviation = survey.targets.deviations if classes is None else None
        coding = attrs.evolve(coding, level=_level(survey, criterion, coding), deviation=deviation)
        block, chosen = coding.block(survey.chosen.rows), survey.chosen.rows
        told = () if survey.varying.any() else notes_on_words(survey.encoding, chosen.table)
        refuse_constant(int(survey.varying.sum()), survey.encoding.width, told)
        total = np.repeat(block.weight[:, None], block.y.shape[1], axis=1)
        alone, crowded = survey.singular & ~survey.crowded, survey.crowded
        constant = ~survey.varying & ~survey.singular
        training = Training(
            block.X,
            coding.level,
            block.y + coding.level,
            total,
            chosen.weight,
            np.arange(len(block)),
            np.flatnonzero(survey.varying),
            classes,
            survey.names,
            survey.encoding,
            (
                f"data: {survey.n} rows of {self.blocks.source} were read in blocks",
                *dropped_rows(survey.dropped),
                *dropped_columns(chosen.table, survey.encoding.width, constant, alone, crowded),
                *notes_on(survey.encoding, chosen.table, survey.gaps, left_out=np.flatnonzero(survey.singular)),
            ),
            class_weights=factors if of_odds else None,
            about_mean=classes is None and criterion.levelled,
        )
        return training, coding

    def _rare(self) -> str:
        """What to do about targets that are too many for classes."""
        if self.survey.targets.kind != "w":
            return "take a criterion for numbers"
        mostly = numerals(str(word) for word in self.telling.tolist())
        found = None if mostly is None else first_word(self.blocks, mostly.unit)
        if found is None:
            return "make one class of all that are rare"
        return (
            f"most are numbers, and {called(found)} is none: make a number of it, or drop the row, and take a "
            "criterion for numbers; or make one class of all that are rare"
        )

    def rows(self, coding: Coding, meaning: Meaning) -> ReadRows:
        """All rows, each as often as it counts."""
        times = factor_of(self.survey.n, _total(self.survey, coding), meaning)
        return ReadRows(self.blocks, attrs.evolve(coding, times=times), self.survey.n)


def _classes(
    survey: Survey, criterion: Criterion, rare: Callable[[], str]
) -> tuple[npt.NDArray[Any] | None, FloatArray]:
    """The classes, ascending, and the weight of each; None and nothing for numbers.

    Args:
        survey: of all rows.
        criterion: what is learned.
        rare: says what to do where there are too many.

    Raises:
        InvalidData: the targets are none for this criterion.
    """
    targets = survey.targets
    if criterion.task != "classification":
        sized(targets.largest)
        return None, np.zeros(0)
    classes = targets.distinct()
    if classes is None or targets.values is None:
        raise InvalidData(f"y has more than 1000 different values, wanted classes for {criterion.name}; {rare()}")
    check_classes(classes, criterion.name)
    return classes, np.array(list(targets.values.values()))


def _outputs(survey: Survey, classes: npt.NDArray[Any] | None) -> int:
    if classes is None:
        return survey.targets.width or 1
    return 1 if len(classes) == 2 else len(classes)


def _level(survey: Survey, criterion: Criterion, coding: Coding) -> FloatArray:
    """What is taken out of encoded targets, shape (c,)."""
    if not criterion.levelled:
        return np.zeros(len(coding.level))
    if coding.classes is None:
        return survey.targets.means
    shares = _weights(survey, coding)
    shares = shares / shares.sum()
    return np.array([shares[1] - shares[0]]) if len(shares) == 2 else 2.0 * shares - 1.0


def _weights(survey: Survey, coding: Coding) -> FloatArray:
    """The weight of each class, its own factor in it."""
    assert survey.targets.values is not None
    plain_ = np.array(list(survey.targets.values.values()))
    return plain_ if coding.factors is None else plain_ * coding.factors


def _total(survey: Survey, coding: Coding) -> float:
    """The weight of all rows."""
    return survey.weight if coding.factors is None else float(_weights(survey, coding).sum())
