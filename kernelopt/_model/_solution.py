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
from kernelopt._model._of_predictor import OfPredictor
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predicted import predicted
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._probabilities import probabilities
from kernelopt._prediction._tails import Tails
from kernelopt._prediction._unseen import Unseen
from kernelopt._saddle._certificate import Certificate
from kernelopt._saddle._response import Response
from kernelopt._saddle._trace import Trace


@attrs.frozen(eq=False, repr=False)
class Solution(OfPredictor):
    """A learned kernel machine with its certificate.

    Attributes:
        status: why the run ended; `status.advice` says what to do about it.
        certificate: an upper and a lower bound of the optimum, computed again from scratch at the end of the run.
        predictor: the decision function and what turns its values into predictions.
        support: the numbers of the rows of X that are support vectors, shape (s,). If rows were read in blocks, it is
            empty where no row is kept, and otherwise it counts the kept rows, which were drawn at random.
        support_vectors: these rows, shape (s, d).
        baseline: the objective of the centre kernel, that is, before anything is learned; None if the run did not
            compute it, as under the evidence with many rows.
        trace: one `Record` for each step; a tuple that can also be shown as a table.
        seconds: how long the whole run took, in seconds, without the compilation by numba, which happens once on a
            machine.
        notes: sentences on what was done with the data, what was chosen for you, and what the families say of the
            optimum.
        response: the best kernel with its dual variables; pass the solution as `start=` to continue from it.
        coefficients: the coefficients v of the machine that predicts, for all training rows, shape (n, c): those of
            `response`, or for classes under the evidence those that the option `finish` of `Evidence` asks for, or
            where the noise differs between rows those of the machine that knows the noise of each row; several numbers
            are learned in units of their deviations, and their coefficients are in the given units, each beside the
            kernel of its own target, `predictor.alone(c).kernel`. If rows were read in blocks, there are those of the
            kept rows only.
        criterion: the task with its loss, and its options.
        posterior: the variance of predictions, if the evidence learned numbers; otherwise None.
        odds: the probabilities of classes, if the evidence learned classes; otherwise None.
        tails: how much each training row is trusted, if the evidence took noise of Student's t; otherwise None.
        unseen: how sure to be of classes and of numbers, as rows show which kernels that joined have not seen, for a
            run with `start=`.
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
    unseen: Unseen = attrs.field(factory=Unseen)

    @property
    def mixture(self) -> Mixture:
        """The learned atoms and weights, one part for each family."""
        return self.response.mixture

    @property
    def dual_coef(self) -> FloatArray:
        """The coefficients of the support vectors, one column for each output, shape (s, c)."""
        return self.coefficients[self.response.support]

    @property
    def objective(self) -> float:
        """The primal objective reached: the certificate's upper bound."""
        return self.certificate.upper

    @property
    def gain(self) -> float | None:
        """By which share learning lowered the objective of the centre kernel; None if that objective is not known."""
        if self.baseline is None or not math.isfinite(self.objective):
            return None
        return (self.baseline - self.objective) / abs(self.baseline) if self.baseline else 0.0

    @property
    def gained(self) -> str | None:
        """A sentence with `gain` and the objective of the centre kernel. It says nothing about errors on new rows."""
        if self.baseline is None or self.gain is None:
            return None
        # The objective of a concave criterion is minus a log-likelihood, whose zero depends on the units of y.
        nats = f"{abs(self.baseline - self.objective):.4g} nats of log-likelihood"
        much = nats if self.certificate.tangent else f"{abs(self.gain):.1%}"
        change = "raised" if self.gain < 0.0 else "lowered"
        words = f"is its objective ({self.criterion.name}), on the training rows; learning the kernel {change} this"
        return " ".join((f"{self.baseline:.8g}", words, "objective by", much))

    @property
    def support_counts(self) -> tuple[int, ...]:
        """How many support vectors each output has: one number, or one for each class or target."""
        return tuple(int(count) for count in np.count_nonzero(self.response.V, axis=0))

    @property
    def steps(self) -> int:
        """How many steps the solver made."""
        return self.trace[-1].step if self.trace else 0

    def decision_function(self, Z: Any) -> FloatArray:
        """The values of the decision function at rows Z (n', d), shape (n',) for one output and (n', c) for c outputs.

        For a collection of dask the result is a collection too, which is not computed before you ask for it.
        """
        return self.predictor.decision_function(Z) if brought(Z) is None else self.model.decision_function(Z)

    @overload
    def predict(self, Z: Any, return_std: Literal[False] = False) -> npt.NDArray[Any]: ...

    @overload
    def predict(self, Z: Any, return_std: Literal[True]) -> tuple[npt.NDArray[Any], FloatArray]: ...

    def predict(self, Z: Any, return_std: bool = False) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
        """The predicted label or value of each row of Z, shape (n',); several targets have the shape (n', c).

        Numbers under the evidence are those of `decision_function`, except at rows where the kernel k(z, z) is more
        than four times that of every training row: as far as the training rows do not determine the function there, it
        stays near their targets.

        Args:
            Z: rows to predict, shape (n', d), with the columns of the training rows. For a collection of dask the
                result is a collection too, which is not computed before you ask for it.
            return_std: whether to return a pair, whose second part is the standard deviation of a new target at each
                row, noise included, in the shape of the values. The evidence learns it for numbers.

        Raises:
            InvalidData: the rows have other columns than the training rows.
            InvalidOption: standard deviations are asked for, and the solution has none.
        """
        if brought(Z) is not None:
            return self.model.predict(Z, return_std=True) if return_std else self.model.predict(Z)
        return predicted(self.predictor, self.posterior, Z, return_std)

    def predict_proba(self, Z: Any) -> FloatArray:
        """The probability of each class at rows Z (n', d), shape (n', classes), in the order of `classes`.

        The evidence learns probabilities of classes. The probabilities of a row sum to 1, and `predict` returns the
        class with the largest one.

        Raises:
            InvalidOption: there are no probabilities, since numbers were learned, or classes by another criterion.
        """
        return probabilities(self.predictor, self.odds, Z) if brought(Z) is None else self.model.predict_proba(Z)

    def named(self, names: Iterable[str]) -> "Solution":
        """The same solution with names for the columns of X, which its descriptions, pictures and files then use.

        If X was a table of pandas or polars, the solution has the names already.

        Args:
            names: one name for each column of X.

        Raises:
            InvalidOption: the number of names is not the number of columns.
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

    def save(self, path: str | Path) -> None:
        """Write the model into a file that `kernelopt.load` reads; an existing file of this name is replaced.

        Raises:
            ModelFileError: the file cannot be written, or a family holds something that cannot be written into a file,
                such as a function.
        """
        self.model.save(path)

    def plot(self) -> npt.NDArray[Any]:
        """Draw the run and what was learned, as `kernelopt.plot.overview` does, and return the axes."""
        return _doors.overview(self)

    def to_sklearn(self) -> Any:
        """A fitted machine of scikit-learn that has the learned kernel and gives the same decisions.

        The machine is an `SVC`, `NuSVC`, `SVR`, `NuSVR`, `OneClassSVM` or `KernelRidge`; for several classes it is a
        `OneVsRestClassifier`, and for several targets a `MultiOutputRegressor`, of such machines. If you fit it again,
        the kernel stays, and the dual variables are learned anew, without sample weights and without the family
        `delta` of a union.

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
