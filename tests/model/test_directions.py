"""Which directions matter: laws of every family, criterion and task."""

import attrs
import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt import Directions, InvalidData, InvalidOption, directions
from kernelopt.testing import small_task

W = np.array([0.0, 0.6, 0.0, 0.8])


@pytest.fixture(name="ridge_function", scope="module")
def _ridge_function():
    """A function of one combination of four columns, learned."""
    X = np.random.default_rng(0).normal(size=(200, 4))
    y = np.sin(1.5 * X @ W)
    return X, y, kernelopt.solve(X, y, family="gaussians", criterion={"name": "ridge", "lam": 1e-4})


def degrees(v, w):
    return np.degrees(np.arccos(min(abs(v @ w) / np.linalg.norm(v) / np.linalg.norm(w), 1.0)))


def is_consistent(found: Directions, d: int) -> bool:
    """What holds for all: shares that sum to 1, strengths that fall, orthonormal vectors of one sign, one matrix."""
    V, r = found.vectors, len(found.strengths)
    assert found.shares.shape == (d,)
    assert V.shape == (d, r)
    assert (found.shares >= 0.0).all()
    if not r:
        return not found.shares.any()
    assert found.shares.sum() == pytest.approx(1.0)
    assert found.strengths.sum() == pytest.approx(1.0)
    assert (np.diff(found.strengths) <= 0.0).all()
    assert (found.strengths > 0.0).all()
    assert np.allclose(V.T @ V, np.eye(r))
    assert (V[np.abs(V).argmax(axis=0), np.arange(r)] > 0.0).all()
    return np.allclose(np.sum(V**2 * found.strengths, axis=1), found.shares)


def test_the_leading_direction_is_the_one_on_which_the_function_depends(ridge_function):
    X, _, s = ridge_function
    found = directions(s, X)
    assert is_consistent(found, 4)
    assert degrees(found.vectors[:, 0], W) < 5.0
    assert found.strengths[0] > 0.9
    assert found.leading == 1
    assert found.names == ("x0", "x1", "x2", "x3")


def test_permuted_columns_have_permuted_shares(ridge_function):
    X, y, s = ridge_function
    order = [2, 3, 1, 0]
    other = kernelopt.solve(X[:, order], y, family="gaussians", criterion=s.criterion)
    assert directions(other, X[:, order]).shares == pytest.approx(directions(s, X).shares[order], abs=1e-4)


def test_units_of_the_columns_change_nothing():
    X = np.random.default_rng(1).normal(size=(80, 3))
    y = np.tanh(X @ [1.0, 0.5, 0.0])
    family = {
        "name": "dictionary",
        "kernels": [("rbf", {"gamma": 0.3}), ("rbf", {"gamma": 3.0})],
        "rescale": "standard",
    }
    Z = X * [1e3, 1e-2, -1.0] + [50.0, 0.0, 7.0]
    first, other = (directions(kernelopt.solve(rows, y, family=family, criterion="ridge"), rows) for rows in (X, Z))
    assert other.shares == pytest.approx(first.shares, abs=1e-6)
    assert np.abs(other.vectors[:, 0]) == pytest.approx(np.abs(first.vectors[:, 0]), abs=1e-6)


def test_categories_count_as_numbers_do():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.integers(0, 2, 150), rng.integers(0, 3, 150), rng.normal(size=150)])
    y = 2.0 * X[:, 0] + np.where(X[:, 1] == 1.0, 1.0, 0.0)
    found = directions(kernelopt.solve(X, y, family="gaussians", criterion={"name": "ridge", "lam": 1e-5}), X)
    assert is_consistent(found, 3)
    wanted = np.array([(2.0 * X[:, 0].std()) ** 2, X[:, 1].std() ** 2, 0.0])
    assert found.shares == pytest.approx(wanted / wanted.sum(), abs=0.05)


@pytest.mark.parametrize("family", kernelopt.families())
def test_every_family_has_directions(family):
    X = np.random.default_rng(3).normal(size=(24, 3))
    X[:, 2] = 1.0
    s = kernelopt.solve(X, np.sign(X[:, 0] + X[:, 1]), family=family, tol=1e-1, max_steps=4)
    found = directions(s, X)
    assert is_consistent(found, 3)
    assert found.shares[2] == 0.0


@pytest.mark.parametrize("task", ["classification", "regression", "novelty"])
def test_every_task_has_directions(task):
    X, y = small_task("regression" if task == "novelty" else task)
    s = kernelopt.solve(X, None if task == "novelty" else y, tol=1e-1)
    assert is_consistent(directions(s), X.shape[1])


def test_several_outputs_are_taken_together():
    X = np.random.default_rng(4).normal(size=(100, 3))
    Y = np.column_stack([X[:, 0], 3.0 * X[:, 1]])
    found = directions(
        kernelopt.solve(X, Y, family=kernelopt.fixed("linear"), criterion={"name": "ridge", "lam": 1e-6}), X
    )
    units = X.std(axis=0) ** 2 * [1.0, 9.0, 0.0]
    assert found.shares == pytest.approx(units / units.sum(), abs=1e-3)
    assert found.leading == 1
    assert len(found.strengths) >= 2


def test_a_model_from_a_file_has_those_of_its_solution(ridge_function, tmp_path):
    X, _, s = ridge_function
    named = s.named(["a", "b", "c", "d"])
    named.save(tmp_path / "one")
    model = kernelopt.load(tmp_path / "one")
    for rows in (X, None):
        mine, its = directions(named, rows), directions(model, rows)
        assert np.array_equal(mine.shares, its.shares)
        assert np.array_equal(mine.vectors, its.vectors)
        assert str(mine) == str(its)
    assert directions(model).names == ("a", "b", "c", "d")


