"""What remains of a run for new rows: the function on top of the learned kernel."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._finite import finite_at
from kernelopt._base._memory import explained
from kernelopt._base._typing import FloatArray
from kernelopt._families._explicit import ExplicitFamily
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture, Part
from kernelopt._families.variances._constant import Constant
from kernelopt._linalg._gram import ROW_BLOCK
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._own_noise import multiplied
from kernelopt._prediction._score import score_of
from kernelopt._prediction._told import Told, blocks, told_of, untold
from kernelopt._prediction._weighing import Weighing

_AT_ONCE = 16 * ROW_BLOCK
"""Support vectors whose features are summed at once."""
_ROUNDING = 1e-12
"""Of a decision, as a share of the intercept."""


@attrs.frozen(eq=False, repr=False)
class Predictor:
    """f(z) = sum over support vectors of k(z, x_i) v_i + b, for each output.

    The share of an explicit family is phi(z)'u with u = sum_i phi(x_i) v_i: O(m d) a row, and where every family is
    explicit there are no support vectors in the model.

    Attributes:
        kernel: the learned kernel.
        support_vectors: the rows of X that families without features need, shape (s, d).
        dual_coef: v on them, shape (s, c).
        features: u of each explicit family, shape (r, c); None for the others.
        intercept: b, shape (c,).
        classes: the labels of -1 and +1, or of each output; None in regression.
        weighing: what f becomes where classes have weights of their own; None where it stays.
        multiples: what each output multiplies the weights of each family's atoms by, > 0, shape (m, c) for each family,
            where f_c is the sum of k_c(z, x_i) v_i with a kernel k_c of its own; None where all have the same kernel.
    """

    kernel: Kernel
    support_vectors: FloatArray
    dual_coef: FloatArray
    features: tuple[FloatArray | None, ...]
    intercept: FloatArray
    classes: npt.NDArray[Any] | None
    weighing: Weighing | None = None
    multiples: tuple[FloatArray, ...] | None = None

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        X: FloatArray,
        V: FloatArray,
        intercept: FloatArray,
        classes: npt.NDArray[Any] | None,
        multiples: tuple[FloatArray, ...] | None = None,
    ) -> "Predictor":
        """From the support vectors X (s, d) and v on them (s, c), and what each output multiplies weights by."""
        every = (None,) * len(kernel.leaves) if multiples is None else multiples
        members = zip(kernel.leaves, kernel.mixture.parts, every, strict=True)
        features = tuple(_coefficients(leaf, part, X, V, each) for leaf, part, each in members)
        needed = any(u is None and part.mass > 0.0 for u, part in zip(features, kernel.mixture.parts, strict=True))
        rows = slice(None) if needed else slice(0)
        return cls(kernel, X[rows], V[rows], features, intercept, classes, multiples=multiples)

    def __repr__(self) -> str:
        return f"<Predictor: {len(self.intercept)} outputs, {len(self.support_vectors)} support vectors, {self.kernel}>"

    def named(self, names: Iterable[str]) -> "Predictor":
        """The same function with names for the columns of X."""
        return attrs.evolve(self, kernel=self.kernel.named(names))

    def compact(self) -> "Predictor":
        """The same function, to the bit, with nothing but what it takes: the members of the union that have weight."""
        members = [
            (attrs.evolve(leaf, family=family, penalty=None), part, u, one)
            for leaf, old, u, each in self._members()
            if old.mass > 0.0
            for fewer, one in [_kept(old, each) if u is None else (old, each)]
            for family, part in [leaf.family.compact(fewer)]
        ] or [self._nothing()]
        leaves, parts, features, multiples = zip(*members, strict=True)
        kernel = attrs.evolve(self.kernel, leaves=leaves, mixture=Mixture(parts), whole=False)
        each = None if self.multiples is None else multiples
        return attrs.evolve(self, kernel=kernel, features=features, multiples=each)

    def _nothing(self) -> tuple[Leaf, Part, FloatArray, FloatArray]:
        """A constant of the weight 0, for the kernel 0: what is learned where no kernel is worth its price."""
        leaf, c = self.kernel.leaves[0], len(self.intercept)
        constant = Leaf(Constant(), leaf.columns, expansion=leaf.expansion)
        return constant, Part(np.zeros((1, 0)), np.zeros(1)), np.zeros((1, c)), np.ones((1, c))

    def alone(self, output: int) -> "Predictor":
        """The function of one output, with the kernel of its own."""
        if self.multiples is None:
            kernel = self.kernel
        else:
            kernel = attrs.evolve(self.kernel, mixture=multiplied(self.kernel.mixture, self.multiples, output))
        one = slice(output, output + 1)
        features = tuple(u if u is None else u[:, one] for u in self.features)
        return Predictor(kernel, self.support_vectors, self.dual_coef[:, one], features, self.intercept[one], None)

    def decision_function(self, Z: Any, told: Told = untold) -> FloatArray:
        """f at rows Z (n, d), shape (n,) for one output, else (n, c).

        Args:
            Z: rows.
            told: gets the number of rows of each block that is done.

        Raises:
            InvalidData: the rows are none, or f is no finite number at some of them.
        """
        rows = self.kernel.rows(Z)
        self.kernel.warn(rows)
        # In blocks of rows: the cross block is the only large array.
        with explained("rows were predicted"), np.errstate(over="ignore", invalid="ignore"):  # judged by the values
            values = np.concatenate([told_of(self.at(block), told) for block in blocks(rows, ROW_BLOCK)])
        finite_at(values, rows, "what was learned")
        values = values if self.weighing is None else self.weighing.of(values)
        return values[:, 0] if values.shape[1] == 1 else values

    def at(self, Z: FloatArray) -> FloatArray:
        """f at checked rows Z (n, d), without weights of classes, shape (n, c)."""
        values = np.tile(self.intercept, (len(Z), 1))
        members = zip(self.kernel.leaves, self.kernel.mixture.parts, self.features, self._functions, strict=True)
        for leaf, part, u, function in members:
            if u is not None and len(u):
                assert isinstance(leaf.family, ExplicitFamily)
                values += leaf.family.image(part.atoms, leaf.view(Z), u)
            elif function is not None:
                values += leaf.factor * function(leaf.view(Z))
        return values

    @cached_property
    def _functions(self) -> tuple[Callable[[FloatArray], FloatArray] | None, ...]:
        """What each family without features adds to f, of what it sees of new rows; None where it adds nothing."""
        X, V = self.support_vectors, self.dual_coef
        return tuple(
            _function(leaf, part, leaf.view(X), V, each) if u is None and part.mass > 0.0 and len(X) else None
            for leaf, part, u, each in self._members()
        )

    def _members(self) -> Iterator[tuple[Leaf, Part, FloatArray | None, FloatArray | None]]:
        """The families with their weights, their features' coefficients, and what outputs multiply the weights by."""
        each = (None,) * len(self.features) if self.multiples is None else self.multiples
        return zip(self.kernel.leaves, self.kernel.mixture.parts, self.features, each, strict=True)

    def predict(self, Z: Any) -> npt.NDArray[Any]:
        """The class labels (classification) or values of rows Z, shape (n,)."""
        return self.labelled(self.decision_function(Z))

    def labelled(self, values: FloatArray) -> npt.NDArray[Any]:
        """The class labels of rows with these decisions, shape (n,); in regression the values themselves."""
        if self.classes is None:
            return values
        code = (self.settled(values) >= 0.0).astype(int) if values.ndim == 1 else np.argmax(values, axis=1)
        labels: npt.NDArray[Any] = self.classes[code]
        return labels

    def settled(self, values: FloatArray) -> FloatArray:
        """Decisions of one output, with 0 for those that are 0 up to rounding.

        A one-class machine puts whole samples on its edge: they are no outliers, whatever their last bits say.
        """
        return np.where(np.abs(values) <= _ROUNDING * np.abs(self.intercept[0]), 0.0, values)

    def score(self, Z: Any, y: Any) -> float:
        """The share of rows that are predicted right; in regression the share of the variance that is explained, and of
        several targets the mean of these shares.
        """
        return self.scored(self.predict(Z), y)

    def scored(self, predicted: npt.NDArray[Any], y: Any) -> float:
        """The same of what is predicted."""
        return score_of(predicted, y, self.classes)


