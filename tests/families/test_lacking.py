"""What rows that lack a view have to themselves: on the diagonal of the Gram, and nothing between two rows."""

import numpy as np
import pytest

import kernelopt
from kernelopt._families._unbound import loose
from kernelopt._families.variances._lacking import Lacking
from kernelopt._linalg._gram import Dense
from kernelopt._linalg._wide import Term, Wide
from kernelopt.plugin import Part
from kernelopt.testing import FamilySuite

RNG = np.random.default_rng(0)
X = np.where(np.arange(9)[:, None] % 3 == 0, np.nan, RNG.normal(size=(9, 2)))
HALF = Part(np.zeros((1, 0)), np.full(1, 0.5))
WANTED = np.diag(np.where(np.arange(9) % 3 == 0, 0.5, 0.0))


class TestLacking(FamilySuite):
    def family(self):
        return Lacking("b")

    def naive_gram(self, family, part, X):
        return np.zeros((len(X), len(X)))


def test_a_row_that_lacks_the_view_has_a_share_with_itself_alone():
    family = Lacking("b")
    data = family.bind(X)
    np.testing.assert_array_equal(family.gram(HALF, data).dense(), WANTED)
    np.testing.assert_array_equal(family.cross(HALF, X, X), 0.0 * WANTED)
    np.testing.assert_array_equal(family.diag(HALF, X), np.diagonal(WANTED))
    np.testing.assert_array_equal(family.apart(HALF, X), np.diagonal(WANTED))
    V, omega = RNG.normal(size=(9, 2)), Dense(np.cov(RNG.normal(size=(9, 30))))
    np.testing.assert_allclose(0.5 * family.columns_of(data, V)[0], WANTED @ V)
    np.testing.assert_allclose(0.5 * family.traces(data, omega), np.trace(omega.matrix @ WANTED))


def test_a_gram_that_is_nowhere_formed_has_the_same_diagonal():
    whole = Wide((Term(loose(Lacking("b")), HALF, X),))
    np.testing.assert_array_equal(whole.dense(), WANTED)
    np.testing.assert_array_equal(whole.diag(), np.diagonal(WANTED))


@pytest.mark.parametrize("kind", [kernelopt.Delta(), kernelopt.Constant(), Lacking("b")])
def test_what_is_apart_is_what_the_diagonal_has_beyond_the_kernel_between_rows(kind):
    part = kind.dictionary().scaled(2.0)
    beyond = kind.gram(part, kind.bind(X)).dense() - kind.cross(part, X, X)
    np.testing.assert_allclose(beyond, np.diag(kind.apart(part, X)), atol=1e-12)
