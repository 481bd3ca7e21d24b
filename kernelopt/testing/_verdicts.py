"""The laws of a suite one by one, outside of pytest: what each says, and whether it holds."""

import inspect
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Literal

import attrs

from kernelopt.testing._laws import FROZEN, LawBroken, is_frozen
from kernelopt.testing._skip import failures, skips

Outcome = Literal["passed", "failed", "skipped"]
_TEST = "test_"
_LIBRARY = Path(__file__).parents[1]


@attrs.frozen
class Verdict:
    """The result of the test of one law.

    Attributes:
        test: the name of the test method, such as "test_gram_is_symmetric".
        sentence: the law in words.
        outcome: whether the law holds, is broken, or does not apply.
        law: if the law is broken, its name, such as "gram-symmetric"; if another exception ended the test, the name of
            the test method; otherwise empty.
        detail: what was got and what was wanted, or why the law does not apply.
    """

    test: str
    sentence: str
    outcome: Outcome
    law: str = ""
    detail: str = ""

    @property
    def title(self) -> str:
        """The name of the test method in words."""
        return self.test.removeprefix(_TEST).replace("_", " ")


def laws_of(suite: type) -> dict[str, str]:
    """The laws of a suite: a mapping from the names of the test methods to sentences, in the order of their files."""
    names = [name for cls in suite.__mro__ for name in vars(cls) if name.startswith(_TEST)]
    return {name: (inspect.getdoc(getattr(suite, name)) or "").partition("\n")[0] for name in names}


def verdicts(suite: object, tests: Iterable[str] | None = None) -> Iterator[Verdict]:
    """The verdict on each law of a suite; a law is tested when its verdict is asked for.

    Args:
        suite: an instance of a subclass of `FamilySuite`, `CriterionSuite`, `SolverSuite` or `ConcaveSolverSuite`.
        tests: the names of the test methods to run, as in `laws_of`, in this order. None: all of them.
    """
    sentences = laws_of(type(suite))
    for test in sentences if tests is None else tests:
        outcome, law, detail = _judged(suite, test)
        yield Verdict(test, sentences[test], outcome, law, detail)


def _judged(suite: object, test: str) -> tuple[Outcome, str, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            getattr(suite, test)()
    except skips() as reason:
        return "skipped", "", str(reason)
    except LawBroken as error:
        return "failed", error.law, str(error)
    except failures() as error:
        return "failed", test, _told(error)
    return "passed", "", ""


def _told(error: BaseException) -> str:
    """What an exception says, and where in the plugin it was raised."""
    words = f"{type(error).__name__}: {error}"
    if is_frozen(error):
        words = f"{FROZEN}; return the value, or a new object with it, as attrs.evolve(self, name=value) does"
    if isinstance(error, Warning):
        words = f"{words}; the kit takes warnings for errors, because users would see them in their runs"
    place = _place(error.__traceback__)
    return f"{words} ({place})" if place else words


def _place(trace: TracebackType | None) -> str:
    """The line that was reached in the first file that is not of kernelopt: that of the plugin; else nothing."""
    frames = [one for one in traceback.extract_tb(trace) if not Path(one.filename).is_relative_to(_LIBRARY)]
    inside = [one for one in frames if one.filename == frames[0].filename]
    return f"{Path(inside[-1].filename).name}, line {inside[-1].lineno}, in {inside[-1].name}" if inside else ""


def broken_laws(suite: object) -> Mapping[str, str]:
    """Run every law of a suite without pytest, and return the messages of the broken laws.

    Laws that do not apply are left out.

    Args:
        suite: an instance of a subclass of `FamilySuite`, `CriterionSuite`, `SolverSuite` or `ConcaveSolverSuite`.

    Returns:
        a mapping from each broken law to the first of its messages. A test that ends with another exception counts
        under the name of the test.
    """
    broken: dict[str, str] = {}
    for one in verdicts(suite):
        if one.outcome == "failed":
            broken.setdefault(one.law, one.detail)
    return MappingProxyType(broken)
