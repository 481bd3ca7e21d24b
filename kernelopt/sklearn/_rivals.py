"""Machines that are usually tried first, for rows as tables have them: they stand beside what was learned."""

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from sklearn.svm import SVC, SVR

from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base.tables._tables import Table
from kernelopt._criteria._contract import Task

MOST_CATEGORIES = 255
"""So many the boosting of scikit-learn takes in one column."""
MOST_ROWS = 100_000
"""Boosting learns from so many rows at most, which takes it some seconds."""
_SOME_ROWS = 10_000
"""A support vector machine learns from so many at most: its time grows faster than their square."""
_TUNED = 2000
"""Up to so many rows it is tuned."""
GRID = {"C": [1.0, 10.0, 100.0], "gamma": ["scale", 0.01, 0.1, 1.0]}
"""What is tried for it, on standardised columns."""
FOLDS = 3
"""So many folds choose among these."""


@attrs.frozen(eq=False)
class Rival:
    """A machine of scikit-learn.

    Attributes:
        name: for the reader.
        machine: with fit and predict; of classes also predict_proba where it has probabilities.
        most: from so many rows it learns at most.
    """

    name: str
    machine: Any
    most: int = MOST_ROWS

    def called(self, rows: int) -> str:
        """For the reader, where there are so many rows to learn from."""
        return self.name if rows <= self.most else f"{self.name}, {self.most} rows"


def numbers_of(X: Table) -> FloatArray:
    """The rows as numbers, shape (n, d): of categories their places among those of the column, NaN where missing."""
    numbers = X.numbers.copy()
    for j, column in X.labels.items():
        names = sorted({value for value in column.values if value is not None}, key=str)
        places = {name: float(k) for k, name in enumerate(names)}
        numbers[:, j] = [np.nan if value is None else places[value] for value in column.values]
    return numbers


def without_empty(X: FloatArray, train: IntArray) -> FloatArray:
    """Rows X (n, d) with 0 in the columns of which the training rows have no value: boosting wants one in each."""
    return np.where(np.isnan(X[train]).all(axis=0), 0.0, X)


def rivals(X: Table, y: npt.NDArray[Any], task: Task, seed: int, *, tuned: bool | None = None) -> tuple[Rival, ...]:
    """A support vector machine and boosting, and last what always gives one answer, for rows as `numbers_of` has them.

    The first sees standardised columns (numbers also a standardised target), means in the place of missing values, and
    an indicator for each category; boosting takes missing values and categories itself.

    Args:
        X: the rows, n of d columns.
        y: their targets, shape (n,).
        task: classification or regression.
        seed: of what is random in them.
        tuned: whether the best support vector machine of a grid is looked for, by folds of the rows that it learns
            from; None: where the rows are few.
    """
    words = sorted(X.labels)
    numbers = [j for j in range(X.shape[1]) if j not in X.labels]
    plain, boosting = _standardised(numbers, words), _coded(numbers, words)
    known = list(range(len(numbers), X.shape[1]))
    searched = len(X) <= _TUNED if tuned is None else tuned
    if task == "classification":
        labels, counts = np.unique(y, return_counts=True)
        return (
            _vectors(SVC(), plain, searched=searched),
            Rival(
                "gradient boosting",
                make_pipeline(boosting, HistGradientBoostingClassifier(categorical_features=known, random_state=seed)),
            ),
            Rival(f"always {labels[counts.argmax()]}", DummyClassifier()),
        )
    machine = _vectors(SVR(), plain, searched=searched)
    return (
        attrs.evolve(machine, machine=TransformedTargetRegressor(machine.machine, transformer=StandardScaler())),
        Rival(
            "gradient boosting",
            make_pipeline(boosting, HistGradientBoostingRegressor(categorical_features=known, random_state=seed)),
        ),
        Rival("always the mean", DummyRegressor()),
    )


def _vectors(machine: Any, columns: ColumnTransformer, *, searched: bool) -> Rival:
    """A support vector machine behind these columns, as it comes, or the best of the grid."""
    name = type(machine).__name__
    if not searched:
        return Rival(f"{name}()", make_pipeline(columns, machine), _SOME_ROWS)
    return Rival(f"{name}, best of a grid", make_pipeline(columns, GridSearchCV(machine, GRID, cv=FOLDS)), _SOME_ROWS)


def _standardised(numbers: list[int], words: list[int]) -> ColumnTransformer:
    """Columns for a machine of distances; what is missing is a category of its own, or has an indicator."""
    filled = SimpleImputer(add_indicator=True)
    return ColumnTransformer(
        [
            ("numbers", make_pipeline(filled, StandardScaler()), numbers),
            ("words", OneHotEncoder(handle_unknown="ignore"), words),
        ]
    )


def _coded(numbers: list[int], words: list[int]) -> ColumnTransformer:
    """Columns for boosting: numbers first, then categories by their places, NaN where missing or never seen."""
    places = OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=np.nan,
        encoded_missing_value=np.nan,
        max_categories=MOST_CATEGORIES,
    )
    return ColumnTransformer([("numbers", "passthrough", numbers), ("words", places, words)])
