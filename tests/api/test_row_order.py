"""The rows of a table may come in any order, and classes may have any names: the default learns the same from them."""

import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt._api.data._training import Training

N = 90


def steps():
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(N, 5))
    return pd.DataFrame(X, columns=list("abcde")), 2.0 * (X[:, 0] > 0.4) + (X[:, 1] > 0.6) + 0.2 * rng.normal(size=N)


def words():
    rng = np.random.default_rng(4)
    X = pd.DataFrame({"town": rng.choice(list("opqrst"), N), "size": rng.normal(size=N), "age": rng.normal(size=N)})
    effect = X["town"].map(dict(zip("opqrst", rng.normal(size=6), strict=True)))
    return X, (effect + np.sin(3.0 * X["size"]) * (X["age"] > 0.0) + 0.1 * rng.normal(size=N)).to_numpy()


def classes():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(N, 6))
    return pd.DataFrame(X, columns=list("abcdef")), np.where(X[:, 0] * X[:, 1] > 0.2 * rng.normal(size=N), "yes", "no")


def many_columns():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 60))
    return pd.DataFrame(X, columns=[f"c{j}" for j in range(60)]), X[:, 0] + 0.5 * X[:, 1] + 0.5 * rng.normal(size=N)


@pytest.mark.usefixtures("two_parts")
@pytest.mark.parametrize("draw", [steps, words, classes, many_columns])
def test_the_default_depends_neither_on_the_order_of_rows_nor_on_the_names_of_classes(draw):
    X, y = draw()
    order = np.random.default_rng(4).permutation(N)
    named, sign = (np.where(y == "yes", "a", "z"), -1.0) if draw is classes else (y, 1.0)
    first, other = kernelopt.solve(X, y), kernelopt.solve(X.iloc[order], named[order])
    assert sum("joined the list" in note for note in first.notes), "rows that are held out must have a say"
    values = first.decision_function(X)
    np.testing.assert_allclose(sign * other.decision_function(X), values, atol=0.01 * np.std(values))


def test_the_order_of_rows_in_groups_does_not_matter(monkeypatch):
    X, y = steps()
    groups, order = np.arange(N) // 3, np.random.default_rng(5).permutation(N)

    class Placed(Exception):
        """Where rows come, in the order of the table."""

    def placed(training, rows):
        raise Placed(training.place)

    monkeypatch.setattr(Training, "in_place", placed)
    with pytest.raises(Placed) as first:
        kernelopt.solve(X, y, groups=groups)
    with pytest.raises(Placed) as other:
        kernelopt.solve(X.iloc[order], y[order], groups=groups[order])
    np.testing.assert_array_equal(other.value.args[0], first.value.args[0][order])
