"""What is kept of a run: the machine that predicts, and what was proved of it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, cast, overload

import attrs
import numpy.typing as npt

from kernelopt._base._html import table
from kernelopt._base._path import as_path
from kernelopt._base._status import Status
from kernelopt._base._typing import FloatArray
from kernelopt._criteria._contract import Criterion
from kernelopt._model import _doors
from kernelopt._model._lazy import brought, labels_at, shares_at, values_at
from kernelopt._model._of_predictor import OfPredictor
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predicted import predicted, sure
from kernelopt._prediction._predictor import Predictor
from kernelopt._prediction._probabilities import known, probabilities
from kernelopt._saddle._certificate import Certificate


@attrs.frozen(eq=False, repr=False)
class Model(OfPredictor):
    """A learned kernel machine without the run that found it: what `save` writes and `load` reads.

    Its predictions are exactly those of the solution. It holds only what they need: the families that have weight, and,
    if one of them has no features, the support vectors.

    Attributes:
        predictor: the decision function and what turns its values into predictions.
        criterion: the task with its loss, and its options; `solve(criterion=model.criterion)` learns with the same.
        certificate: the bounds that the run computed.
        status: why the run ended.
        notes: sentences on what was done with the data and what was chosen.
        posterior: the variance of predictions, if the evidence learned numbers; otherwise None.
        odds: the probabilities of classes, if the evidence learned classes; otherwise None.
    """

    predictor: Predictor
    criterion: Criterion
    certificate: Certificate
    status: Status
    notes: tuple[str, ...]
    posterior: Posterior | None = None
    odds: Odds | None = None

    def named(self, names: Iterable[str]) -> "Model":
        """The same model with names for the columns of X.

        Raises:
            InvalidOption: the number of names is not the number of columns.
        """
        return attrs.evolve(self, predictor=self.predictor.named(names))

    def decision_function(self, Z: Any) -> FloatArray:
        """The values of the decision function at rows Z (n', d), as `Solution.decision_function` returns them."""
        source = brought(Z)
        if source is not None:
            return cast(FloatArray, values_at(source, self.predictor, Z, self.decision_function))
        return self.predictor.decision_function(Z)

    @overload
    def predict(self, Z: Any, return_std: Literal[False] = False) -> npt.NDArray[Any]: ...

    @overload
    def predict(self, Z: Any, return_std: Literal[True]) -> tuple[npt.NDArray[Any], FloatArray]: ...

    def predict(self, Z: Any, return_std: bool = False) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
        """The predicted label or value of each row of Z (n', d), as `Solution.predict` returns them.

        Raises:
            InvalidData: the rows have other columns than the training rows.
            InvalidOption: standard deviations are asked for, and the model has none.
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
        """The probability of each class at rows Z (n', d), shape (n', classes), in the order of `classes`.

        Raises:
            InvalidOption: the model has no probabilities, since the criterion learns none, or since the file was
                written by an earlier version.
        """
        source = brought(Z)
        if source is not None:
            known(self.odds)
            return cast(FloatArray, shares_at(source, self.predictor, Z, self.predict_proba))
        return probabilities(self.predictor, self.odds, Z)

    def save(self, path: str | Path) -> None:
        """Write the model into a file that `kernelopt.load` reads; an existing file of this name is replaced.

        Raises:
            ModelFileError: the file cannot be written, or a family holds something that cannot be written into a file,
                such as a function.
            InvalidOption: the path is not the name of a file.
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
