"""A model of a table keeps how the table was read."""

import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt import NewMissingValues

RNG = np.random.default_rng(8)
N = 50
TABLE = pd.DataFrame(
    {
        "colour": np.where(RNG.random(N) < 0.1, None, RNG.choice(["red", "blue", "green"], N)),
        "doors": pd.Categorical(RNG.choice([2, 4], N)),
        "size": np.where(RNG.random(N) < 0.2, np.nan, RNG.normal(size=N)),
        "old": RNG.random(N) < 0.5,
    }
)
Y = (TABLE["colour"] == "red").to_numpy() + np.nan_to_num(TABLE["size"].to_numpy())
SPOILT = TABLE.assign(colour="violet", old=None)


@pytest.mark.parametrize(
    ("family", "criterion"),
    [
        ("auto", kernelopt.Evidence(targets="numbers", effort="quick")),
        ("auto", kernelopt.Evidence(targets="numbers")),
        ("tk", "svr"),
        ("gpk", "svr"),
        (["gaussian", kernelopt.on("metric", [0, 2])], "svr"),
    ],
)
def test_a_model_predicts_tables_to_the_bit(tmp_path, family, criterion):
    s = kernelopt.solve(TABLE, Y, family=family, criterion=criterion, max_steps=4)
    s.save(tmp_path / "model")
    model = kernelopt.load(tmp_path / "model")
    assert np.array_equal(model.predict(TABLE), s.predict(TABLE))
    with pytest.warns(NewMissingValues, match="in column 'old'"):
        assert np.array_equal(model.predict(SPOILT), s.predict(SPOILT))
    assert str(model.kernel) == str(s.model.kernel)
    model.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_an_old_model_knows_no_gaps_and_refuses_them(tmp_path):
    import attrs

    X = RNG.normal(size=(30, 2))
    model = kernelopt.solve(X, X[:, 0] > 0.0, family="gaussian").model
    kernel = attrs.evolve(model.kernel, encoding=None)
    old = attrs.evolve(model, predictor=attrs.evolve(model.predictor, kernel=kernel))
    assert np.array_equal(old.predict(X), model.predict(X))
    with pytest.raises(kernelopt.InvalidData, match="Z has 1 value that is NaN or infinite"):
        old.predict([[np.nan, 0.0]])


@pytest.mark.parametrize("dates", [((0, "year first"),), ((7, ""),), ((-1, ""),), ((1, ""),), ((0, "unit 7"),)])
def test_dates_that_no_column_has_are_refused(tmp_path, dates):
    import attrs

    table = pd.DataFrame({"when": pd.date_range("2020-01-01", periods=30).astype(str), "word": list("abc") * 10})
    model = kernelopt.solve(table, RNG.normal(size=30), family="dictionary", criterion="ridge").model
    encoding = attrs.evolve(model.kernel.encoding, dates=dates)
    kernel = attrs.evolve(model.kernel, encoding=encoding)
    strange = attrs.evolve(model, predictor=attrs.evolve(model.predictor, kernel=kernel))
    with pytest.raises(kernelopt.ModelFileError, match="the columns of dates"):
        strange.save(tmp_path / "model")
