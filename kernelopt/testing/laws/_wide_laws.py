"""Laws of many rows and outputs at once, of answers that a caller overwrites, and of plain V."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from kernelopt.plugin import Dense, FiniteFamily, FloatArray, LinearFamily, MatrixFamily, Part, Query, SmoothFamily
from kernelopt.testing._family_case import FamilyCase, Sample, single
from kernelopt.testing._laws import demand, demand_close, untouched
from kernelopt.testing._skip import skip

_ROWS, _OUTPUTS = 150, 130
_LARGE = 1e5
"""V so large, as with a large C, has no limit."""
_STEP = 1e-5
_FINITE_DIFFERENCE = 1e-5


class WideLaws(FamilyCase):
    """Laws of the methods of special families for many rows and outputs, and of arrays that are handed out."""

    def test_special_methods_take_many_rows_and_outputs(self) -> None:
        """For more rows and 130 large outputs, form, couple, image_of and pullback are what the Gram says."""
        sample = self.sample()
        family = sample.family
        if not isinstance(family, LinearFamily | SmoothFamily):
            skip(f"{type(family).__name__} is neither a LinearFamily nor a SmoothFamily")
        X = np.vstack([sample.X, self.many_rows(_ROWS)])
        V = _LARGE * np.random.default_rng([self.seed, 21]).normal(size=(len(X), _OUTPUTS))
        if isinstance(family, LinearFamily):
            self._demand_linear(family, sample.part, X, V)
        if isinstance(family, SmoothFamily):
            self._demand_smooth(family, sample, X, V)

    def _demand_linear(self, family: LinearFamily, part: Part, X: FloatArray, V: FloatArray) -> None:
        data = family.bind(X)
        K, S = np.array(family.gram(part, data).dense()), family.parameters(part)
        image = K @ V
        size = float(np.abs(K).max())
        coupling = family.couple(data, V[:, 0])
        found = [
            ("<form(V), parameters>", np.vdot(family.form(data, V), S), np.vdot(V, image), _LARGE**2 * V.shape[1]),
            ("what couple applies", coupling.apply(S), image[:, 0], _LARGE),
            ("<S, adjoint(u)> of couple", np.vdot(S, coupling.adjoint(V[:, 1])), V[:, 1] @ image[:, 0], _LARGE**2),
        ]
        if isinstance(family, MatrixFamily):
            found.append(("image_of", family.image_of(S, data, V), image, _LARGE))
        for what, got, wanted, times in found:
            detail = f"with {len(X)} rows and {V.shape[1]} outputs {what} must be what the Gram says"
            scale = times * size * len(X)
            demand_close(got, wanted, "many-outputs", detail, tolerance=100 * self.tolerance, scale=scale)

    def _demand_smooth(self, family: SmoothFamily, sample: Sample, X: FloatArray, V: FloatArray) -> None:
        data, weights = family.bind(X), sample.part.weights
        low, high = family.atom_bounds()
        inside = high - low > 4.0 * _STEP
        atoms = np.where(inside, np.clip(sample.part.atoms, low + _STEP, high - _STEP), sample.part.atoms)
        along = np.where(inside, np.cos(np.arange(atoms.size)).reshape(atoms.shape), 0.0)

        def value(part: Part) -> float:
            return float(np.vdot(V, family.gram(part, data).dense() @ V))

        gradient = family.pullback(Part(atoms, weights), data, V)
        detail = f"with {len(X)} rows and {V.shape[1]} outputs pullback must give the gradient in the weights"
        wanted = np.array([value(single(atom)) for atom in atoms])
        demand_close(gradient.weights, wanted, "many-outputs", detail, tolerance=_FINITE_DIFFERENCE)
        ends = [value(Part(atoms + step * along, weights)) for step in (_STEP, -_STEP)]
        slope = (ends[0] - ends[1]) / (2.0 * _STEP)
        detail = f"with {len(X)} rows and {V.shape[1]} outputs pullback must give the gradient in the atoms"
        scale = max(abs(slope), abs(ends[0]), float(np.abs(gradient.atoms).max()))
        got = np.vdot(gradient.atoms, along)
        demand_close(got, slope, "many-outputs", detail, tolerance=_FINITE_DIFFERENCE, scale=scale)

    def test_special_methods_leave_their_inputs_as_they_are(self) -> None:
        """form, couple, traces, leading, and those of a matrix family or a list write into nothing that they get."""
        family, sample = self.capable(LinearFamily)
        X, data, V, S = sample.X, sample.data, sample.V, family.parameters(sample.part)
        calls: dict[str, partial[Any]] = {
            "form": partial(family.form, data, V),
            "couple": partial(family.couple, data, V[:, 0]),
            "traces": partial(family.traces, data, Dense(np.eye(len(X)))),
            "leading": partial(family.leading, S, 1),
            "parameters": partial(family.parameters, sample.part),
        }
        if isinstance(family, MatrixFamily):
            calls |= {
                "matrix": partial(family.matrix, sample.part),
                "part": partial(family.part, S),
                "blend": partial(family.blend, S, X[:5], X),
                "gram_of": partial(family.gram_of, S, data),
                "image_of": partial(family.image_of, S, data, V),
            }
        if isinstance(family, FiniteFamily):
            calls["columns_of"] = partial(family.columns_of, data, V)
        for name, call in calls.items():
            with untouched("inputs-untouched", name, **{"what it was given": call.args}):
                call()

    def test_answers_may_be_overwritten(self) -> None:
        """cross, diag, apply and function return the same again, to the bit, if the first array was overwritten."""
        sample = self.sample()
        family, part, X, V = sample.family, sample.part, sample.X, sample.V
        predict = family.function(part, X, V)
        calls: dict[str, Callable[[], FloatArray]] = {
            "cross": lambda: family.cross(part, X[:4], X),
            "diag": lambda: family.diag(part, X),
            "apply": lambda: family.apply(part, sample.data, V),
            "function": lambda: predict(X[:4]),
        }
        for name, call in calls.items():
            first = call()
            wanted = first.copy()
            if first.flags.writeable:
                first[...] = np.nan
            detail = (
                f"the array that {name} returned was overwritten by its caller, and {name} returns it again; keep a "
                "copy of what is remembered, or hand out a copy"
            )
            demand(np.array_equal(call(), wanted), "answers-shared", detail)

    def test_oracle_takes_a_plain_v(self) -> None:
        """At V = 1 for all rows, and at V that is 1 for one row, values and ceiling are finite."""
        sample = self.sample()
        n = len(sample.V)
        for V in (np.ones((n, 1)), np.eye(n)[:, :1]):
            best = sample.family.best_atoms(sample.data, V, Query())
            finite = bool(np.isfinite(best.values).all()) and bool(np.isfinite(best.ceiling))
            detail = f"at V = 1 for {int(V.sum())} rows values and ceiling must be finite"
            demand(finite, "oracle-finite", f"{detail}, got {best.values} and {best.ceiling}")
