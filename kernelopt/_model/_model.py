"""What is kept of a run: the machine that predicts, and what was proved of it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, cast, overload

import attrs
import numpy.typing as npt

from kernelopt._base._html import table
from kernelopt._base._input import as_path
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion
from kernelopt._model import _doors
from kernelopt._model._lazy import brought, labels_at, shares_at, values_at
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._likelihood import likelihoods
from kernelopt._prediction._odds import Odds, known, probabilities
from kernelopt._prediction._posterior import Posterior, predicted, sure
from kernelopt._prediction._predictor import Predictor
from kernelopt._saddle._certificate import Certificate


@attrs.frozen(eq=False, repr=False)
class Model:
    """A learned kernel machine without the run that found it: what `save` writes and `load` reads.

    It predicts as the solution does, to the bit, and holds only what that takes: the families that have weight, and
    the support vectors where some family has no features.

    Attributes:
        predictor: decision function and prediction.
        criterion: what was learned, with its options; `solve(criterion=model.criterion)` learns the same anew.
        certificate: the bounds that the run proved.
        status: why the run ended.
        notes: what the user should know of the run.
        posterior: how sure the machine is of what it predicts, where the evidence learned numbers; None elsewhere.
        odds: how probable classes are by its decisions, where the evidence learned them; None elsewhere.
    """

    predictor: Predictor
    criterion: Criterion
    certificate: Certificate
    status: Status
    notes: tuple[str, ...]
    posterior: Posterior | None = None
    odds: Odds | None = None

    @property
    def kernel(self) -> Kernel:
        """The learned kernel, a callable that scikit-learn accepts."""
        return self.predictor.kernel

    @property
    def classes(self) -> npt.NDArray[Any] | None:
        """The labels of -1 and +1, or of each output; None in regression."""
        return self.predictor.classes

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of X, in their order, or none where they are not known."""
        return self.kernel.own_names

    def named(self, names: Iterable[str]) -> "Model":
        """The same model with names for the columns of X.

        Raises:
            InvalidOption: they are not as many as the columns.
        """
        return attrs.evolve(self, predictor=self.predictor.named(names))

    def decision_function(self, Z: Any) -> FloatArray:
        """f at rows Z, shape (n,) for one output; of a collection of dask a collection that is not computed yet."""
        source = brought(Z)
        if source is not None:
            return cast(FloatArray, values_at(source, self.predictor, Z, self.decision_function))
        return self.predictor.decision_function(Z)

    @overload
    def predict(self, Z: Any, return_std: Literal[False] = False) -> npt.NDArray[Any]: ...

    @overload
    def predict(self, Z: Any, return_std: Literal[True]) -> tuple[npt.NDArray[Any], FloatArray]: ...

    def predict(self, Z: Any, return_std: bool = False) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
        """Labels or values of rows Z, shape (n,); with `return_std` also standard deviations, as of a `Solution`.

        Raises:
            InvalidOption: a deviation is asked for, and there is none.
        """
        source = brought(Z)
        if source is None:
            return predicted(self.predictor, self.posterior, Z, return_std)
        labels = cast(npt.NDArray[Any], labels_at(source, self.predictor, Z, self.predict))
        if not return_std:
            return labels
        sure(self.posterior)
        return labels, cast(FloatArray, values_at(source, self.predictor, Z, self._deviation))

    def _deviation(self, Z: Any) -> FloatArray:
        """The standard deviations alone."""
        return self.predict(Z, return_std=True)[1]

    def predict_proba(self, Z: Any) -> FloatArray:
        """The probability of each class at rows Z, shape (n, classes), in the order of `classes`, as of a `Solution`.

        Raises:
            InvalidOption: there are none, as in a file of an earlier version.
        """
        source = brought(Z)
        if source is not None:
            known(self.odds)
            return cast(FloatArray, shares_at(source, self.predictor, Z, self.predict_proba))
        return probabilities(self.predictor, self.odds, Z)

    def score_samples(self, Z: Any, y: Any) -> FloatArray:
        """How likely each target y is at rows Z (n, d), shape (n,), as of a `Solution`.

        Raises:
            InvalidOption, InvalidData: as there.
        """
        return likelihoods(self.predictor, self.posterior, self.odds, self.predictor.kernel.rows(Z), y)

    def score(self, Z: Any, y: Any) -> float:
        """The share of rows that are predicted right; in regression the share of the variance that is explained."""
        return self.predictor.score(Z, y)

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
            InvalidOption: the path is no name of a file.
        """
        _doors.save(self, as_path(path, "save"))

    def __repr__(self) -> str:
        return f"<Model {self.criterion.name}, {self.status.name}: {self.certificate}>"

    def _repr_html_(self) -> str:
        rows = [
            ("criterion", self.criterion.name),
            ("status", self.status.advice),
            ("bounds", str(self.certificate)),
            ("kernel", str(self.kernel)),
            *(("note", note) for note in self.notes),
        ]
        return table(f"Model: {self.status.name}", rows, [self.kernel.picture])

    def __str__(self) -> str:
        lines = [
            f"{self.criterion.name}, {self.status.name}: {self.certificate}",
            f"  kernel  {self.kernel}",
        ]
        return "\n".join(lines + [f"  note: {note}" for note in self.notes])
