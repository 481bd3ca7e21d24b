"""The start from the difference of means (Ghiasi-Shirazi, Safabakhsh and Shamsi (2010), section 5.1)."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import kernelopt
from kernelopt.plugin import InvalidOption
from kernelopt.testing import meet, small_task


def distance(K, y):
    """|m_1 - m_2|^2 = sum_uv a_u a_v y_u y_v k(x_u, x_v), a = 1 / l_1 and 1 / l_2."""
    first = y == y.max()
    v = np.where(first, 1.0 / first.sum(), -1.0 / (~first).sum())
    return v @ K @ v


@pytest.mark.parametrize("family", ["cosine", "gaussian", "tk"])
def test_the_first_kernel_sets_the_means_of_the_classes_furthest_apart(family):
    X, y = small_task("classification", 30)
    options = {"family": family, "criterion": "svc", "scale": "paper"}
    s = kernelopt.solve(X, y, start="means", max_steps=0, **options)
    (leaf,), (part,) = s.kernel.leaves, s.mixture.parts
    assert len(part) == 1
    assert part.mass == pytest.approx(1.0)
    reached, ones = distance(s.kernel(X), y), np.ones(1)
    for atom in leaf.family.draw(100, np.random.default_rng(0)):
        K = leaf.factor * leaf.family.cross(kernelopt.Part(atom[None], ones), X, X)
        assert distance(K, y) <= reached * (1.0 + 1e-9)


def test_the_answer_does_not_depend_on_where_a_run_begins():
    X, y = small_task("classification", 30)
    ours, theirs = (kernelopt.solve(X, y, family="tk", criterion="svc", start=one) for one in ("means", None))
    assert ours.status.converged, ours
    assert meet(ours.certificate, theirs.certificate)


def test_of_a_union_one_family_begins_and_of_three_classes_all_count():
    X, y = load_iris(return_X_y=True)
    options = {"criterion": "svc", "start": "means", "max_steps": 0}
    s = kernelopt.solve(X[::5], y[::5], family=["tk", "gaussian", "delta"], **options)
    assert sorted(len(part) for part in s.mixture.parts) == [0, 0, 1]


@pytest.mark.parametrize(
    ("task", "criterion"), [("regression", "ridge"), ("classification", "evidence"), ("classification", "one-class")]
)
def test_only_machines_for_classes_have_means_to_begin_with(task, criterion):
    """The evidence learns classes too, so the message does not deny it, and without start= they are learned."""
    X, y = small_task(task, 30)
    with pytest.raises(InvalidOption, match=f"with {criterion}; only support vector machines for classes.*leave start"):
        kernelopt.solve(X, y, family="tk", criterion=criterion, start="means")
    assert kernelopt.solve(X, y, family="tk", criterion=criterion, max_steps=0).criterion.name == criterion
