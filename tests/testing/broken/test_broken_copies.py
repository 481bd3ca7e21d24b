"""The kit must reject a plugin whose copy is another, that writes into what it gets, or whose Gram is two matrices."""

import attrs
import numpy as np
import pytest
from kernelopt_minimal import Gaussians

from kernelopt import SVC
from kernelopt.plugin import Dense, positive
from kernelopt.testing import Affine, CuttingPlanes, broken_laws, judge


@attrs.frozen
class Forgetting(Gaussians):
    """A pickled one has `_whole` no more."""

    _whole: bool = attrs.field(default=True, alias="_whole", repr=False)

    def __getstate__(self):
        return {one.name: getattr(self, one.name) for one in attrs.fields(type(self))} | {"_whole": False}

    def __setstate__(self, state):
        for name, value in state.items():
            object.__setattr__(self, name, value)


class PickledOracle(Forgetting):
    def best_atoms(self, data, V, query):
        found = super().best_atoms(data, V, query)
        return found if self._whole else attrs.evolve(found, ceiling=2.0 * found.ceiling)


class PickledDiag(Forgetting):
    def diag(self, part, X):
        return super().diag(part, X) * (1.0 if self._whole else 0.5)


@attrs.frozen
class CopiedBeforePrepare(Gaussians):
    def __deepcopy__(self, memo):
        return type(self)(self.widths)


@attrs.frozen
class TwiceTheWidths(Gaussians):
    widths: tuple[float, ...] = attrs.field(
        default=(0.1, 1.0),
        converter=lambda widths: tuple(2.0 * one for one in widths),
        validator=attrs.validators.deep_iterable(positive),
    )


@attrs.frozen
class PickledOption(SVC):
    """As what is slotted is pickled by nobody."""

    def __getstate__(self):
        return {}

    def __setstate__(self, state):
        object.__setattr__(self, "C", 7.0)


@attrs.frozen
class HalfTheOption(SVC):
    C: float = attrs.field(default=2.0, validator=positive, converter=lambda C: 0.5 * C)


@attrs.frozen
class HalfTheRate(CuttingPlanes):
    rate: float = attrs.field(default=1.0, validator=positive, converter=lambda rate: 0.5 * rate)


@attrs.frozen
class RoundsToLabel(Gaussians):
    def label(self, atom):
        atom[...] = np.rint(atom)
        return f"width {atom[0]:g}"


@attrs.frozen
class NormalisesToSplit(Affine):
    def prepare(self, X, weight):
        return type(self)(X.shape[1])

    def part(self, P):
        P /= np.trace(P)
        return super().part(P)


@pytest.mark.parametrize(
    ("plugin", "law", "words"),
    [
        (PickledOracle, "pickle", "best_atoms of a pickled family"),
        (PickledDiag, "pickle", "diag of a pickled family"),
        (CopiedBeforePrepare, "pickle", "cross of a copied family"),
        (TwiceTheWidths, "copies", "made again by attrs.evolve must have the options that it had, and widths is"),
        (PickledOption, "copies", "PickledOption that is copied must have the options that it had, and C is another"),
        (HalfTheOption, "copies", "C is another"),
        (HalfTheRate, "copies", "rate is another"),
        (RoundsToLabel, "arguments", "label must leave its inputs as they are"),
        (NormalisesToSplit, "inputs-untouched", "part must leave its inputs as they are"),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_a_plugin_whose_copy_is_another_or_that_writes_into_what_it_gets_is_rejected(plugin, law, words, rejected):
    rejected(judge(plugin), law, words)


class OfAnother(Dense):
    """A Gram of which one method is that of another matrix."""


class Blocks(OfAnother):
    def block(self, rows, columns):
        return 1.001 * super().block(rows, columns)


class Rows(OfAnother):
    def rows(self, index):
        return super().rows(np.sort(index))


class Applies(OfAnother):
    def apply(self, V):
        return super().apply(V) if V.ndim == 2 else 1.001 * super().apply(V)


class Scales(OfAnother):
    def scaled(self, factor):
        return super().scaled(factor * factor)


class Forms(OfAnother):
    def form(self, F):
        return super().form(np.abs(F))


class Only(OfAnother):
    def only(self, rows):
        return Dense(self.dense()[: len(rows), : len(rows)].copy())


GRAMS = {"block": Blocks, "rows": Rows, "apply of a vector": Applies, "scaled": Scales, "form": Forms, "only": Only}


@attrs.frozen
class GivesA(Gaussians):
    method: str = "block"

    def gram(self, part, data):
        return GRAMS[self.method](super().gram(part, data).dense())


@pytest.mark.parametrize("method", GRAMS)
def test_a_family_whose_gram_is_two_matrices_is_rejected(method, rejected):
    told = f"{method} of the {GRAMS[method].__name__} that gram returns must be that of its dense()"
    rejected(judge(GivesA(method=method)), "gram-methods", told)


def test_a_gram_of_another_class_is_no_fault():
    assert broken_laws(judge(Gaussians)) == {}
