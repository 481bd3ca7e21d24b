"""Nothing is ever printed on stdout, which belongs to whoever calls: not by the library, and not by LAPACK for it."""

import attrs
import numpy as np
import pytest

import kernelopt
from kernelopt.testing import Affine, two_classes

X, Y = two_classes(np.random.default_rng(0), 24, 2)


@attrs.frozen
class Nothing(Affine):
    """A family with a mistake: its kernel of one row with another, or with itself, is no number."""

    name = "nothing"
    place: tuple[int, int] = (0, 0)

    def gram(self, part, data):
        K = super().gram(part, data)
        K.matrix[self.place] = K.matrix[self.place[::-1]] = np.nan
        return K

    def prepare(self, X, weight):
        return attrs.evolve(self, width=X.shape[1])


@pytest.mark.parametrize("place", [(3, 3), (0, 5)])
@pytest.mark.parametrize("solver", ["ipm", "fw"])
def test_a_kernel_without_numbers_is_refused_before_lapack_sees_it(place, solver, capfd):
    with pytest.raises(kernelopt.InvalidData, match=r"^nothing: .* NaN or infinite"):
        kernelopt.solve(X, Y[:, 0], family=Nothing(place=place), solver=solver)
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("normalize", ["diagonal", "trace", "variance", None])
@pytest.mark.parametrize("criterion", [{"name": "one-class", "nu": 1.0}, "svc"])
def test_a_row_of_nothing_but_0_prints_nothing(normalize, criterion, capfd):
    rows = X.copy()
    rows[3] = 0.0
    family = kernelopt.Dictionary(["linear", "rbf"], normalize=normalize)
    target = Y[:, 0] if criterion == "svc" else None
    s = kernelopt.solve(rows, target, family=family, criterion=criterion, max_steps=30)
    assert np.isfinite([s.certificate.lower, s.certificate.upper]).all()
    assert capfd.readouterr().out == ""
