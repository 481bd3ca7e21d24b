"""Kernels of the leaves of trees: what they are beside scikit-learn's own leaves, and what a list does with them."""

import numpy as np
import pytest
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, GradientBoostingClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

import kernelopt
from kernelopt._device._arrays import Arrays
from kernelopt._families.dictionary.growth._boosted_trees import boosted_trees
from kernelopt._families.dictionary.growth._tree_kernels import LEAVES, TREES, tree_kernels
from kernelopt._families.dictionary.kernels._base_kernels import function_of
from kernelopt._families.dictionary.seen._leaves import leaves_of


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(120, 3)), rng.integers(0, 2, size=120)])
    return X, np.column_stack([(X[:, 0] > 0.3) & (X[:, 3] > 0), X[:, 1]]).astype(float)


@pytest.fixture(scope="module")
def machine(rows):
    X, T = rows
    return RandomForestRegressor(11, max_leaf_nodes=6, random_state=0).fit(X, T)


@pytest.fixture(scope="module")
def leaves(machine):
    return leaves_of([tree.tree_ for tree in machine.estimators_], machine.feature_importances_)


def test_the_inner_product_is_the_share_of_trees_with_a_leaf_in_common(rows, machine, leaves):
    X, _ = rows
    Z = np.random.default_rng(1).normal(size=(40, 4))
    wanted = (machine.apply(Z)[:, None] == machine.apply(X)[None]).mean(axis=2)
    np.testing.assert_allclose(leaves.of(Z) @ leaves.of(X).T, wanted, atol=1e-12)
    assert leaves.of(Z).shape == (40, leaves.width(4))
    np.testing.assert_allclose(np.sum(leaves.of(Z) ** 2, axis=1), 1.0)


def test_a_device_sees_the_same_leaves(rows, leaves):
    X, _ = rows
    there = Arrays("array_api_compat.numpy")
    np.testing.assert_allclose(there.back(leaves.there(there, there.put(X))), leaves.of(X), atol=1e-15)


def test_kernels_decay_with_the_share_of_trees_that_part_two_rows(rows):
    X, T = rows
    kernels = tree_kernels(X, T, np.ones(len(X)))
    share, *others = (function_of(kernel)(X, X) for kernel in kernels)
    assert share.min() >= 0.0
    np.testing.assert_allclose(np.diag(share), 1.0)
    assert len(np.unique(kernels[0].place.of(X), axis=0)) > LEAVES
    assert kernels[0].place.trees == TREES
    for gamma, K in zip((1.0, 4.0, 16.0), others, strict=True):
        np.testing.assert_allclose(K, np.exp(-gamma * (1.0 - share)), atol=1e-12)
        assert np.linalg.eigvalsh(K).min() > -1e-10


def test_rows_of_larger_weight_have_more_of_the_trees(rows):
    """Targets of rows without weight are not looked at."""
    X, T = rows
    weight = np.where(X[:, 2] > 0.0, 1.0, 1e-12)
    changed = np.where(X[:, 2:3] > 0.0, T, -5.0)
    here, there = (boosted_trees(X, targets, weight, trees=1, leaves=4) for targets in (T, changed))
    np.testing.assert_allclose(here.shares, there.shares, atol=1e-6)


def test_later_trees_part_what_the_first_have_left():
    """Beside a large step that every tree of the whole targets would take, those on what is left find a small one."""
    X = np.random.default_rng(0).normal(size=(200, 3))
    T = 10.0 * (X[:, :1] > 0.0) + (X[:, 1:2] > 0.0)
    shares = [boosted_trees(X, T, np.ones(200), trees=trees, leaves=2) for trees in (1, 100)]
    assert [set(np.flatnonzero(one.shares > 0.0).tolist()) for one in shares] == [{0}, {0, 1}]


def test_each_tree_is_grown_to_rows_that_are_drawn():
    """Of targets that nothing explains, other rows have another best split, and the same rows have the same one."""
    X, T = (np.random.default_rng(seed).normal(size=(60, d)) for seed, d in ((0, 3), (1, 1)))
    leaves = boosted_trees(X, T, np.ones(60), trees=20, leaves=2)
    splits = set(zip(leaves.columns.tolist(), leaves.thresholds.tolist(), strict=True))
    assert len(splits) >= 12