def _kept(part: Part, multiples: FloatArray | None) -> tuple[Part, FloatArray | None]:
    """The atoms with weight, with their multiples, where there are any; else the part as it is."""
    return (part, None) if multiples is None else (part.kept(), multiples[part.weights > 0.0])


def _function(
    leaf: Leaf, part: Part, X: FloatArray, V: FloatArray, multiples: FloatArray | None
) -> Callable[[FloatArray], FloatArray]:
    """What a family adds to f by the rows X (n, d) that it sees, divided by its factor: outputs that multiply its
    weights by the same numbers (m, c) are computed together.
    """
    if multiples is None:
        return leaf.family.function(part, X, V)
    kinds, which = np.unique(multiples, axis=1, return_inverse=True)
    which = which.ravel()
    functions = [
        leaf.family.function(Part(part.atoms, part.weights * kind), X, V[:, which == k])
        for k, kind in enumerate(kinds.T)
    ]

    def values(Z: FloatArray) -> FloatArray:
        found = np.empty((len(Z), V.shape[1]))
        for k, function in enumerate(functions):
            found[:, which == k] = function(Z)
        return found

    return values


def _coefficients(
    leaf: Leaf, part: Part, X: FloatArray, V: FloatArray, multiples: FloatArray | None = None
) -> FloatArray | None:
    """sum_i phi(x_i) v_i of an explicit family's share, weights and their multiples (m, c) included, shape (r, c)."""
    if not isinstance(leaf.family, ExplicitFamily):
        return None
    if not len(part):
        return np.zeros((0, V.shape[1]))
    coefficients = np.zeros(())
    for i in range(0, max(len(X), 1), _AT_ONCE):
        columns, owner = leaf.family.columns(part.atoms, leaf.view(X[i : i + _AT_ONCE]))
        coefficients = coefficients + leaf.factor * part.weights[owner, None] * (columns.T @ V[i : i + _AT_ONCE])
    return coefficients if multiples is None else coefficients * multiples[owner]
