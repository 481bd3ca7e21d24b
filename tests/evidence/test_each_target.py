"""Several targets that depend on different columns: each weighs the kernels that were learned for all as it needs."""

import json
import time

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence
from kernelopt._base._errors import ModelFileError
from kernelopt._base._target_frame import TargetFrame
from kernelopt._evidence.noise import _each_target
from kernelopt._evidence.noise._own_noise import Likelihood
from kernelopt._evidence.noise._own_weights import Members
from kernelopt._families._mixture import Mixture
from kernelopt._families.dictionary.kernels._base_kernels import ColumnKernel
from kernelopt._io._container import Content, read, write
from kernelopt._prediction._own_noise import OwnNoise
from kernelopt._prediction._slopes import _size

LISTS = {
    "rows": kernelopt.Dictionary([ColumnKernel(("rbf", {"gamma": 1.0}), j) for j in range(3)]),
    "views": kernelopt.by_view(
        {name: slice(5 * k, 5 * k + 5) for k, name in enumerate("abc")}, kernels=kernelopt.Dictionary(["linear"])
    ),
}


def problem(n, seed=0, family="rows", noise=0.2):
    """The function of each target, of a column or of five columns of its own, and the targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3 if family == "rows" else 15))
    F = np.sin(2.0 * X) if family == "rows" else X.reshape(n, 3, 5) @ [1.0, -2.0, 0.5, 1.0, 1.0]
    return X, F, F + noise * rng.normal(size=(n, 3))


def learned(X, Y, family="rows"):
    return kernelopt.solve(X, Y, family=LISTS[family], criterion=Evidence(targets="numbers"))


def own_kernel(s, c, Z, X):
    """k_c between rows, by its definition."""
    total = np.zeros((len(Z), len(X)))
    for leaf, part, times in zip(s.kernel.leaves, s.kernel.mixture.parts, s.predictor.multiples, strict=True):
        for atom, weight, multiple in zip(part.atoms, part.weights, times[:, c], strict=True):
            one = type(part)(atom[None], np.array([weight * multiple]))
            total += leaf.factor * leaf.family.cross(one, leaf.view(Z), leaf.view(X))
    return total


@pytest.mark.parametrize("family", LISTS)
def test_v_and_deviations_are_those_of_a_gaussian_process_with_the_kernel_of_each_target(family):
    X, _, Y = problem(80, family=family)
    Y = np.column_stack([Y, np.full(80, 3.0)])[:, [3, 0, 1, 2]]  # the first target is constant
    s = learned(X, Y, family)
    assert s.predictor.multiples is not None
    Z = problem(20, seed=1, family=family)[0]
    mean, deviation = s.predict(Z, return_std=True)
    np.testing.assert_array_equal(mean[:, 0], 3.0)
    np.testing.assert_array_equal(deviation[:, 0], 0.0)
    for c in (1, 2, 3):
        noise, size = s.posterior.each[s.posterior.which[c]].noise, s.posterior.size[c] * s.posterior.unit[c] ** 2
        A = own_kernel(s, c, X, X) + noise * np.eye(80)
        C, left = own_kernel(s, c, Z, X), Y[:, c] - s.predictor.intercept[c]
        here = np.diagonal(own_kernel(s, c, Z, Z))
        np.testing.assert_allclose(A @ s.coefficients[:, c], left, atol=1e-7 * np.abs(left).max())
        np.testing.assert_allclose(mean[:, c], s.predictor.intercept[c] + C @ np.linalg.solve(A, left), atol=1e-6)
        variance = size * (here - np.einsum("ij,ji->i", C, np.linalg.solve(A, C.T)) + noise)
        np.testing.assert_allclose(deviation[:, c], np.sqrt(s.posterior.doubt * variance), rtol=1e-6)
        np.testing.assert_allclose(s.predictor.alone(c).decision_function(Z), mean[:, c])


def test_each_target_weighs_the_kernel_of_its_own_column_most():
    X, _, Y = problem(200)
    s = learned(X, Y)
    weights = s.kernel.mixture.parts[0].weights[:, None] * s.predictor.multiples[0]
    atoms = s.kernel.mixture.parts[0].atoms[:, 0].astype(int)
    np.testing.assert_array_equal(atoms[weights.argmax(axis=0)], [0, 1, 2])


@pytest.mark.parametrize("n", [100, 200])
def test_errors_are_smaller_than_with_the_weights_of_all(n):
    X, _, Y = problem(n)
    Z, F, new = problem(1000, seed=1)
    s = learned(X, Y)
    each = np.mean((s.predict(Z) - F) ** 2)
    # with the weights of all: the mean of the certified machine
    K, noise = s.kernel(X), s.posterior.noise
    y, unit = (Y - Y.mean(axis=0)) / Y.std(axis=0), Y.std(axis=0)
    shared = s.kernel(Z, X) @ np.linalg.solve(K + noise * np.eye(n), y) * unit + Y.mean(axis=0)
    assert each < 0.7 * np.mean((shared - F) ** 2)
    lower, upper = s.predict_interval(Z)
    np.testing.assert_allclose(((lower < new) & (new < upper)).mean(axis=0), 0.95, atol=0.05)


def test_a_row_that_counts_twice_is_two_rows():
    X, _, Y = problem(100)
    Z, times = problem(200, seed=1)[0], np.random.default_rng(0).integers(1, 4, size=100)
    options = {"family": LISTS["rows"], "criterion": Evidence(targets="numbers"), "tol": 1e-6}
    one = kernelopt.solve(X, Y, sample_weight=times, **options)
    copied = np.repeat(np.arange(100), times)
    many = kernelopt.solve(X[copied], Y[copied], **options)
    np.testing.assert_allclose(one.predictor.multiples[0], many.predictor.multiples[0], rtol=0.1)
    np.testing.assert_allclose(one.predict(Z), many.predict(Z), atol=1e-2)


def test_a_note_names_the_targets_with_weights_of_their_own():
    X, _, Y = problem(200)
    s = learned(X, np.column_stack([np.ones(200), Y[:, :2]]))
    changed = np.flatnonzero((s.predictor.multiples[0][:, 1:] != 1.0).any(axis=0)) + 1
    words = f"for {len(changed)} of the targets, numbers {', '.join(map(str, changed))}; predictor.alone({changed[0]})."
    assert sum(words in note for note in s.notes) == 1
    assert not any("weights of their own for" in note for note in learned(X, Y[:, 0]).notes)


def test_the_size_of_what_makes_a_decision_is_that_of_the_kernel_of_each_target():
    X, _, Y = problem(80)
    s = learned(X, Y)
    wanted = [np.abs(own_kernel(s, c, X, X)) @ np.abs(s.coefficients[:, c]) for c in range(3)]
    wanted = np.column_stack(wanted) + np.abs(s.predictor.intercept)
    np.testing.assert_allclose(_size(s.predictor, X), wanted.max())


def test_more_targets_than_there_is_time_for_have_the_weights_of_all(monkeypatch):
    X, _, Y = problem(200)
    assert len(learned(X, Y).predictor.multiples or ()) > 0
    monkeypatch.setattr(_each_target, "_TARGETS", Y.shape[1] - 1)
    assert learned(X, Y).predictor.multiples is None


def test_targets_of_one_function_keep_the_weights_of_all():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    Y = np.sin(2.0 * X[:, :1]) + X[:, 1:2] + 0.3 * rng.normal(size=(100, 4))
    assert learned(X, Y).predictor.multiples is None


@pytest.mark.parametrize("family", LISTS)
def test_a_file_keeps_the_weights_of_each_target(family, tmp_path):
    X, _, Y = problem(80, family=family)
    s = learned(X, Y, family)
    assert s.predictor.multiples is not None
    s.save(tmp_path / "model")
    for got, wanted in zip(
        kernelopt.load(tmp_path / "model").predict(X, return_std=True), s.predict(X, return_std=True), strict=True
    ):
        np.testing.assert_array_equal(got, wanted)


def test_a_file_with_the_weights_of_other_targets_is_refused(tmp_path):
    X, _, Y = problem(80)
    path = tmp_path / "model"
    learned(X, Y).save(path)
    content = read(path)
    name = json.loads(content.words["model"])["predictor"]["fields"]["multiples"][0]["array"]
    write(path, Content(content.words, {**content.arrays, name: -content.arrays[name]}))
    with pytest.raises(ModelFileError, match="of the targets"):
        kernelopt.load(path)


@pytest.mark.parametrize(("passed", "reached"), [(600.0, [0]), (2000.0, [])])
def test_where_time_ends_while_weights_are_learned_targets_keep_those_of_all_and_a_noise_of_their_own(
    passed, reached, monkeypatch
):
    X, _, Y = problem(100, noise=np.array([0.2, 0.1, 0.1]))
    clock, own, ahead = time.monotonic, Members.own, []

    def slow(self, *options):
        ahead.append(passed)
        return own(self, *options)

    monkeypatch.setattr(Members, "own", slow)
    monkeypatch.setattr(time, "monotonic", lambda: clock() + sum(ahead))
    options = {"family": LISTS["rows"], "criterion": Evidence(targets="numbers")}
    s = kernelopt.solve(X, Y, max_seconds=1000.0, **options)
    assert len(ahead) == 1, "there is no time for a second target"
    multiples = np.ones((3, 3)) if s.predictor.multiples is None else s.predictor.multiples[0]
    np.testing.assert_array_equal(np.flatnonzero((multiples != 1.0).any(axis=0)), reached)
    monkeypatch.setattr(Members, "own", lambda *_: None)
    noise = kernelopt.solve(X, Y, **options)
    left = np.setdiff1d(np.arange(3), reached)
    np.testing.assert_allclose(s.predict(X)[:, left], noise.predict(X)[:, left], rtol=1e-6)
    assert len(set(noise.posterior.which)) > 1, "the targets differ in their noise"


def test_what_is_kept_of_a_function_has_the_weights_of_each_target():
    X, _, Y = problem(80)
    machine = learned(X, Y).predictor
    first, *others = machine.kernel.mixture.parts
    less = attrs.evolve(first, weights=first.weights * [0.0, 1.0, 1.0])
    fewer = attrs.evolve(machine, kernel=attrs.evolve(machine.kernel, mixture=Mixture((less, *others))))
    assert not np.allclose(fewer.at(X), machine.at(X))
    np.testing.assert_array_equal(fewer.compact().at(X), fewer.at(X))
    assert len(fewer.compact().multiples[0]) == 2


def test_where_rounding_leaves_nothing_of_its_matrix_a_target_keeps_what_all_have(monkeypatch):
    X, _, Y = problem(80)
    monkeypatch.setattr(Likelihood, "solved", lambda *_: None)
    s = learned(X, Y)
    assert s.predictor.multiples is None
    assert set(s.posterior.which) == {0}
    np.testing.assert_allclose(s.coefficients, s.response.V * Y.std(axis=0))


def test_kinds_of_targets_are_numbered_as_they_appear():
    multiples = (np.array([[1.0, 1.0, 1.0, 0.5]]), np.ones((2, 4)))
    own = OwnNoise(np.array([2.0, 1.0, 2.0, 2.0]), np.ones(4), multiples)
    np.testing.assert_array_equal(own.which, [0, 1, 0, 2])
    np.testing.assert_array_equal(own.firsts, [0, 1, 3])
    frame = TargetFrame(np.array([5.0, 0.0, 0.0, 0.0, 0.0]), np.arange(1, 5), np.ones(4))
    np.testing.assert_array_equal(own.multiples_as_given(frame)[0], [[1.0, 1.0, 1.0, 1.0, 0.5]])