def test_targets_that_nothing_tells_apart_have_no_kernel():
    assert tree_kernels(np.arange(10.0)[:, None], np.ones((10, 1)), np.ones(10)) == ()


def test_steps_have_no_slope_and_say_which_columns_they_are_in(leaves):
    assert not leaves.pulled(np.ones((3, leaves.width(4))), np.ones((3, leaves.width(4))), 4).any()
    assert leaves.words(("age", "height", "b", "c")).startswith("the leaves of 11 trees (")
    assert leaves.words(()).count("%") == leaves.words(tuple("abcd")).count("%") >= 2
    assert leaves.words(("x", "x", "x", "x")) == "the leaves of 11 trees (x 100 %)"


def test_a_list_learns_with_trees_under_every_criterion(rows, tmp_path):
    X, T = rows
    family = kernelopt.Dictionary("auto").prepare(X, np.ones(len(X)))
    more = family.parted(X, T[:, :1] - T[:, :1].mean(), np.ones(len(X)))
    assert more is not None
    assert len(more.listed) == len(family.listed) + 4
    pruned, _ = more.pruned(family.center())
    assert len(pruned.listed) == len(family.listed)  # kernels of trees without weight are given up
    listed = kernelopt.Dictionary([*more.listed[-4:], "linear"], normalize="trace")
    s = kernelopt.solve(X, T[:, 0] > 0, family=listed, criterion="svc", solver="smo", tol=1e-3)
    assert s.status.converged
    assert np.mean(s.predict(X) == (T[:, 0] > 0)) > 0.95
    s.save(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model.kernelopt").predict(X), s.predict(X))
    assert "the leaves of 100 trees (" in str(s.kernel)


def test_a_list_of_the_users_own_is_not_parted(rows):
    X, T = rows
    listed = kernelopt.Dictionary(["linear"]).prepare(X, np.ones(len(X)))
    assert listed.parted(X, T, np.ones(len(X))) is None


@pytest.mark.parametrize(
    "machine",
    [ExtraTreesClassifier(7, max_leaf_nodes=5), GradientBoostingClassifier(n_estimators=5), DecisionTreeRegressor()],
    ids=lambda one: type(one).__name__,
)
def test_fitted_trees_are_kernels_of_a_list(rows, machine, tmp_path):
    """A column that is constant among the rows to learn from stays, for the trees may look at it."""
    X, T = rows
    machine.set_params(random_state=0).fit(X, T[:, 0] > 0)
    share = kernelopt.forest_kernel(machine)
    leaf = machine.apply(X).reshape(len(X), -1)
    np.testing.assert_allclose(share(X, X), (leaf[:, None] == leaf[None]).mean(axis=2), atol=1e-12)
    np.testing.assert_allclose(kernelopt.forest_kernel(machine, 3.0)(X, X), np.exp(3.0 * (share(X, X) - 1.0)))
    family = kernelopt.Dictionary([share, kernelopt.forest_kernel(machine, 3.0), "linear"])
    some = X[:, 3] == 1.0
    s = kernelopt.solve(X[some], T[some, 0] > 0, family=family, criterion="svc", tol=1e-2)
    assert s.status.converged
    s = s.named(["age", "b", "c", "d"])
    assert "forest on the leaves of" in str(s.kernel)
    assert "age" in str(s.kernel)
    s.save(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model.kernelopt").predict(X), s.predict(X))


def test_what_is_no_fitted_tree_is_refused(rows):
    X, T = rows
    bags = BaggingClassifier(max_features=0.5, random_state=0).fit(X, T[:, 0] > 0)
    for machine in (ExtraTreesClassifier(), bags, 3):
        with pytest.raises(kernelopt.InvalidOption, match=f"forest_kernel: got {type(machine).__name__}, wanted"):
            kernelopt.forest_kernel(machine)
    tree = DecisionTreeRegressor().fit(X, T[:, 0])
    with pytest.raises(kernelopt.InvalidOption, match="gamma must be"):
        kernelopt.forest_kernel(tree, -1.0)
    with pytest.raises(kernelopt.InvalidData, match="grown on 4 columns"):
        kernelopt.solve(X[:, :3], T[:, 1], family=kernelopt.Dictionary([kernelopt.forest_kernel(tree)]))
