"""Rows that a plugin brings: they are learned from in blocks, and predicted where they are."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence, InvalidData, InvalidOption, KernelClassifier, KernelRegressor, MissingLibrary, sampled
from kernelopt._base._errors import BrokenPlugin
from kernelopt._plugins import _sources
from kernelopt._plugins._registry import PluginInfo, Registry
from kernelopt._rows._arrays import of_arrays
from kernelopt.plugin import Passes, RowSource

RNG = np.random.default_rng(0)
X = RNG.normal(size=(10_200, 3))
Y = np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.1 * RNG.normal(size=len(X))
FAMILY = sampled("cosine", 20)
NUMBERS = Evidence(targets="numbers", effort="quick")


class Parcel:
    """Rows that nobody may read but their source."""

    def __init__(self, values):
        self._values, self.shape = values, values.shape

    def __array__(self, *_args, **_kwargs):
        raise AssertionError("it is read as an array")


class Office:
    """Leads to workers."""


class Collection:
    """What looks like a collection of dask."""

    shape = (5, 2)

    def __dask_graph__(self):
        return {}


class Promise:
    """What nobody has computed yet."""

    def __init__(self, work, rows, outline):
        self._call, self.outline = (work, rows), outline

    def compute(self):
        work, rows = self._call
        return work(rows)


@attrs.frozen
class Told(Passes):
    """Passes that are counted."""

    count: list

    def total(self, pieces, work, heard=lambda share: None, stop=bool):
        self.count.append(len(pieces))
        found = work(pieces[0])
        for piece in pieces[1:]:
            found = found.plus(work(piece))
        return found, len(pieces)


COUNT = []


@attrs.frozen
class Post(RowSource):
    name = "post"

    def takes(self, X):
        return isinstance(X, Parcel)

    def blocks(self, X, y, weight):
        return of_arrays(X._values, y, weight)

    def serves(self, client):
        return isinstance(client, Office)

    def passes(self, client):
        return Told(COUNT)

    def mapped(self, Z, work, outline):
        return Promise(work, Z._values, outline)


@pytest.fixture
def post(monkeypatch):
    COUNT.clear()
    monkeypatch.setattr(_sources, "_sources", lambda: (Post(),))


@pytest.mark.usefixtures("post")
def test_rows_of_a_plugin_are_learned_from_in_blocks_where_a_client_says():
    found = kernelopt.solve(Parcel(X), Y, family=FAMILY, criterion=NUMBERS)
    assert COUNT == []
    same = kernelopt.solve(Parcel(X), Y, family=FAMILY, criterion=NUMBERS, client=Office())
    assert COUNT == [1, 1]
    files = kernelopt.solve(kernelopt.row_blocks(X, Y), family=FAMILY, criterion=NUMBERS, client=Office())
    assert len(COUNT) == 4
    wanted = found.predict(X)
    np.testing.assert_array_equal(same.predict(X), wanted)
    np.testing.assert_array_equal(files.predict(X), wanted)


@pytest.mark.usefixtures("post")
def test_what_is_predicted_of_such_rows_is_computed_when_it_is_asked_for():
    rows, y = X[:200], Y[:200]
    found = kernelopt.solve(rows, np.column_stack([y, -y]), family=FAMILY, criterion=NUMBERS)
    one = kernelopt.solve(rows, y, family=FAMILY, criterion=NUMBERS)
    classes = kernelopt.solve(rows, np.where(y > 1, "up", "down"), family=FAMILY, criterion="evidence")
    for machine, method, columns, kind in (
        (found, "predict", 2, "f"),
        (one, "predict", None, "f"),
        (one.model, "decision_function", None, "f"),
        (classes, "predict", None, "U"),
        (classes, "predict_proba", 2, "f"),
    ):
        promise = getattr(machine, method)(Parcel(X))
        assert (promise.outline.columns, promise.outline.dtype.kind) == (columns, kind)
        computed = promise.compute()
        assert computed.dtype == promise.outline.dtype
        np.testing.assert_array_equal(computed, getattr(machine, method)(X))
    values, deviation = one.predict(Parcel(X), return_std=True)
    np.testing.assert_array_equal(values.compute(), one.predict(X))
    np.testing.assert_array_equal(deviation.compute(), one.predict(X, return_std=True)[1])
    with pytest.raises(InvalidOption, match="return_std"):
        classes.predict(Parcel(X), return_std=True)
    with pytest.raises(InvalidOption, match="without probabilities"):
        one.predict_proba(Parcel(X))
    with pytest.raises(InvalidData, match="Z has 2 columns, wanted 3 as in training"):
        one.predict(Parcel(X[:, :2]))


@pytest.mark.usefixtures("post")
def test_estimators_take_them_too():
    one = KernelRegressor(FAMILY, criterion="evidence").fit(Parcel(X), Y)
    np.testing.assert_array_equal(one.predict(Parcel(X)).compute(), one.predict(X))
    labels = np.where(Y > 1, "up", "down")
    other = KernelClassifier(FAMILY, criterion="evidence").fit(kernelopt.row_blocks(X, labels))
    assert other.classes_.tolist() == ["down", "up"]
    assert (other.n_features_in_, one.n_features_in_) == (3, 3)
    again = KernelRegressor("tk").fit(kernelopt.row_blocks(X[:60], Y[:60]))
    np.testing.assert_allclose(again.predict(X[:60]), KernelRegressor("tk").fit(X[:60], Y[:60]).predict(X[:60]))


def test_a_refit_forgets_the_columns_of_the_rows_before(tmp_path):
    pd = pytest.importorskip("pandas")
    one = KernelRegressor("tk").fit(pd.DataFrame(X[:40], columns=list("abc")), Y[:40])
    one.fit(kernelopt.row_blocks(X[:40, :2], Y[:40]))
    assert one.n_features_in_ == 2
    assert not hasattr(one, "feature_names_in_")
    np.savetxt(tmp_path / "rows.csv", X[:40], delimiter=",", header="u,v,w", comments="")
    one.fit(kernelopt.row_blocks(tmp_path / "rows.csv", target="w"))
    assert one.feature_names_in_.tolist() == ["u", "v"]


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda: kernelopt.solve(Parcel(X)), InvalidData, "y is missing: post rows need a target"),
        (lambda: kernelopt.solve(X, Y, client=Office()), InvalidOption, r"client with rows in memory \(ndarray\)"),
        (lambda: kernelopt.solve(Parcel(X), Y, client=3), InvalidOption, "client: got int, wanted a client"),
        (lambda: kernelopt.solve(Collection(), Y), MissingLibrary, r"\(Collection\).*pip install kernelopt-dask"),
        (lambda: KernelRegressor().fit(Collection(), Y), MissingLibrary, "pip install kernelopt-dask"),
        (lambda: kernelopt.solve(X, Collection()), InvalidData, r"y is a collection of dask .*y\.compute"),
        (lambda: kernelopt.row_blocks(Collection(), Y), InvalidData, r"X is a collection of dask"),
        (
            lambda: kernelopt.certify(Parcel(X), Y, family=FAMILY, criterion=NUMBERS, mixture=None),
            InvalidData,
            "X has 10200 rows in blocks, and a certificate needs the Gram matrix of all; wanted rows in memory",
        ),
    ],
)
@pytest.mark.usefixtures("post")
def test_what_nobody_can_read_is_refused_in_one_sentence(call, error, told):
    with pytest.raises(error, match=told) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_a_broken_plugin_is_named_where_its_rows_come(monkeypatch):
    broken = PluginInfo("dask", "kernelopt-dask 0.1.0", reason="ImportError: no luck today")
    monkeypatch.setattr(_sources, "registry", lambda: Registry((broken,), {}))
    with pytest.raises(BrokenPlugin, match="no luck today"):
        kernelopt.solve(Collection(), Y)
    with pytest.raises(BrokenPlugin, match="no luck today"):
        kernelopt.solve(kernelopt.row_blocks(X, Y), client=Office())


def test_what_could_be_a_collection_and_is_none_is_an_array():
    class Labelled:
        """As the arrays of xarray are."""

        def __init__(self, values):
            self.values, self.shape, self.ndim, self.dtype = values, values.shape, values.ndim, values.dtype

        def __dask_graph__(self):
            return None

        def __array__(self, dtype=None, copy=None):
            return self.values

        def __len__(self):
            return len(self.values)

    X_, Y_ = X[:40], Y[:40]
    found = kernelopt.solve(Labelled(X_), Labelled(Y_), family="tk")
    np.testing.assert_array_equal(found.predict(X_), kernelopt.solve(X_, Y_, family="tk").predict(Labelled(X_)))
