"""What a solution and a model of a file know by what predicts for both."""

from abc import ABC, abstractmethod
from typing import Any, Literal, overload

import numpy.typing as npt

from kernelopt._base._typing import FloatArray
from kernelopt._prediction._interval import around, check_share
from kernelopt._prediction._kernel import Kernel
from kernelopt._prediction._likelihood import likelihoods
from kernelopt._prediction._odds import Odds
from kernelopt._prediction._posterior import Posterior
from kernelopt._prediction._predicted import sure
from kernelopt._prediction._predictor import Predictor


class OfPredictor(ABC):
    """A learned machine, by its predictor."""

    __slots__ = ()

    predictor: Predictor
    posterior: Posterior | None
    odds: Odds | None

    @property
    def kernel(self) -> Kernel:
        """The learned kernel, a function k(X, Z) of rows (n, d) and (n', d); machines of scikit-learn accept it."""
        return self.predictor.kernel

    @property
    def classes(self) -> npt.NDArray[Any] | None:
        """The classes: two labels, of negative and of positive decisions, or one label for each output; else None."""
        return self.predictor.classes

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of X, in their order; empty if they are not known."""
        return self.kernel.own_names

    @overload
    @abstractmethod
    def predict(self, Z: Any, return_std: Literal[False] = False) -> npt.NDArray[Any]: ...

    @overload
    @abstractmethod
    def predict(self, Z: Any, return_std: Literal[True]) -> tuple[npt.NDArray[Any], FloatArray]: ...

    @abstractmethod
    def predict(self, Z: Any, return_std: bool = False) -> npt.NDArray[Any] | tuple[npt.NDArray[Any], FloatArray]:
        """The predicted label or value of each row of Z (n', d), and on request the standard deviations beside it."""

    def predict_interval(self, Z: Any, share: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """The lower and the upper ends of intervals that hold the new target of each row with a probability of `share`.

        The intervals lie around the values of `predict`, and are as wide as the standard deviations of
        `predict(Z, return_std=True)` say. Where `posterior.degrees` is None an interval of 95 % goes 1.96 of them to
        either side, and else it is one of Student's t distribution with so many degrees of freedom, whose variance
        times `posterior.spread` is the square of this standard deviation. The evidence learns all of them, for numbers.

        Args:
            Z: rows, shape (n', d). For a collection of dask the ends are collections too, which are not computed before
                you ask for them.
            share: the probability, between 0 and 1.

        Returns:
            Both ends, in the units of the targets, each of the shape of the values: (n',), or (n', c) for c targets, of
            which each lies in an interval of its own with this probability.

        Raises:
            InvalidData: the rows have other columns than the training rows.
            InvalidOption: there are no standard deviations, or `share` is out of its range.
        """
        reach = sure(self.posterior, "predict_interval").reach(check_share(share))
        return around(*self.predict(Z, return_std=True), reach)

    def score_samples(self, Z: Any, y: Any) -> FloatArray:
        """How likely each target is: the logarithm of its probability or of its density, shape (n',).

        Only what was learned by the evidence knows this. Targets with small values are outliers. The mean over
        new rows, times -1, is the log-loss of classes, or the negative log predictive density of numbers. A target that
        was constant in training adds 0 where it has this value, and -inf elsewhere.

        Args:
            Z: rows, shape (n', d).
            y: their classes, shape (n',), or their numbers, shape (n',) or (n', c).

        Raises:
            InvalidOption: there are no probabilities.
            InvalidData: y has another shape than the predictions, or holds a class that was not learned.
        """
        return likelihoods(self.predictor, self.posterior, self.odds, self.predictor.kernel.rows(Z), y)

    def score(self, Z: Any, y: Any) -> float:
        """The accuracy, that is, the share of rows whose class is predicted right; in regression R2, 1 at best, and of
        several targets the mean of their R2.
        """
        return self.predictor.scored(self.predict(Z), y)

    def views(self) -> dict[str, float]:
        """The share of each view in the learned kernel: the weight of its kernels divided by the weight of all views.

        Raises:
            InvalidOption: nothing was learned from views.
        """
        return self.kernel.shares()
