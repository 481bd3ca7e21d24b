"""Laws of the families that are linear in their parameters: matrix families, finite lists, and their couplings."""

import numpy as np

from kernelopt.plugin import FiniteFamily, FloatArray, LinearFamily, MatrixFamily, Part, Query
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single
from kernelopt.testing._laws import demand, demand_close


class LinearLaws(FamilyCase):
    """Laws of `MatrixFamily`, `FiniteFamily` and `LinearFamily.couple`; skipped where the family is none."""

    def test_matrix_adjoint(self) -> None:
        """D is symmetric, p'Dp = sum_c V_c' K_{pp'} V_c, and <D, S> = sum_c V_c' K_S V_c for any symmetric S."""
        family, sample = self.capable(MatrixFamily)
        for V in (sample.V, sample.V[:, :1]):
            D = family.adjoint(sample.data, V)
            demand_close(D, D.T, "adjoint-symmetric", "D must be symmetric", tolerance=self.tolerance)
            p = self.random_atoms(family, sample.data, sample.rng, 1)[0]
            wanted = float(np.vdot(V, gram_of(sample, single(p)) @ V))
            scale = float(np.abs(D).sum())
            detail = "the adjoint must have p'Dp = sum_c V_c' K_p V_c"
            demand_close(p @ D @ p, wanted, "adjoint", detail, tolerance=self.tolerance, scale=scale)
            S = _symmetric(sample.rng, family.order)
            wanted = float(np.vdot(V, family.gram_of(S, sample.data).apply(V)))
            detail = "the adjoint must have <D, S> = sum_c V_c' K_S V_c for any symmetric S"
            demand_close(np.vdot(D, S), wanted, "adjoint", detail, tolerance=self.tolerance, scale=scale)

    def test_matrix_blend_is_linear(self) -> None:
        """blend(s P + t S) = s blend(P) + t blend(S), for any symmetric matrices; gram_of is blend on the rows."""
        family, sample = self.capable(MatrixFamily)
        P, S = (_symmetric(sample.rng, family.order) for _ in range(2))
        Z = self.new_rows(sample.rng, sample.X)
        wanted = 0.7 * family.blend(P, Z, sample.X) - 2.0 * family.blend(S, Z, sample.X)
        got = family.blend(0.7 * P - 2.0 * S, Z, sample.X)
        demand_close(got, wanted, "blend-linear", "blend must be linear in P", tolerance=self.tolerance)
        K = family.gram_of(S, sample.data)
        whole = family.blend(S, sample.X, sample.X)
        detail = "gram_of must be blend on the bound rows, for any symmetric matrix"
        demand_close(K.dense(), whole, "gram-of", detail, tolerance=self.tolerance)
        demand_close(K.apply(sample.V), whole @ sample.V, "gram-of", detail, tolerance=100 * self.tolerance)

    def test_matrix_and_part_are_one_kernel(self) -> None:
        """blend(matrix(part)) = cross(part); matrix(part(P)) = P; atoms are unit vectors, the centre has trace 1."""
        family, sample = self.capable(MatrixFamily)
        order = family.order
        demand(1 <= order <= family.max_order, "matrix-order", f"order must be 1 to {family.max_order}, got {order}")
        Z = self.new_rows(sample.rng, sample.X)
        P = family.matrix(sample.part)
        wanted = family.cross(sample.part, Z, sample.X)
        detail = "a part and its matrix must be one kernel"
        demand_close(family.blend(P, Z, sample.X), wanted, "matrix-part", detail, tolerance=self.tolerance)
        part = family.part(P)
        demand_close(family.matrix(part), P, "matrix-part", "matrix(part(P)) must be P", tolerance=self.tolerance)
        best = family.best_atoms(sample.data, sample.V, Query(k=2)).atoms
        for atoms in (part.atoms, best):
            detail = "atoms must be unit vectors"
            demand_close(np.linalg.norm(atoms, axis=1), np.ones(len(atoms)), "matrix-atoms", detail)
        trace = float(np.trace(family.matrix(family.center())))
        demand(abs(trace - 1.0) <= 1e-9, "matrix-center", f"the centre must have trace 1, got {trace!r}")

    def test_finite_dictionary(self) -> None:
        """Equal weights that sum to 1; columns_of = K_a V; the ceiling is the largest value and is proved."""
        family, sample = self.capable(FiniteFamily)
        listed = family.dictionary()
        m = len(listed)
        detail = "dictionary must give all atoms equal weights that sum to 1"
        demand_close(listed.weights, np.full(m, 1.0 / m), "finite-dictionary", detail, tolerance=1e-12)
        got = family.columns_of(sample.data, sample.V)
        grams = np.stack([gram_of(sample, single(atom)) for atom in listed.atoms])
        scale = float(np.abs(grams).max()) * len(sample.X)
        detail = "columns_of must be K_a V of every atom, shape (m, n, c)"
        demand_close(got, grams @ sample.V, "finite-columns", detail, tolerance=self.tolerance, scale=scale)
        best = family.best_atoms(sample.data, sample.V, Query())
        largest = max(float(np.vdot(sample.V, K @ sample.V)) for K in grams)
        demand(best.exact, "finite-exact", "a finite list has a proved ceiling: exact must be True")
        detail = "the ceiling of a finite list must be its largest value"
        demand_close(best.ceiling, largest, "ceiling", detail, tolerance=100 * self.tolerance)

    def test_coupling_applies_the_kernel(self) -> None:
        """apply(S) = K(S) v, and <apply(S), u> = <S, adjoint(u)>."""
        family, sample = self.capable(LinearFamily)
        v, u = sample.V[:, 0], sample.V[:, 1]
        coupling = family.couple(sample.data, v)
        S, K = _parameters(sample)
        size = float(np.abs(K).max()) * len(v)
        detail = "the coupling's apply must be K(S) v"
        demand_close(coupling.apply(S), K @ v, "coupling-apply", detail, tolerance=self.tolerance, scale=size)
        adjoint = coupling.adjoint(u)
        shape = f"the coupling's adjoint must have the shape of S, {S.shape}, got {adjoint.shape}"
        demand(adjoint.shape == S.shape, "coupling-adjoint", shape)
        detail = "the coupling's adjoint must have <apply(S), u> = <S, adjoint(u)>"
        got, wanted = float(np.vdot(S, adjoint)), float(u @ coupling.apply(S))
        scale = size * float(np.abs(u).sum())
        demand_close(got, wanted, "coupling-adjoint", detail, tolerance=self.tolerance, scale=scale)
        demand_close(adjoint, adjoint.T, "coupling-adjoint", "its adjoint must be symmetric", tolerance=self.tolerance)

    def test_coupling_schur(self) -> None:
        """schur(other, A, B)_ij = tr(G_i A G'_j B), with G_i = adjoint(e_i); finite: sum_a G_ia A_a B_a G'_ja."""
        family, sample = self.capable(LinearFamily)
        first, second = (family.couple(sample.data, sample.V[:, c]) for c in (0, 1))
        ours, theirs = (np.stack([coupling.adjoint(e) for e in np.eye(len(sample.X))]) for coupling in (first, second))
        if ours.ndim == 2:
            A, B = sample.rng.uniform(size=(2, ours.shape[1]))
            wanted = (ours * (A * B)) @ theirs.T
        else:
            A, B = (_positive(sample.rng, ours.shape[1]) for _ in range(2))
            wanted = np.einsum("iab,bc,jcd,da->ij", ours, A, theirs, B, optimize=True)
        detail = "the coupling's schur must be tr(G_i A G'_j B)"
        got = first.schur(second, A, B)
        demand_close(got, wanted, "coupling-schur", detail, tolerance=100 * self.tolerance)


def _symmetric(rng: np.random.Generator, q: int) -> FloatArray:
    S = rng.normal(size=(q, q))
    return np.asarray(S + S.T)


def _positive(rng: np.random.Generator, q: int) -> FloatArray:
    L = rng.normal(size=(q, q))
    return np.asarray(L @ L.T / q)


def _parameters(sample: Sample) -> tuple[FloatArray, FloatArray]:
    """Parameters S of the family, of either sign, and the Gram K(S)."""
    family = sample.family
    if isinstance(family, MatrixFamily):
        S = _symmetric(sample.rng, family.order)
        return S, family.blend(S, sample.X, sample.X)
    assert isinstance(family, FiniteFamily)
    atoms = family.dictionary().atoms
    weights = sample.rng.uniform(size=len(atoms))
    return weights, gram_of(sample, Part(atoms, weights))
