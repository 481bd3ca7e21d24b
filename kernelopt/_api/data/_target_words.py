"""Targets that are words: refused where numbers are wanted, or where most of them are numbers and some are not."""

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from kernelopt._base._errors import InvalidData
from kernelopt._base._shown import shown
from kernelopt._base.tables._date_words import dates_mostly, days_since_first, first_date
from kernelopt._base.tables._input import as_array, check_target
from kernelopt._base.tables._number_words import Numerals, first_other, is_number, numerals
from kernelopt._criteria._contract import Criterion
from kernelopt._plugins._registry import resolve

Find = Callable[[str], tuple[str, str] | None]
"""Finds the first target that is no number, nor one with this unit, and says where it stands; None if there is none."""

_CLASSES = "if y holds classes, take the criterion evidence with targets=labels"


def refuse_words(spec: Any, y: Any, find: Find | None = None) -> None:
    """Refuse targets that are words where the criterion takes numbers, or would take these as numbers if all were.

    Args:
        spec: of the criterion, or None.
        y: the targets, all different ones, or some; None: there are none.
        find: how to find one; None: y has all, in the order of the rows.

    Raises:
        InvalidData: they are such words.
    """
    if y is None:
        return
    labels = check_target(y)
    if labels.dtype.kind not in "US":
        return
    words = [str(word) for word in labels.ravel().tolist()]
    look = found_in(words, _row) if find is None else find
    criterion = named(spec)
    if criterion is None:
        _refuse_dates(dict.fromkeys(words))
        _refuse_numerals(numerals(words), look)
    elif criterion.task == "regression":
        raise no_numbers(criterion.name, words[0], look)


def refuse_no_numbers(name: str, y: Any) -> None:
    """Refuse targets that are words where numbers are wanted, unless each word is a number that numpy can read.

    Args:
        name: of what wants numbers.
        y: the targets, shape (n,) or (n, c).

    Raises:
        InvalidData: there is such a word.
    """
    labels = check_target(y) if as_array(y, "y").dtype.kind in "OUST" else np.empty(0)
    words = [str(word) for word in labels.ravel().tolist()] if labels.dtype.kind in "US" else []
    if not all(map(is_number, words)):
        example = next(word for word in words if not is_number(word))
        raise no_numbers(name, example, found_in(words, _row), "learn classes with KernelClassifier")


def padded(classes: npt.NDArray[Any] | None) -> tuple[str, ...]:
    """A note on classes of which two are one word, once with blanks around it, as databases pad words, or in other
    letters, as people type them; else none.
    """
    if classes is None or classes.dtype.kind not in "US":
        return ()
    first: dict[Any, Any] = {}
    for word in classes.tolist():
        other = first.setdefault(word.strip().lower(), word)
        if other != word:
            blanks = other.strip() == word.strip()
            how, advice = (
                ("blanks around them", "take the blanks off")
                if blanks
                else ("small and capital letters, or in blanks", "write them in one way")
            )
            step = "y.str.strip()" if blanks else "y.str.strip().str.lower()"
            note = (
                f"y: the classes {shown(other)} and {shown(word)} differ only in {how}, and count as two; if they are "
                f"one class, {advice}, such as with {step}"
            )
            return (note,)
    return ()


def named(spec: Any) -> Criterion | None:
    """The criterion of a spec, where that says whether classes or numbers are learned; None where y says it."""
    criterion: Criterion | None = None if spec is None else resolve("criterion", spec)
    return None if criterion is None or criterion.suited(True) is not criterion.suited(False) else criterion


def found_in(y: Any, place: Callable[[int], str]) -> Find:
    """How to find a word among all targets, of which somebody knows where each stands."""
    words = [str(word) for word in np.ravel(y).tolist()]

    def find(unit: str) -> tuple[str, str] | None:
        found = first_other(words, unit)
        return None if found is None else (found[1], place(found[0]))

    return find


def no_numbers(name: str, example: str, find: Find, other: str = "take a criterion for classes") -> InvalidData:
    """That something takes numbers, and targets are words: the first of them that is no number, else an example; and
    what else to do where the words are classes.
    """
    found = find("")
    if found is None:
        return InvalidData(
            f"y holds numbers written as text, such as {shown(example)}, wanted numbers for {name}; convert them, "
            f"for example with {_conversion([example])}"
        )
    return InvalidData(
        f"y holds {called(found)}, wanted numbers for {name}; make a number of it, or drop the row, or {other}"
    )


def _refuse_numerals(found: Numerals | None, find: Find) -> None:
    """Refuse words most of which are numbers that would be learned as such.

    Raises:
        InvalidData: they are.
    """
    if found is None or not found.measured:
        return
    number = next((word for word in found.numbers), "")
    other = find(found.unit)
    if other is not None:
        raise InvalidData(
            f"y holds {called(other)} among numbers such as {shown(number)}; make a number of it, or drop the row, and "
            f"so with all other values that are no numbers; {_CLASSES}"
        )
    if found.unit:
        raise InvalidData(
            f"y holds numbers with {found.unit!r}, such as {shown(number)}, which would be classes; write the numbers "
            f"alone, for example with {_conversion(found.numbers)}; {_CLASSES}"
        )
    if found.fractional:
        raise InvalidData(
            f"y holds numbers written as text, such as {shown(number)}, each of which would be a class; convert them, "
            f"for example with {_conversion(found.numbers)}; {_CLASSES}"
        )


def _conversion(words: Iterable[str]) -> str:
    """The code that makes numbers of words that are numbers."""
    found = numerals(words)
    return "numpy.asarray(y, dtype=float)" if found is None else found.conversion("pandas.Series(y)")


def _refuse_dates(words: Collection[str]) -> None:
    """Refuse different words if most of them are dates; two values are classes, whatever they are.

    Raises:
        InvalidData: they are.
    """
    if len(words) > 2 and dates_mostly(words):
        date = first_date(words)
        raise InvalidData(
            f"y holds dates written as text, such as {shown(date)}, each of which would be a class; make numbers of "
            f"them, such as {days_since_first(date)}; {_CLASSES}"
        )


def called(found: tuple[str, str]) -> str:
    """A target, and where it stands."""
    word, place = found
    return f"{shown(word)} ({place})" if place else shown(word)


def _row(row: int) -> str:
    return f"row {row}, counted from 0"
