"""Basis "xz" of any degree: one pass over the pairs for each total exponent kappa = gamma + gamma' of z."""

from collections.abc import Iterator
from functools import cached_property

import attrs
import numpy as np

from kernelopt.plugin import FloatArray, IntArray
from kernelopt_tk._bound_rows import Rows, blocks
from kernelopt_tk._integrals import Integrals, power_means


@attrs.frozen(eq=False)
class Total:
    """The pairs (gamma, gamma') with one sum kappa.

    Attributes:
        kappa: shape (d,).
        pairs: rows of `z_powers`, two each.
        low: the monomials x^delta that meet a gamma of these pairs, shape (l,).
    """

    kappa: IntArray
    pairs: tuple[tuple[int, int], ...]
    low: IntArray


@attrs.frozen(eq=False, slots=False)
class GeneralIntegrals(Integrals):
    """I(l; M) = sum_kappa mean of z^kappa times sum over gamma + gamma' = kappa of M_ij x^delta_i y^delta_j."""

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """Every kappa once."""
        basis = self.basis
        groups: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for first, a in enumerate(basis.z_powers):
            for second, b in enumerate(basis.z_powers):
                groups.setdefault(tuple((a + b).tolist()), []).append((first, second))
        return tuple(
            # A gamma of low degree leaves room for more delta: the largest set contains the others.
            Total(np.array(kappa), tuple(pairs), basis.delta[max((basis.members[i] for i, _ in pairs), key=len)])
            for kappa, pairs in groups.items()
        )

    def near(self, M: FloatArray, left: Rows, right: Rows, volumes: FloatArray) -> FloatArray:
        values = np.zeros((len(left), len(right)))
        for total in self.totals:
            part = np.zeros((len(total.low), len(total.low)))
            for place, entries in self._entries(total):
                part[place] += M[entries]
            if not part.any():
                continue
            left_side = left.monomials[:, total.low] @ part
            right_side = right.monomials[:, total.low]
            for rows, mean in self._means_of_pairs(total.kappa, left, right):
                values[rows] += (left_side[rows] @ right_side.T) * mean
        values *= volumes
        return values

    def near_sum(self, W: FloatArray, left: Rows, right: Rows) -> FloatArray:
        result = np.zeros((self.basis.q, self.basis.q))
        for total in self.totals:
            part = np.zeros((len(total.low), len(total.low)))
            for rows, mean in self._means_of_pairs(total.kappa, left, right):
                weighted = (W[rows] * mean) @ right.monomials[:, total.low]
                part += left.monomials[rows][:, total.low].T @ weighted
            for place, entries in self._entries(total):
                result[entries] += part[place]
        return result

    def near_rows(self, W: FloatArray, left: Rows, right: Rows) -> FloatArray:
        """The terms of `near_sum` for each of the left rows, shape (n', q, q)."""
        result = np.zeros((len(left), self.basis.q, self.basis.q))
        for total in self.totals:
            right_side = right.monomials[:, total.low]
            for rows, mean in self._means_of_pairs(total.kappa, left, right):
                weighted = (W[rows] * mean) @ right_side
                part = left.monomials[rows][:, total.low, None] * weighted[:, None]
                for (a, b), (row, column) in self._entries(total):
                    result[rows, row, column] += part[:, a, b]
        return result

    def _entries(self, total: Total) -> Iterator[tuple[tuple[IntArray, ...], tuple[IntArray, ...]]]:
        """For each pair of gammas: its places in an array over `low` squared, and its entries of M."""
        basis = self.basis
        for first, second in total.pairs:
            a, b = basis.members[first], basis.members[second]
            at = np.searchsorted(total.low, basis.delta[a]), np.searchsorted(total.low, basis.delta[b])
            yield np.ix_(*at), np.ix_(a, b)

    def _means_of_pairs(self, kappa: IntArray, left: Rows, right: Rows) -> Iterator[tuple[slice, FloatArray]]:
        """The means of z^kappa over [max(x_i, y_j), b], in blocks of rows i."""
        used = np.flatnonzero(kappa)
        for rows in blocks(len(left), len(right)):
            mean = np.ones((rows.stop - rows.start, len(right)))
            for j in used:
                limit = np.maximum(left.limit[rows, j, None], right.limit[:, j])
                mean *= power_means(limit, self.upper[j], int(kappa[j]))[-1]
            yield rows, mean
