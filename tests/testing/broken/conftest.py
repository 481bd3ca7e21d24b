"""How the kit is asked about one law, and what must be its answer for a broken plugin."""

from functools import cache
from inspect import getsource, isfunction, unwrap

import pytest

from kernelopt.testing import broken_laws, laws_of, verdicts

DEEP = 3
"""How many functions stand between a test and the line that names its law, at most."""


@cache
def text(function):
    """The lines of a function: many suites inherit it."""
    return getsource(function)


@cache
def called(function, suite):
    """The functions of the kit that this one names, alone or as methods of the suite."""
    names, codes = [], [function.__code__]
    for code in codes:
        names += code.co_names
        codes += [part for part in code.co_consts if hasattr(part, "co_names")]
    found = [
        unwrap(one) for name in names for one in (function.__globals__.get(name), getattr(suite, name, None)) if one
    ]
    return [one for one in found if isfunction(one) and one.__module__.startswith("kernelopt.testing.")]


def distance(test, suite, law):
    """How many calls lead from a test to the line that names the law; more than `DEEP` where none does."""
    functions = [unwrap(getattr(suite, test))]
    for calls in range(DEEP + 1):
        if any(f'"{law}"' in text(one) for one in functions):
            return calls
        functions = [one for function in functions for one in called(function, suite)]
    return DEEP + 1


def ordered(suite, law):
    """The verdicts of a suite; the tests that name the law, or call what names it, come before the others."""
    tests = sorted(laws_of(type(suite)), key=lambda name: distance(name, type(suite), law))
    return verdicts(suite, tests)


def rejected(suite, law, words=""):
    """What the kit says of a suite that breaks this law, which are these words among others; it must break it."""
    said = next((one.detail for one in ordered(suite, law) if one.law == law), None)
    assert said is not None, f"the kit found {dict(broken_laws(suite))}"
    assert said.startswith(f"LAW {law}: ")
    assert words in said
    return said


def fails(suite, law):
    """Whether the kit finds any law broken; those that name this one are asked first."""
    return any(one.outcome == "failed" for one in ordered(suite, law))


@pytest.fixture(scope="session", name="rejected")
def _rejected():
    return rejected


@pytest.fixture(scope="session", name="fails")
def _fails():
    return fails
