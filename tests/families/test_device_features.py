"""Features on a device: those of the processor, the same sums, the same looks at classes, and nothing that is held."""

import pickle

import numpy as np
import pytest

import kernelopt
from kernelopt._evidence.classes._summed_classes import Labelled
from kernelopt._families._leaf import Leaf
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel, PlacedKernel
from kernelopt._families.dictionary.seen._places import Metric
from kernelopt._families.features import _device_features
from kernelopt._families.features._device_kernel import DeviceKernel, DeviceSum
from kernelopt._families.features._feature_rows import FeatureMap, FeatureRows, HeldRows
from kernelopt._families.features._feature_sums import Summing
from kernelopt._families.features._landmark_choice import chosen
from kernelopt._families.features._landmarks import Landmarks
from kernelopt._families.variances._constant import Constant
from kernelopt.plugin import Mixture, Part

N = 400
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 3))
X[:, 2] = RNG.integers(0, 4, size=N)
Y = np.column_stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]])
WEIGHT = RNG.uniform(0.5, 3.0, size=N)
COLUMNS = np.arange(3)
KERNELS = (
    ("rbf", {"gamma": 0.3}),
    ("laplacian", {"gamma": 0.2}),
    ("poly", {"degree": 2}),
    ColumnKernel(("rbf", {"gamma": 0.5}), 1),
    PlacedKernel(("laplacian", {"gamma": 0.3}), Metric(np.array([1.0, 0.5, 0.1]))),
)


def plain_gaussian(A, B):
    return np.exp(-0.3 * np.sum((A[:, None] - B) ** 2, axis=2))


def prepared(*kernels, **options):
    return kernelopt.Dictionary(kernels, **{"normalize": "trace", **options}).prepare(X, np.ones(N))


def spanned(family, most):
    return chosen(family, family.dictionary(), X, most, 0.0, np.random.default_rng(1)).kernel


RICH = prepared(*KERNELS, rescale="standard")
AUTO = kernelopt.Dictionary("auto").prepare(X, np.ones(N))
OPAQUE = prepared(plain_gaussian)
UNIT = prepared(("poly", {"degree": 2}), normalize="diagonal")
SAMPLED = kernelopt.sampled("cosine", 20).prepare(X, np.ones(N))
LISTS = {
    "landmarks": (
        Leaf(Landmarks((spanned(RICH, 30), spanned(AUTO, 40))), COLUMNS, factor=2.0),
        Leaf(Constant(), COLUMNS),
    ),
    "moved": (Leaf(Landmarks((spanned(OPAQUE, 20),)), COLUMNS), Leaf(SAMPLED, COLUMNS, factor=0.5)),
    "one leaf": (Leaf(Landmarks((spanned(prepared(KERNELS[0]), 10),)), COLUMNS),),
}


@pytest.fixture(params=LISTS)
def leaves(request):
    return LISTS[request.param]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(_device_features, "_ENTRIES", 97 * 71)


@pytest.mark.parametrize("family", [RICH, AUTO], ids=["rich", "auto"])
def test_a_closed_form_is_the_kernel(arrays, family):
    part = Part(family.dictionary().atoms, RNG.uniform(size=len(family.dictionary())))
    kernel = DeviceKernel.of(arrays, family, part)
    assert kernel.closed is not None
    found = arrays.back(kernel.between(kernel.seen(X[:50]), kernel.seen(X)))
    assert found == pytest.approx(family.cross(part, X[:50], X), abs=1e-10)


def test_distances_of_copies_are_0_to_the_root_of_rounding(arrays):
    family = prepared(("exponential", {"gamma": 0.2}))
    kernel = DeviceKernel.of(arrays, family, family.dictionary())
    found = arrays.back(kernel.between(kernel.seen(X[:50]), kernel.seen(X)))
    assert found == pytest.approx(family.cross(family.dictionary(), X[:50], X), abs=1e-7)


