"""An error that a plugin did not mean to raise says whose it is; what is raised on purpose passes as it is."""

import sys
from types import FunctionType

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._base._interrupts import Terminated
from kernelopt._plugins._blame import blamed
from kernelopt.plugin import BrokenPlugin, InvalidData
from kernelopt.testing import Affine, two_classes

X, Y = two_classes(np.random.default_rng(0), 20, 2)
PLACES = ("prepare", "bind", "gram", "best_atoms", "diag", "adjoint", "center")


class Panic(BaseException):
    """What an extension in another language may raise."""


def broken(place, error):
    """A family with a mistake in one of its methods."""

    def raising(self, *_, **__):
        raise error

    raising.__code__ = raising.__code__.replace(co_name=place)  # as if it were written in the class
    words = {"name": "broken", "prepare": lambda self, X, _: attrs.evolve(self, width=X.shape[1]), place: raising}
    cls = type("Broken", (Affine,), words | {"__module__": "their_module"})
    return attrs.frozen(cls)()


def solve(family, **options):
    return kernelopt.solve(X, Y[:, 0], family=family, **{"criterion": "svc", "solver": "ipm"} | options)


@pytest.mark.parametrize("place", PLACES)
def test_the_note_names_the_method_and_the_family(place):
    with pytest.raises(ZeroDivisionError, match="no luck") as caught:
        solve(broken(place, ZeroDivisionError("no luck")))
    (note,) = caught.value.__notes__
    assert note.startswith(f"raised in {place} of the family 'broken', the class ")
    assert note.endswith("of their_module")


@pytest.mark.parametrize("place", PLACES)
def test_what_is_raised_on_purpose_passes_unchanged(place):
    error = InvalidData("these rows are too short")
    with pytest.raises(InvalidData) as caught:
        solve(broken(place, error))
    assert caught.value is error
    assert not hasattr(error, "__notes__")


@pytest.mark.parametrize("error", [Panic("on nothing"), SystemExit(3)])
def test_what_would_end_the_process_is_a_broken_plugin(error):
    with pytest.raises(BrokenPlugin, match=r"raised in gram of the family 'broken', .*: it ended with ") as caught:
        solve(broken("gram", error))
    assert caught.value.__cause__ is error


def test_who_ends_the_process_is_nobody_s_plugin():
    """SIGTERM comes at any place, also in a method of a plugin."""
    with pytest.raises(Terminated):
        solve(broken("gram", Terminated()))


def failing(self, *_, **__):
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("place", "method", "who"),
    [
        ("kernelopt._families.dictionary._dictionary.Dictionary", "bind", "family 'dictionary', of the plugin core ("),
        ("kernelopt._criteria._svc.SVC", "primal", "criterion 'svc', of the plugin core ("),
        ("kernelopt_fw._fully_corrective.FrankWolfe", "init", "solver 'fw', of the plugin "),
    ],
)
def test_a_plugin_is_named_with_where_it_comes_from(monkeypatch, place, method, who):
    called = FunctionType(failing.__code__.replace(co_name=method), failing.__globals__)
    monkeypatch.setattr(f"{place}.{method}", called)
    with pytest.raises(ZeroDivisionError) as caught:
        solve(kernelopt.fixed("rbf"), solver="fw")
    (note,) = caught.value.__notes__
    assert f"raised in {method} of the {who}" in note


def test_a_callback_is_nobody_s_plugin():
    with pytest.raises(ZeroDivisionError) as caught:
        solve(kernelopt.fixed("rbf"), callback=failing)
    assert not hasattr(caught.value, "__notes__")
    with pytest.raises(SystemExit):
        solve(kernelopt.fixed("rbf"), callback=lambda _: sys.exit(0))


def test_a_note_is_taken_once():
    family = broken("bind", ZeroDivisionError())
    with pytest.raises(ZeroDivisionError) as caught, blamed(), blamed():
        family.bind(X)
    assert len(caught.value.__notes__) == 1


def test_certify_says_it_too():
    mixture = kernelopt.Mixture((kernelopt.Part(np.zeros((1, 3)), np.ones(1)),))
    with pytest.raises(ZeroDivisionError) as caught:
        kernelopt.certify(X, Y[:, 0], family=broken("bind", ZeroDivisionError()), criterion="svc", mixture=mixture)
    assert "bind of the family 'broken'" in caught.value.__notes__[0]


def test_the_table_of_what_works_says_it_too():
    with pytest.raises(ZeroDivisionError) as caught:
        kernelopt.compatibility([broken("prepare", ZeroDivisionError())], ["ipm"], ["svc"])
    assert "prepare of the family 'broken'" in caught.value.__notes__[0]
