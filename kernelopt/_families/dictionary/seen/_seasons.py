"""What a kernel of a list sees of dates: the time of the year, of the week and of the day, on a circle each."""

import math

import attrs
import numpy as np

from kernelopt._base._typing import FloatArray
from kernelopt._device._arrays import Array, Arrays

_NAMED = {365.2425: "year", 7.0: "week", 1.0: "day"}
PERIODS = tuple(_NAMED)
"""Of a year, a week and a day, in days."""


@attrs.frozen
class Wave:
    """A column of dates on a circle of radius 1, which is gone round once in each period.

    Two dates of one time of the year are one point, and the squared distance of two others is 4 sin^2(pi t / period)
    of the time t between them, as in the periodic kernel of MacKay (1998), section 4.7; its mean is 2, as that of two
    numbers of a column of mean 0 and standard deviation 1.

    Attributes:
        column: of the dates.
        period: in days.
        turn: the angle for a unit of the column as it is seen.
        phase: the angle where it is 0.
    """

    column: int
    period: float
    turn: float
    phase: float

    @classmethod
    def of_frame(cls, column: int, period: float, middle: float, deviation: float) -> "Wave":
        """That of a column of days which is seen less its middle, in units of its deviation."""
        return cls(column, period, 2.0 * math.pi * deviation / period, 2.0 * math.pi * (middle / period % 1.0))

    @property
    def words(self) -> str:
        """Such as "time of the year"."""
        return f"time of the {_NAMED[self.period]}" if self.period in _NAMED else f"time in {self.period:g} days"

    def angle(self, values: FloatArray) -> FloatArray:
        """Of values (n,) of the column, shape (n,)."""
        return np.asarray(self.turn * values + self.phase)


@attrs.frozen
class Seasons:
    """Some columns as they are, and behind them the sine and the cosine of each wave.

    Attributes:
        waves: of columns of dates.
        beside: the numbers of the columns that are seen as they are.
    """

    waves: tuple[Wave, ...]
    beside: tuple[int, ...] = ()

    def of(self, X: FloatArray) -> FloatArray:
        return np.hstack([X[:, list(self.beside)], self.on_circles(X[:, list(self.columns)])])

    @property
    def columns(self) -> tuple[int, ...]:
        """The column of each wave."""
        return tuple(wave.column for wave in self.waves)

    def on_circles(self, values: FloatArray) -> FloatArray:
        """The sines and the cosines of the waves for the values of their columns (n, k), shape (n, 2 k)."""
        angles = [wave.angle(column) for wave, column in zip(self.waves, values.T, strict=True)]
        return np.column_stack([trace(angle) for angle in angles for trace in (np.sin, np.cos)])

    def there(self, arrays: Arrays, X: Array) -> Array:
        xp = arrays.xp
        seen = [xp.take(X, arrays.places(self.beside), axis=1)] if self.beside else []
        for wave in self.waves:
            angle = wave.turn * X[:, wave.column : wave.column + 1] + wave.phase
            seen += [xp.sin(angle), xp.cos(angle)]
        return xp.concat(seen, axis=1)

    def width(self, d: int) -> int:  # noqa: ARG002
        return len(self.beside) + 2 * len(self.waves)

    def pulled(self, gradients: FloatArray, seen: FloatArray, d: int) -> FloatArray:
        spread = np.zeros((len(gradients), d))
        first = len(self.beside)
        spread[:, list(self.beside)] = gradients[:, :first]
        circles = seen[:, seen.shape[1] - 2 * len(self.waves) :]
        for k, wave in enumerate(self.waves):
            sine, cosine = circles[:, 2 * k], circles[:, 2 * k + 1]
            along = gradients[:, first + 2 * k] * cosine - gradients[:, first + 2 * k + 1] * sine
            spread[:, wave.column] += wave.turn * along
        return spread

    def words(self, names: tuple[str, ...]) -> str:
        """Such as "the time of the year of when"."""
        called = [(wave.words, names[wave.column] if names else f"x{wave.column}") for wave in self.waves]
        if self.beside:
            times = ", ".join(dict.fromkeys(time for time, _ in called))
            return f"all columns and the {times} of {', '.join(dict.fromkeys(name for _, name in called))}"
        return ", ".join(f"the {time} of {name}" for time, name in called)
