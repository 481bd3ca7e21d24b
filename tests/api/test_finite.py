"""No bound and no prediction is made of numbers that are none."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Dictionary
from kernelopt._base._finite import finite_in_training
from kernelopt.plugin import Dense, InvalidData
from kernelopt.testing import Waves

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.where(X[:, 0] + 0.3 * RNG.normal(size=40) > 0.0, 1, -1)
WILD = X * [1e200, 1.0, 1.0]
FAR = np.vstack([X[:2], [[1e300, 0.0, 0.0]]])
FAMILIES = [
    "tk",
    "gpk",
    "cosine",
    "gaussian",
    "hyperkernel",
    "auto",
    Dictionary(["poly"]),
    Dictionary(["rbf", "linear"]),
]
WHERE = r"is no finite number at row 2 of 3, with values up to 1e\+300 in size; drop"


@pytest.mark.filterwarnings("ignore::kernelopt.OutsideBounds")
@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_a_row_far_away_has_a_number_or_a_refusal(family):
    s = kernelopt.solve(X, Y, family=family, criterion="svc", tol=1e-2, max_steps=10)
    for ask in (s.decision_function, s.predict, s.kernel, s.kernel.diag):
        values, told = answered(ask)
        assert np.isfinite(values).all() if told is None else "finite" in told or "NaN or infinity" in told


def answered(ask):
    """The values at rows of which one is far away, or the refusal."""
    try:
        return ask(FAR), None
    except InvalidData as error:
        return None, str(error)


def test_the_refusal_names_the_row():
    s = kernelopt.solve(X, Y, family="gpk", criterion="svc", max_steps=3)
    for ask in (s.decision_function, s.predict, s.kernel, s.kernel.features):
        with pytest.raises(InvalidData, match=WHERE):
            ask(FAR)
    with pytest.raises(InvalidData, match=r"at row 2 of 3"):
        s.kernel(X, FAR)
    many = np.vstack([np.tile(X, (30, 1)), FAR])
    with pytest.raises(InvalidData, match=r"at row 1202 of 1203"):
        s.predict(many)


def test_a_deviation_is_a_number():
    s = kernelopt.solve(X, X[:, 0], family="auto", criterion="evidence", tol=1e-2)
    with pytest.raises(InvalidData, match="is no finite number at row 2 of 3"):
        s.predict(FAR, return_std=True)


@pytest.mark.parametrize("rescale", [True, False])
@pytest.mark.parametrize("name", ["tk", "gpk", "cosine", "gaussian"])
def test_wild_columns_are_rescaled_or_refused(name, rescale):
    """Never an answer whose bounds are crossed, infinite or NaN."""
    family = name if rescale else {"name": name, "rescale": None}
    options = {"criterion": "svc", "tol": 1e-2, "max_steps": 20}
    if rescale:
        certificate = kernelopt.solve(WILD, Y, family=family, **options).certificate
        assert certificate.lower <= certificate.upper < np.inf
    else:
        with pytest.raises((InvalidData, kernelopt.InvalidOption), match="rescale"):
            kernelopt.solve(WILD, Y, family=family, **options)


def test_standard_columns_of_any_size_are_seen():
    alike = X / X.std(axis=0)  # and in WILD one drowns the others: neither is looked at in units of its own
    here, there = (kernelopt.solve(rows, Y, family="auto", criterion="svc", tol=1e-4) for rows in (alike, WILD))
    assert there.objective == pytest.approx(here.objective, rel=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_family_that_gives_no_numbers_is_told_where(bad):
    class Gram(Waves):
        def gram(self, part, data):
            return Dense(np.full((len(data), len(data)), bad))

    class Bind(Waves):
        def bind(self, rows):
            return np.full(rows.shape, bad)

    told = "waves: its values on the training rows are NaN or infinite{}; rescale"
    for family, where in ((Gram(), ", first for row 0"), (Bind(), "")):
        with pytest.raises(InvalidData, match=told.format(where)):
            kernelopt.solve(X[:, :1], Y, family=family, criterion="svc")


def test_the_first_two_rows_without_a_value_between_them_are_named():
    class ZeroByZero(Waves):
        def gram(self, part, data):
            K = super().gram(part, data).dense()
            equal = (data == data.T) & ~np.eye(len(K), dtype=bool)
            return Dense(np.where(equal, np.nan, K))

    rows = np.append(X[:, :1], X[7:9, :1], axis=0)
    last = len(rows) - 2
    told = f"waves: .* NaN or infinite, first between rows 7 and {last}; rescale .*for example for two equal ones"
    with pytest.raises(InvalidData, match=told):
        kernelopt.solve(rows, np.append(Y, Y[7:9]), family=ZeroByZero(), criterion="svc")


@pytest.mark.parametrize("place", [0, 1 << 16, -1])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("wrong", [np.nan, -np.inf])
def test_one_wrong_value_among_many_is_found(place, order, wrong):
    values = np.zeros((300, 301), order=order)
    assert finite_in_training(values, "test") is values
    values.ravel(order=order)[place] = wrong
    with pytest.raises(InvalidData, match="test: its values on the training rows are NaN or infinite"):
        finite_in_training(values, "test")
