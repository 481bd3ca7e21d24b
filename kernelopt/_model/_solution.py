"""The answer: why it ended, what it proves, and the machine that it learned."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, overload

import attrs
import numpy as np
import numpy.typing as npt

from kernelopt._base._html import table
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._criteria._contract import Criterion
from kernelopt._families._mixture import Mixture
from kernelopt._model import _doors
from kernelopt._model._lazy import brought
from kernelopt._model._model import Model
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._likelihood import likelihoods
from kernelopt._prediction._odds import Odds, probabilities
from kernelopt._prediction._posterior import Posterior, predicted
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._tails import Tails
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._problem import Response
from kernelopt._saddle._trace import Trace


@attrs.frozen(eq=False, repr=False)
class Solution:
    """A learned kernel machine with its certificate.

    Attributes:
        status: why the run ended; `status.advice` says what to do about it.
        certificate: upper and lower bounds on the optimum, recomputed from scratch at the end.
        predictor: decision function and prediction.
        support: row numbers of the support vectors in the X that was given, shape (s,); none where rows were read in
            blocks, of which nothing is kept.
        support_vectors: those rows, shape (s, d).
        baseline: the objective of the centre kernel, with nothing learned; None where the run did not look at it,
            as the evidence does not with many rows.
        trace: one `Record` for each step; a tuple that is also a table.
        seconds: the whole run, binding included, but for what numba compiled, which the first process alone waits for.
        notes: what the user should know: columns dropped, solver chosen, data bundled, and what the families
            remark on the optimum.
        response: the best kernel with its dual variables, for `start=`.
        coefficients: v of the machine that predicts, on all training rows, shape (n, c): the response's, or what
            `Evidence.finish` says of classes; of no rows where they were read in blocks.
        criterion: what was learned, with its options.
        posterior: how sure it is of what it predicts, where the evidence learned numbers; None elsewhere.
        odds: how probable classes are by its decisions, where the evidence learned them; None elsewhere.
        tails: how far each training row is believed, where the evidence took noise of Student's t; None elsewhere.
    """

    status: Status
    certificate: Certificate
    predictor: Predictor
    support: IntArray
    support_vectors: FloatArray
    baseline: float | None
    trace: Trace
    seconds: float
    notes: tuple[str, ...]
    response: Response
    coefficients: FloatArray
    criterion: Criterion
    posterior: Posterior | None = None
    odds: Odds | None = None
    tails: Tails | None = None

    @property
    def kernel(self) -> Kernel:
        """The learned kernel, a callable that scikit-learn accepts."""
        return self.predictor.kernel

    @property
    def mixture(self) -> Mixture:
        """The learned atoms and weights, one part for each family."""
        return self.response.mixture

    @property
    def dual_coef(self) -> FloatArray:
        """v of the support vectors, one column for each output, shape (s, c)."""
        return self.coefficients[self.response.support]

    @property
    def objective(self) -> float:
        """The primal objective reached: the certificate's upper bound."""
        return self.certificate.upper

    @property
    def gain(self) -> float | None:
        """What learning the kernel gained over the centre kernel, as a share of the latter's objective, if known."""
        if self.baseline is None or not math.isfinite(self.objective):
            return None
        return (self.baseline - self.objective) / abs(self.baseline) if self.baseline else 0.0

    @property
    def gained(self) -> str | None:
        """The same in words, with the objective of the centre kernel: it says nothing of errors on new rows."""
        name, gain = self.criterion.name, self.gain
        words = f"is its objective ({name}), on the training rows; learning the kernel lowered this objective by"
        return None if gain is None else f"{self.baseline:.8g} {words} {gain:.1%}"

    @property
    def support_counts(self) -> tuple[int, ...]:
        """How many support vectors each output has: one number, or one for each class or target."""
        return tuple(int(count) for count in np.count_nonzero(self.response.V, axis=0))

    @property
    def steps(self) -> int:
        """How many steps the solver made."""
        return self.trace[-1].step if self.trace else 0

    def decision_function(self, Z: Any) -> FloatArray:
        """f at rows Z, shape (n,) for one output; of a collection of dask a collection that is not computed yet."""
        return self.predictor.decision_function(Z) if brought(Z) is None else self.model.decision_function(Z)

    @overload
    def predict(self, Z: Any, return_std: Literal[False] = False) -> npt.NDArray[Any]: ...

    @overload
    def predict(self, Z: Any, return_std: Literal[True]) -> tuple[npt.NDArray[Any], FloatArray]: ...

    def predict(self, Z: Any, return_std: bool = False) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
        """Labels or values of rows Z, shape (n,).

        Args:
            Z: rows, shape (n, d); of a collection of dask the result is one too, which is not computed yet.
            return_std: also the standard deviation of a new target at each row, noise included, in the shape of the
                values: of numbers learned by the evidence, as the Gaussian process has it.

        Raises:
            InvalidOption: a deviation is asked for, and there is none.
        """
        if brought(Z) is not None:
            return self.model.predict(Z, return_std=True) if return_std else self.model.predict(Z)
        return predicted(self.predictor, self.posterior, Z, return_std)

    def predict_proba(self, Z: Any) -> FloatArray:
        """The probability of each class at rows Z (n', d), shape (n', classes), in the order of `predictor.classes`.

        Of classes that the evidence learned: the class that is predicted is the likeliest one, and each row sums to 1.

        Raises:
            InvalidOption: there are none: something else was learned, or by another criterion.
        """
        return probabilities(self.predictor, self.odds, Z) if brought(Z) is None else self.model.predict_proba(Z)

    def score_samples(self, Z: Any, y: Any) -> FloatArray:
        """How likely each target is: the logarithm of its probability or of its density at rows Z (n', d), shape (n',).

        Of what the evidence learned. Targets with low ones are outliers; the mean over new rows, times -1, is the
        log-loss of classes, or the negative log predictive density of numbers.

        Args:
            Z: rows.
            y: their classes, shape (n',), or their numbers, shape (n',) or (n', c).

        Raises:
            InvalidOption: the machine knows no probabilities.
            InvalidData: y has another shape than what is predicted, or a class that is not known.
        """
        return likelihoods(self.predictor, self.posterior, self.odds, self.predictor.kernel.rows(Z), y)

    def score(self, Z: Any, y: Any) -> float:
        """The share of rows that are predicted right; in regression the share of the variance that is explained."""
        return self.predictor.score(Z, y)

    def named(self, names: Iterable[str]) -> "Solution":
        """The same solution with names for the columns of X: in its words, its pictures and its model.

        A table of pandas or polars has them already.

        Args:
            names: one for each column of X.

        Raises:
            InvalidOption: they are not as many as the columns.
        """
        return attrs.evolve(self, predictor=self.predictor.named(names))

    @property
    def model(self) -> Model:
        """The machine and its certificate without the run: what a file keeps."""
        return Model(
            self.predictor.compact(),
            self.criterion,
            self.certificate,
            self.status,
            self.notes,
            posterior=self.posterior,
            odds=self.odds,
        )

    def views(self) -> dict[str, float]:
        """The share of each view in the learned kernel: the weight of its kernels, by that of all views together.

        Raises:
            InvalidOption: no view has a name.
        """
        return self.kernel.shares()

    def save(self, path: str | Path) -> None:
        """Write the model into a file that `kernelopt.load` reads; a file of that name is replaced.

        Raises:
            ModelFileError: the file cannot be written, or a family holds what no file can, such as a function.
        """
        self.model.save(path)

    def plot(self) -> npt.NDArray[Any]:
        """A picture of the run and of what it learned: `kernelopt.plot.overview`, with its axes."""
        return _doors.overview(self)

    def to_sklearn(self) -> Any:
        """This machine as one of scikit-learn's own, fitted: the learned kernel as a callable, and the same decisions.

        It is an `SVC`, `NuSVC`, `SVR`, `NuSVR`, `OneClassSVM` or `KernelRidge`; for several classes a
        `OneVsRestClassifier` of them, for several targets a `MultiOutputRegressor`. Fitting it again keeps the kernel
        and learns the machine anew, without sample weights, and without the identity on samples of a union.

        Raises:
            Refused: scikit-learn has no machine for the criterion.
        """
        return _doors.machine(self)

    def __str__(self) -> str:
        lines = [
            f"{self.status.name}: {self.status.advice}",
            f"  {self.certificate}",
            *(() if self.gained is None else (f"  centre kernel {self.gained}",)),
            f"  kernel  {self.kernel}",
            f"  {self._support_words()}, {self.steps} steps, {self.seconds:.2f} s",
        ]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])

    def __repr__(self) -> str:
        return f"<Solution {self.status.name}: {self.certificate}>"

    def _repr_html_(self) -> str:
        rows = [
            ("status", self.status.advice),
            ("bounds", str(self.certificate)),
            *(() if self.gained is None else (("centre kernel", self.gained),)),
            ("kernel", str(self.kernel)),
            ("run", f"{self._support_words()}, {self.steps} steps, {self.seconds:.2f} s"),
            *(("note", note) for note in self.notes),
        ]
        return table(f"Solution: {self.status.name}", rows, [self.trace.picture, self.kernel.picture])

    def _support_words(self) -> str:
        if not len(self.coefficients):
            return "no rows kept, it predicts by features"
        words = f"{len(self.support)} support vectors"
        counts = self.support_counts
        return words if len(counts) == 1 else f"{words} ({', '.join(map(str, counts))} by output)"
