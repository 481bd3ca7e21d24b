"""A list of atoms whose Grams are held in one array, one after the other."""

from abc import abstractmethod

import numpy as np

from kernelopt._base._typing import Data, FloatArray
from kernelopt._families._finite import StoredFamily
from kernelopt._families._mixture import Part
from kernelopt._linalg._gram import Dense, Gram
from kernelopt._linalg._stacked_grams import forms, images, traces, weighted_sum


def numbered(part: Part) -> list[tuple[int, float]]:
    """(atom's number, weight) of the atoms with weight."""
    return [(int(a), float(w)) for a, w in zip(part.atoms[:, 0], part.weights, strict=True) if w != 0.0]


class StackedList(StoredFamily):
    """A list whose atoms are their own numbers, and whose `bind` returns an array of shape (m, n, n)."""

    @property
    @abstractmethod
    def many(self) -> int:
        """The number m of atoms, which is known after `prepare`."""

    def dictionary(self) -> Part:
        m = self.many
        return Part(np.arange(m, dtype=float)[:, None], np.full(m, 1.0 / m))

    def gram(self, part: Part, data: Data) -> Gram:
        used = part.weights != 0.0
        if used.sum() == 1:
            return Dense(data[int(part.atoms[used, 0][0])] * part.weights[used][0])
        return Dense(weighted_sum(data, part.atoms[used, 0].astype(int), part.weights[used]))

    def stored(self, data: Data, atom: FloatArray) -> FloatArray:
        gram: FloatArray = data[int(atom[0])]
        return gram

    def apply(self, part: Part, data: Data, V: FloatArray) -> FloatArray:
        product = np.zeros_like(V)
        for a, weight in numbered(part):
            product += weight * Dense(data[a]).apply(V)
        return product

    def columns_of(self, data: Data, V: FloatArray) -> FloatArray:
        return images(data, V)

    def values_of(self, data: Data, V: FloatArray) -> FloatArray:
        return forms(data, V)

    def traces(self, data: Data, omega: Gram) -> FloatArray:
        return traces(data, omega)
