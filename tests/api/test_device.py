"""`device=`: the answer of many rows is the same wherever they are summed up, and a note says where that was."""

import re

import numpy as np
import pytest
from some_rows import some_rows

import kernelopt
from kernelopt._api import _choose
from kernelopt._api.many_rows import _begun
from kernelopt._base._errors import InvalidOption
from kernelopt._device._arrays import Arrays
from kernelopt._families.features import _device_features, _feature_rows

N = 420
ROWS = some_rows(N)
X, F, NUMBERS, LABELS, THREE, Z = ROWS.X, ROWS.F, ROWS.numbers, ROWS.labels, ROWS.three, ROWS.Z
WEIGHT = np.random.default_rng(1).uniform(1.0, 3.0, size=N)
QUICK = {t: kernelopt.Evidence(targets=t, effort="quick", weights="relative") for t in ("numbers", "labels")}
SMOOTH = kernelopt.Dictionary([("rbf", {"gamma": 0.1}), ("rbf", {"gamma": 0.5}), ("laplacian", {"gamma": 0.1})])
ROUGH = kernelopt.Dictionary([("laplacian", {"gamma": 0.5})])
ADDITIVE = kernelopt.each(kernelopt.Dictionary([("rbf", {"gamma": 0.5})]))


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr(_begun, "MANY", 350)
    monkeypatch.setattr(_choose, "MANY", 350)
    monkeypatch.setattr(_feature_rows, "_ENTRIES", 30_000)
    monkeypatch.setattr(_device_features, "_ENTRIES", 50_000)


CASES = {
    "the default": (NUMBERS, "numbers", {}),
    "two numbers": (
        np.column_stack([NUMBERS, 2.0 * F - NUMBERS]),
        "numbers",
        {"family": SMOOTH, "sample_weight": WEIGHT},
    ),
    "two classes": (LABELS, "labels", {"family": SMOOTH, "sample_weight": WEIGHT}),
    "three classes": (THREE, "labels", {"family": SMOOTH}),
    "additive": (NUMBERS, "numbers", {"family": ADDITIVE}),
    "features of its own": (NUMBERS, "numbers", {"family": kernelopt.sampled("cosine", 40)}),
}


@pytest.fixture(scope="module")
def at_home():
    """What is found without a device, once for each case."""
    return {}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.usefixtures("few_are_many")
def test_the_answer_is_that_of_numpy(case, arrays, at_home):
    y, targets, options = CASES[case]
    if case not in at_home:
        at_home[case] = kernelopt.solve(X, y, criterion=QUICK[targets], **options)
    mine, other = at_home[case], kernelopt.solve(X, y, criterion=QUICK[targets], device=arrays, **options)
    for bound in ("lower", "upper"):
        apart = getattr(other.certificate, bound) - getattr(mine.certificate, bound)
        assert abs(apart) <= 1e-10 * N
    assert other.decision_function(Z) == pytest.approx(mine.decision_function(Z), rel=1e-9, abs=1e-9)
    assert other.coefficients == pytest.approx(mine.coefficients, rel=1e-6, abs=1e-8)
    if targets == "labels":
        assert other.predict_proba(Z) == pytest.approx(mine.predict_proba(Z), abs=1e-9)
    else:
        pairs = zip(other.predict(Z, return_std=True), mine.predict(Z, return_std=True), strict=True)
        assert all(a == pytest.approx(b, rel=1e-9, abs=1e-9) for a, b in pairs)
    assert any(note.startswith(f"device: the rows were summed up on {arrays.name}") for note in other.notes)
    assert not any(note.startswith("device") for note in mine.notes)


@pytest.mark.parametrize("y", [NUMBERS, LABELS], ids=["numbers", "classes"])
@pytest.mark.usefixtures("few_are_many")
def test_a_rough_kernel_is_whole_on_the_device_too(y, arrays, monkeypatch):
    monkeypatch.setattr("kernelopt._evidence._effort._LANDMARKS", {"normal": 15})
    monkeypatch.setattr("kernelopt._evidence._whole_kernel._SETTLED", 1e-5)
    mine, other = (kernelopt.solve(X, y, family=ROUGH, criterion="evidence", device=on) for on in (None, arrays))
    assert any("the whole kernel predicts" in note for note in other.notes)
    assert other.certificate.upper == pytest.approx(mine.certificate.upper, rel=1e-10)
    # The kernel is held in single precision.
    assert other.decision_function(Z) == pytest.approx(mine.decision_function(Z), abs=1e-3)


@pytest.mark.usefixtures("few_are_many")
def test_nothing_of_all_rows_by_all_features_comes_back(arrays, monkeypatch):
    sizes, back = [], Arrays.back
    monkeypatch.setattr(Arrays, "back", lambda self, values: sizes.append(values.shape) or back(self, values))
    s = kernelopt.solve(X, NUMBERS, family=SMOOTH, criterion=QUICK["numbers"], device=arrays)
    r = s.kernel.features(X).shape[1]
    assert any(shape[0] >= r for shape in sizes)
    assert all(np.prod(shape) <= max((r + 2) ** 2, N) for shape in sizes)


@pytest.mark.usefixtures("few_are_many")
def test_rows_in_blocks_are_summed_up_there(arrays, tmp_path):
    table = np.column_stack([X, NUMBERS])
    header = ",".join([*"abcd", "y"])
    np.savetxt(tmp_path / "rows.csv", table, delimiter=",", header=header, comments="", fmt="%.17g")
    rows = kernelopt.row_blocks(tmp_path / "rows.csv", target="y")
    mine, other = (kernelopt.solve(rows, family=SMOOTH, criterion=QUICK["numbers"], device=on) for on in (None, arrays))
    assert other.predict(Z) == pytest.approx(mine.predict(Z), rel=1e-9)
    assert any(note.startswith("device: the rows were summed up on") for note in other.notes)


@pytest.mark.parametrize(("criterion", "y"), [("evidence", NUMBERS), ("ridge", NUMBERS), ("svc", LABELS)])
def test_a_note_says_where_nothing_is_computed_on_it(criterion, y):
    s = kernelopt.solve(X[:60], y[:60], family="tk", criterion=criterion, device=Arrays())
    wanted = f"numpy was not used: only the evidence uses a device, .* this run is {criterion} on 60 rows"
    assert any(note.startswith("device: ") and "was not used" in note for note in s.notes)
    assert any(re.search(wanted, note) for note in s.notes)


@pytest.mark.usefixtures("few_are_many")
def test_the_estimators_take_it(arrays):
    machine = kernelopt.KernelRegressor(effort="quick", device=arrays).fit(X, NUMBERS)
    assert any(note.startswith("device: the rows were summed up on") for note in machine.solution_.notes)
    assert machine.get_params()["device"] == arrays


def test_no_such_device_is_refused_before_any_work():
    with pytest.raises(InvalidOption, match="device: got 7"):
        kernelopt.solve(X, NUMBERS, device=7)
    with pytest.raises(InvalidOption, match="device: got 7"):
        kernelopt.KernelClassifier(device=7).fit(X, LABELS)
