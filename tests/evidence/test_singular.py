"""A kernel whose values drown the noise in rounding: the user is told, and what helps does."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

import kernelopt

FAMILY = {"name": "hyperkernel", "kind": "polynomial-gaussian"}


def rows():
    """Rows of two columns, of which one is far larger, and targets that depend on the other."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(30, 2)) * [1.0, 1e5]
    return X, X[:, 0] + 0.1 * rng.normal(size=30)


def learned(X, y, **options):
    return kernelopt.solve(X, y, family=FAMILY, criterion="evidence", tol=1e-2, max_steps=20, **options)


def notes(s):
    return [note for note in s.notes if note.startswith("evidence: ")]


@pytest.mark.parametrize("solver", ["auto", "fw"])
def test_a_likelihood_that_cannot_be_computed_is_one_note_of_what_to_do(solver):
    X, y = rows()
    s = learned(X, y, solver=solver, scale=1.0)
    assert not np.isfinite(s.objective)
    assert len(notes(s)) == 1
    assert "the Gram of the kernel is singular to rounding" in notes(s)[0]


def test_what_the_note_advises_helps():
    X, y = rows()
    s = learned(StandardScaler().fit_transform(X), y)
    assert np.isfinite(s.certificate.lower)
    assert not any("singular" in note for note in notes(s))