@pytest.mark.parametrize("family", [OPAQUE, UNIT], ids=["function", "diagonal"])
def test_a_kernel_without_a_closed_form_is_moved(arrays, family):
    kernel = DeviceKernel.of(arrays, family, family.dictionary())
    assert kernel.closed is None
    found = arrays.back(kernel.between(kernel.seen(X[:50]), kernel.seen(X)))
    assert np.array_equal(found, family.cross(family.dictionary(), X[:50], X))


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
def test_sums_are_those_of_the_processor_and_nothing_is_held(arrays, leaves, weight):
    here, there = FeatureMap.of(leaves, X), FeatureMap.of(leaves, X, arrays)
    wanted, _ = HeldRows.of(FeatureRows(here, X), Y, weight).total(Summing(here))
    found, seen = HeldRows.of(FeatureRows(there, X), Y, weight).total(Summing(there))
    for name in ("inner", "along", "squares", "total", "rows"):
        mine, other = getattr(found, name), np.asarray(getattr(wanted, name))
        assert np.abs(mine - other).max() <= 1e-10 * np.abs(other).max()
    assert seen.features.held is None


def test_images_are_those_of_the_processor(arrays, leaves):
    here, there = (FeatureRows(FeatureMap.of(leaves, X, on), X) for on in (None, arrays))
    B = RNG.normal(size=(here.width, 2))
    assert there.image(B) == pytest.approx(here.image(B), rel=1e-8, abs=1e-8)
    block = there.map.device.whole(X)
    assert block.times(B) == pytest.approx(here.at(slice(None)) @ B, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("weight", [np.ones(N), WEIGHT], ids=["plain", "weighted"])
def test_the_mode_of_classes_is_that_of_the_processor(arrays, weight):
    signs = np.sign(Y[:, :1] + 0.1)
    modes = []
    for on in (None, arrays):
        features = FeatureMap.of(LISTS["landmarks"], X, on)
        rows = HeldRows.of(FeatureRows(features, X), signs, weight)
        modes.append(Labelled(rows, features, np.sqrt(np.linspace(0.2, 1.0, 71))).mode(2.0, np.zeros(71)))
    assert modes[1] == pytest.approx(modes[0], rel=1e-7, abs=1e-7)


def test_a_mixture_of_leaves_is_their_sum(arrays):
    leaves = (Leaf(RICH, COLUMNS, factor=2.0), Leaf(OPAQUE, COLUMNS), Leaf(AUTO, COLUMNS))
    parts = (RICH.dictionary(), OPAQUE.dictionary(), Part(AUTO.dictionary().atoms, np.zeros(len(AUTO.listed))))
    there = DeviceSum.of(arrays, leaves, Mixture(parts), X)
    wanted = 2.0 * RICH.cross(parts[0], X[:70], X[:90]) + OPAQUE.cross(parts[1], X[:70], X[:90])
    assert arrays.back(there.between(slice(0, 70), slice(0, 90))) == pytest.approx(wanted, abs=1e-10)


def test_the_notes_say_where_and_what_was_moved(arrays):
    notes = {name: FeatureMap.of(leaves, X, arrays).notes for name, leaves in LISTS.items()}
    assert notes["landmarks"] == (f"device: the rows were summed up on {arrays.name}",)
    assert notes["moved"][0] == notes["landmarks"][0]
    assert "dictionary and sampled has values without a closed form" in notes["moved"][1]
    assert FeatureMap.of(LISTS["landmarks"], X).notes == ()


def test_features_on_a_device_travel_to_other_processes(arrays):
    if arrays.library == "array_api_strict":
        pytest.skip("arrays of array_api_strict are not pickled")
    there = FeatureMap.of(LISTS["landmarks"], X, arrays)
    other = pickle.loads(pickle.dumps(Summing(there)))
    rows = HeldRows.of(FeatureRows(there, X), Y, WEIGHT)
    assert np.array_equal(rows.total(other)[0].inner, rows.total(Summing(there))[0].inner)
