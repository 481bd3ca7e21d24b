"""The laws of a suite one by one, outside of pytest: what each says, and whether it holds."""

import inspect
import warnings
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal

import attrs

from kernelopt.testing._laws import LawBroken
from kernelopt.testing._skip import failures, skips

Outcome = Literal["passed", "failed", "skipped"]
_TEST = "test_"


@attrs.frozen
class Verdict:
    """What came out of a law.

    Attributes:
        test: the name of its method, such as "test_gram_is_symmetric".
        sentence: what the law says.
        outcome: whether it holds, or does not apply.
        law: the name under which it is broken, such as "gram-symmetric"; that of the method where another exception
            ended it; none where it is not broken.
        detail: what was got and what was wanted, or why the law does not apply.
    """

    test: str
    sentence: str
    outcome: Outcome
    law: str = ""
    detail: str = ""

    @property
    def title(self) -> str:
        """The name of the method in words."""
        return self.test.removeprefix(_TEST).replace("_", " ")


def laws_of(suite: type) -> dict[str, str]:
    """The laws of a suite by the names of their methods, each with its sentence, in the order of their files."""
    names = [name for cls in suite.__mro__ for name in vars(cls) if name.startswith(_TEST)]
    return {name: (inspect.getdoc(getattr(suite, name)) or "").partition("\n")[0] for name in names}


def verdicts(suite: object, tests: Iterable[str] | None = None) -> Iterator[Verdict]:
    """The laws of a suite, each judged when it is asked for.

    Args:
        suite: an instance of a subclass of `FamilySuite`, `CriterionSuite`, `SolverSuite` or `ConcaveSolverSuite`.
        tests: names of methods as in `laws_of`, to judge only these and in this order; all where None.
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
        return "failed", test, f"{type(error).__name__}: {error}"
    return "passed", "", ""


def broken_laws(suite: object) -> Mapping[str, str]:
    """Run every law of a suite, outside of pytest; what does not apply is left out.

    Args:
        suite: an instance of a subclass of `FamilySuite`, `CriterionSuite`, `SolverSuite` or `ConcaveSolverSuite`.

    Returns:
        For each broken law the first of its messages. A test that ends with another exception counts under its own
        name.
    """
    broken: dict[str, str] = {}
    for one in verdicts(suite):
        if one.outcome == "failed":
            broken.setdefault(one.law, one.detail)
    return MappingProxyType(broken)