def test_without_rows_the_support_vectors_are_asked(ridge_function):
    s = ridge_function[2]
    assert np.array_equal(directions(s).shares, directions(s, s.support_vectors).shares)


def test_a_model_without_rows_wants_some():
    X, y = small_task("classification")
    s = kernelopt.solve(X, y, family="cosine", criterion="svc", max_steps=2)
    with pytest.raises(InvalidData, match="X is missing: the model keeps no rows"):
        directions(s.model)
    assert np.array_equal(directions(s.model, X).shares, directions(s, X).shares)


def test_a_constant_function_has_no_direction_and_says_so():
    X = np.random.default_rng(5).normal(size=(30, 2))
    found = directions(kernelopt.solve(X, X[:, 0], family="constant", criterion="ridge"), X)
    assert is_consistent(found, 2)
    assert found.vectors.shape == (2, 0)
    assert found.leading == 0
    assert str(found) == "no column matters: the decision function is constant on these rows"


def test_one_row_varies_in_no_column(ridge_function):
    X, _, s = ridge_function
    assert "constant on these rows" in str(directions(s, X[:1]))


def test_an_estimator_is_told_where_its_solution_is(ridge_function):
    X, y, _ = ridge_function
    machine = kernelopt.KernelRegressor("gaussians").fit(X[:40], y[:40])
    with pytest.raises(InvalidOption, match="got KernelRegressor, wanted a solution or a model"):
        directions(machine, X)
    assert is_consistent(directions(machine.solution_), 4)


def test_rows_outside_the_bounds_are_warned_of_once():
    X, y = small_task("classification")
    s = kernelopt.solve(X, y, family="tk", criterion="svc", tol=1e-1)
    directions(s, X)
    with pytest.warns(kernelopt.OutsideBounds) as caught:
        directions(s, 10.0 * X)
    assert len(caught) == 1


def test_a_few_words():
    root = np.array([[0.0, 0.6, 0.02, 0.8], [0.5, 0.0, 0.0, 0.0], [0.0, 0.4, 0.0, -0.3]])
    found = Directions.of(root, ("age", "height", "shoe", "weight"))
    assert str(found).splitlines() == [
        "weight 49 %, height 35 %, age 17 %",
        "0.80 weight + 0.60 height (67 %)",
        "1.00 age (17 %)",
        "0.80 height - 0.60 weight (17 %)",
    ]
    assert repr(found).startswith("<directions: weight 49 %")


def test_directions_are_frozen(ridge_function):
    found = directions(ridge_function[2])
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        found.shares = np.zeros(4)


def evident(X, y):
    return kernelopt.solve(X, y, family=kernelopt.fixed("rbf"), criterion={"name": "ridge", "lam": 1e-4})


@pytest.fixture(name="mixed", scope="module")
def _mixed():
    rng = np.random.default_rng(1)
    colour, x = rng.choice(["red", "blue", "green"], 150), rng.normal(size=150)
    table = pd.DataFrame({"x": x, "colour": colour, "noise": rng.normal(size=150)})
    table.loc[::9, "noise"] = np.nan
    return table, np.where(colour == "red", 2.0, 0.0) + 0.2 * x


def test_columns_of_categories_and_of_gaps_have_shares_by_their_names(mixed):
    found = directions(evident(*mixed), mixed[0])
    assert is_consistent(found, 3)
    assert found.names == ("x", "colour", "noise")
    assert found.shares[1] > 0.8
    assert found.shares[2] < 0.05


def test_what_categories_are_called_changes_no_direction(mixed):
    table, y = mixed
    ours = directions(evident(table, y), table)
    for names in (["c", "b", "a"], [7.0, 1.0, 3.0]):
        called = dict(zip(["red", "blue", "green"], names, strict=True))
        other = table.assign(colour=pd.Categorical(table["colour"].map(called)))
        theirs = directions(evident(other, y), other)
        assert np.array_equal(ours.shares, theirs.shares)
        assert np.array_equal(ours.vectors, theirs.vectors)


def test_two_categories_have_the_share_of_zeros_and_ones():
    """The function is one of zeros and ones; only how its directions are asked differs."""
    from kernelopt._prediction._slopes import Moves
    from kernelopt._prediction._swaps import Swaps

    codes = np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    table = pd.DataFrame({"x": codes.astype(int).astype(str), "z": np.arange(5.0)})
    encoding = kernelopt.solve(table, codes, family="gaussian", criterion="ridge").kernel.encoding
    chosen = np.arange(5)
    swaps = Swaps.of(encoding, codes, chosen, 0)
    moves = Moves(0, codes, np.zeros(5), np.ones(5), float(codes.std()), leaps=True)
    f = np.array([[2.0], [5.0]])
    value, down, up = f[codes.astype(int)], f[[0] * 5], f[[1] * 5]
    there = f[1 - codes.astype(int)]
    ours, theirs = swaps.slopes(value, there, there), moves.slopes(value, down, up)
    assert swaps.deviation == pytest.approx(moves.deviation)
    # One divides by the distance in deviations, and the other multiplies with the deviation of a distance of 1.
    assert np.allclose(ours[0], theirs[0])
    assert not ours[1].any()
    assert not theirs[1].any()
