"""Rows that are held, as one row: every bound is that of the set with all of them bound one by one."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt._saddle._row_subset import choose, merged, subset
from kernelopt.plugin import Mixture, Part
from kernelopt.testing import Affine

NAMES = pytest.mark.parametrize("name", ["svc", "l2-svc", "svr"])
LISTS = kernelopt.Dictionary([("rbf", {"gamma": 1.0}), ("rbf", {"gamma": 0.1}), ("linear", {})])
FAMILIES = pytest.mark.parametrize(
    "families", [(Affine(),), (LISTS,), (Affine(), kernelopt.Delta())], ids=["matrix", "list", "matrix and identity"]
)


def sets(make_pair, name, families, band=30, noise=0.5):
    """The problem, a set of it with all rows bound, and the same set with the held ones as one row."""
    tight, loose = make_pair(name, families, n=160, noise=noise)
    response = tight.respond(tight.center())
    whole = choose(tight, response, tight.gram(response.mixture).apply(response.V), band)
    # Some more are held, away from their walls too: whatever is held, the bounds must agree.
    (values,) = whole.held
    values = np.where(np.isnan(values) & (np.arange(len(values)) % 5 == 0), 0.3, values)
    whole = attrs.evolve(whole, held=(values,))
    return loose, whole, merged(loose, whole), response


def some_mixture(problem, rng):
    """Random weights on the atoms of the centre."""
    parts = problem.center().parts
    weights = [rng.uniform(size=len(part)) for part in parts]
    total = sum(weight.sum() for weight in weights)
    return Mixture(tuple(Part(part.atoms, w / total) for part, w in zip(parts, weights, strict=True)))


@NAMES
@FAMILIES
def test_both_bounds_are_those_of_all_rows(make_pair, name, families):
    loose, whole, few, start = sets(make_pair, name, families)
    assert len(few.rows) < len(whole.rows)
    assert few.moving == whole.moving
    inner, outer = subset(loose, few), subset(loose, whole)
    assert inner.n == len(few.rows) + 1
    rng = np.random.default_rng(0)
    for mixture in (loose.center(), some_mixture(loose, rng)):
        mine = inner.assess(mixture, few.taken(start.duals))
        wide = few.spread(loose.outputs, [dual.alpha for dual in mine.duals])
        pairs = zip(wide, whole.variables, strict=True)
        theirs = outer.assess(mixture, tuple(alpha[part] for alpha, part in pairs))
        assert mine.upper == pytest.approx(theirs.upper)
        assert mine.h == pytest.approx(theirs.h)
        again = loose.points(wide)
        assert loose.outputs[0].violation(wide[0]) <= 1e-9 * np.abs(wide[0]).sum()
        assert mine.h == pytest.approx(again[0].h, rel=1e-9)
        gram = loose.gram(mixture)
        assert sum(dual.quad for dual in mine.duals) == pytest.approx(float(again[0].v @ gram.apply(again[0].v)))
        got, wanted = inner.ceiling(mine.duals), loose.ceiling(again)
        assert got.lower == pytest.approx(wanted.lower, rel=1e-9)


@NAMES
@FAMILIES
def test_the_optimum_is_that_of_the_set_with_all_rows(make_pair, name, families):
    """Solved by two solvers, with either set: the certified intervals meet."""
    loose, whole, few, _ = sets(make_pair, name, families)
    found = []
    for chosen in (whole, few):
        inner = subset(loose, chosen)
        answer = inner.respond(inner.center())
        found.append((inner.ceiling(answer.duals).lower, answer.upper))
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-4)
    assert max(low for low, _ in found) <= min(high for _, high in found)


def test_what_is_not_linear_keeps_its_rows(make_pair):
    """Where a family collects atoms, or all have features, held rows stay rows."""
    _, whole, few, _ = sets(make_pair, "svc", (kernelopt.Constant(),))
    assert few is whole


def test_sets_that_hold_others_aside_differ(make_pair):
    _, _, few, _ = sets(make_pair, "svc", (Affine(),))
    assert few.same(attrs.evolve(few, rows=few.rows.copy()))
    assert not few.same(attrs.evolve(few, aside=0.5 * few.aside))
    assert not few.same(attrs.evolve(few, aside=None))
