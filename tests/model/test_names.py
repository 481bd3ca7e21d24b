"""The names of a table's columns go into words, pictures and models."""

import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt import KernelClassifier
from kernelopt.plugin import InvalidData
from kernelopt.testing import small_task

NAMES = ("width", "height")


@pytest.fixture(name="table", scope="module")
def _table():
    X, y = small_task("classification")
    return pd.DataFrame(X, columns=list(NAMES)), y


def test_a_table_gives_its_names_to_all_words(table, tmp_path):
    X, y = table
    s = kernelopt.solve(X, y, family=kernelopt.each("tk"), criterion="svc")
    assert s.kernel.names == NAMES
    for words in (s.kernel.describe(), str(s.kernel), str(s), str(s.model)):
        assert "tk on width" in words
        assert "column 0" not in words
    s.save(tmp_path / "one")
    model = kernelopt.load(tmp_path / "one")
    assert model.columns == NAMES
    assert model.kernel.describe() == s.model.kernel.describe()


@pytest.mark.parametrize(
    "family",
    ["dictionary", kernelopt.sampled("dictionary", 8), kernelopt.priced("dictionary", 0.01), "auto"],
    ids=["list", "sampled", "priced", "auto"],
)
def test_kernels_of_one_column_are_called_by_its_name(family):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["still", *NAMES])
    X["still"] = 1.0
    y = np.where(X["height"] ** 2 > 0.5, 1, 0)
    s = kernelopt.solve(X, y, family=family, criterion="evidence" if family == "auto" else "svc", max_steps=5)
    told = s.kernel.describe()
    assert "of height" in told
    assert "of x1" not in told


def test_arrays_have_no_names_until_they_are_told(table):
    X, y = table
    s = kernelopt.solve(X.to_numpy(), y, family=kernelopt.each("tk"), criterion="svc")
    assert s.kernel.names == ()
    assert "tk on column 0" in s.kernel.describe()
    assert "tk on width" in s.named(NAMES).kernel.describe()
    assert np.array_equal(s.named(NAMES).decision_function(X), s.decision_function(X))
    with pytest.raises(kernelopt.InvalidOption, match="got 3 names for 2 columns"):
        s.named("abc")


def test_names_that_are_no_words_are_none(table):
    X, y = table
    s = kernelopt.solve(X.set_axis([0, "height"], axis=1), y, family=kernelopt.fixed("rbf"), criterion="svc")
    assert s.kernel.names == ()


def test_estimators_tell_the_names_that_they_have_seen(table):
    X, y = table
    assert KernelClassifier("tk").fit(X, y).kernel_.names == NAMES
    assert KernelClassifier("tk").fit(X.to_numpy(), y).kernel_.names == ()


def test_pictures_call_columns_by_the_names_of_the_table(table):
    pytest.importorskip("matplotlib").use("Agg")
    import matplotlib.pyplot as plt

    X, y = table
    s = kernelopt.solve(X, y, family=kernelopt.each("tk"), criterion="svc")
    from kernelopt import plot

    surface = plot.decision(s, X, y)
    assert (surface.get_xlabel(), surface.get_ylabel()) == NAMES
    bars = {label.get_text() for label in plot.features(s, X).get_yticklabels()}
    assert bars == set(NAMES)
    assert {label.get_text() for label in plot.weights(s).get_yticklabels()} <= {f"tk on {name}" for name in NAMES}
    assert plot.decision(s, X, y, names=["a", "b"]).get_xlabel() == "a"
    plt.close("all")


def test_a_label_that_is_cut_keeps_both_ends():
    from kernelopt._base._svg import brief

    assert brief("poly(degree=2, gamma=1) of hue", 14) == "poly(d\N{HORIZONTAL ELLIPSIS} of hue"
    assert brief("hue", 3) == "hue"


def test_a_table_with_its_columns_in_another_order_is_refused(table):
    """Whatever is asked of its rows; in the right order, or as an array, they are taken."""
    X, y = table
    s = kernelopt.solve(X, y, family="gaussians", criterion="evidence")
    turned = X[list(reversed(NAMES))]
    asked = (
        s.predict, s.decision_function, s.kernel, s.kernel.diag, s.model.predict,
        lambda Z: s.kernel(X, Z), lambda Z: s.score(Z, y),
    )  # fmt: skip
    for ask in asked:
        with pytest.raises(InvalidData, match="has 'height' as column 0, wanted 'width' as in training"):
            ask(turned)
        ask(X)
        ask(X.to_numpy())
    np.testing.assert_array_equal(s.predict(turned[list(NAMES)]), s.predict(X))
