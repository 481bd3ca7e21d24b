"""Laws of the families that are linear in their parameters: matrix families, finite lists, and their couplings."""

import numpy as np

from kernelopt.plugin import (
    Coupling,
    Dense,
    FiniteFamily,
    FloatArray,
    LinearFamily,
    MatrixFamily,
    Part,
    Query,
    Resolvent,
    StoredFamily,
)
from kernelopt.testing._family_case import FamilyCase, Sample, gram_of, single
from kernelopt.testing._laws import demand, demand_close


class LinearLaws(FamilyCase):
    """Laws of matrix families, finite lists, stored lists and couplings; skipped where the family is none."""

    def test_parameters_and_form(self) -> None:
        """<form(V), parameters(part)> = sum_c V_c' K V_c, and leading(D) has the atoms with the largest <D, .>."""
        family, sample = self.capable(LinearFamily)
        D = family.form(sample.data, sample.V)
        for part in sample.parts:
            S = family.parameters(part)
            shapes = f"form and parameters must have one shape, got {D.shape} and {S.shape}"
            demand(D.shape == S.shape, "parameters", shapes)
            wanted = float(np.vdot(sample.V, gram_of(sample, part) @ sample.V))
            detail = "form and parameters must have <form(V), parameters(part)> = sum_c V_c' K V_c"
            scale = part.mass * float(np.abs(D).sum())
            demand_close(np.vdot(D, S), wanted, "parameters", detail, tolerance=self.tolerance, scale=scale)
        # What leading is asked about has prices in it, so it is the form of no V.
        D = _symmetric(sample.rng, len(D)) if D.ndim == 2 else sample.rng.normal(size=len(D))
        best = family.leading(D, 2)
        values = [float(np.vdot(D, family.parameters(single(atom)))) for atom in best.atoms]
        detail = "leading must have value = <D, parameters(atom)>, the largest first, and that one as its ceiling"
        scale = float(np.abs(D).sum())
        demand_close(best.values, values, "leading", detail, tolerance=self.tolerance, scale=scale)
        demand_close(best.ceiling, max(values), "leading", detail, tolerance=self.tolerance, scale=scale)
        others = self.random_atoms(family, sample.data, sample.rng, 20)
        largest = max(float(np.vdot(D, family.parameters(single(atom)))) for atom in others)
        demand(best.ceiling >= largest - self.tolerance * scale, "leading", "an atom exceeds the ceiling of leading")
        ordered = bool(best.exact) and bool((np.diff(best.values) <= self.tolerance * scale).all())
        demand(ordered, "leading", "leading must be proved, its largest value first")

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
        """blend is linear in symmetric P; gram_of is blend on bound rows, and image_of is gram_of times V."""
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
        image = family.image_of(S, sample.data, sample.V)
        detail = "image_of must be gram_of times V, for any symmetric matrix"
        demand_close(image, whole @ sample.V, "image-of", detail, tolerance=100 * self.tolerance)

    def test_matrix_and_part_are_one_kernel(self) -> None:
        """blend(matrix(part)) = cross(part), matrix(part(P)) = P, atoms have norm 1, the centre has trace 1."""
        family, sample = self.capable(MatrixFamily)
        order = family.order
        demand(1 <= order <= family.max_order, "matrix-order", f"order must be 1 to {family.max_order}, got {order}")
        shown = np.asarray(family.reading_order()).tolist()
        detail = f"reading_order must hold each row of P once, 0 to {order - 1}, got {shown}"
        demand(sorted(shown) == list(range(order)), "reading-order", detail)
        Z = self.new_rows(sample.rng, sample.X)
        for given in sample.parts:
            P = family.matrix(given)
            wanted = family.cross(given, Z, sample.X)
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
        """The weights are equal and sum to 1, columns_of is K_a V, and the ceiling is the largest value, proved."""
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

    def test_traces(self) -> None:
        """<traces, S> = tr(Omega K(S)) for a positive definite Omega, held as a matrix or as a resolvent of factors."""
        family, sample = self.capable(LinearFamily)
        S, K = _parameters(sample)
        n = len(K)
        F = sample.rng.normal(size=(n, 2))
        B = np.linalg.solve(np.linalg.cholesky(F.T @ F + 0.5 * np.eye(2)), F.T).T
        for omega in (Resolvent(B, 0.5), Dense(np.asarray(np.linalg.inv(F @ F.T + 0.5 * np.eye(n)), dtype=np.float64))):
            traces = family.traces(sample.data, omega)
            shape = f"traces must have the shape of S, {S.shape}, got {traces.shape}"
            demand(traces.shape == S.shape, "traces", shape)
            wanted = float(np.sum(omega.dense() * K))
            scale = float(np.abs(omega.dense() * K).sum())
            detail = "traces must have <traces, S> = tr(Omega K(S))"
            demand_close(np.vdot(traces, S), wanted, "traces", detail, tolerance=self.tolerance, scale=scale)

    def test_stored_grams(self) -> None:
        """`stored` returns the Gram of an atom, an array of doubles in C order, without a copy."""
        family, sample = self.capable(StoredFamily)
        for atom in family.dictionary().atoms:
            got = family.stored(sample.data, atom)
            order = got.dtype == np.float64 and got.flags.c_contiguous
            demand(order, "stored-order", f"stored must be doubles in C order, got {got.dtype}, strides {got.strides}")
            detail = "stored must be the Gram of one atom, shape (n, n)"
            demand_close(got, gram_of(sample, single(atom)), "stored-gram", detail, tolerance=self.tolerance)
            same = np.shares_memory(got, family.stored(sample.data, atom))
            demand(same, "stored-copy", "stored must return what the family has bound, not a copy of it")

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

    def test_couplings_add_up(self) -> None:
        """`plus` and `scaled` give the coupling of v + w/2, as apply, adjoint and schur show."""
        family, sample = self.capable(LinearFamily)
        v, w = sample.V[:, 0], sample.V[:, 1]
        parts = family.couple(sample.data, v).plus(family.couple(sample.data, w).scaled(0.5))
        whole, (S, _) = family.couple(sample.data, v + 0.5 * w), _parameters(sample)
        A = np.ones(S.shape) if S.ndim == 1 else np.eye(len(S))
        for name, got, wanted in (
            ("coupling-plus", parts.apply(S), whole.apply(S)),
            ("coupling-plus", parts.adjoint(v), whole.adjoint(v)),
            ("coupling-plus", parts.schur(parts, A, A), whole.schur(whole, A, A)),
        ):
            detail = "the sum of two couplings must be the coupling of the sum"
            demand_close(got, wanted, name, detail, tolerance=self.tolerance)

    def test_one_question(self) -> None:
        """`couple`, `form` and `apply` give the same for the data of `bind_once` as for the data of `bind`."""
        family, sample = self.capable(LinearFamily)
        V, (S, K) = sample.V, _parameters(sample)
        once = family.bind_once(sample.X)
        size = float(np.abs(K).max()) * len(V)
        detail = "bind_once must answer as bind does"
        got, wanted = (family.couple(data, V[:, 0]).apply(S) for data in (once, sample.data))
        demand_close(got, wanted, "bind-once", detail, tolerance=self.tolerance, scale=size)
        got, wanted = (family.form(data, V) for data in (once, sample.data))
        demand_close(got, wanted, "bind-once", detail, tolerance=self.tolerance)

    def test_coupling_schur(self) -> None:
        """schur(other, A, B)_ij = tr(G_i A G'_j B), with G_i = adjoint(e_i); for a list, sum_a G_ia A_a B_a G'_ja."""
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

    def test_coupling_of_some_rows(self) -> None:
        """n is the number of rows, and take(rows) has the entries of these rows in apply, adjoint and schur."""
        family, sample = self.capable(LinearFamily)
        first, second = (family.couple(sample.data, sample.V[:, c]) for c in (0, 1))
        n, rows = len(sample.X), np.arange(1, len(sample.X), 3)
        demand(first.n == n, "coupling-n", f"the coupling's n must be the number of rows {n}, got {first.n}")
        some, others = first.take(rows), second.take(rows)
        detail = f"n of take must be the number of rows taken, {len(rows)}, got {some.n}"
        demand(some.n == len(rows), "coupling-n", detail)
        S, _ = _parameters(sample)
        u, detail = sample.V[rows, 2], "take must leave the entries of its rows in apply"
        wanted = first.apply(S)
        size = float(np.abs(wanted).max())
        self._demand_taken(some.apply(S), wanted[rows], detail, size)
        padded = np.zeros(n)
        padded[rows] = u
        detail = "the adjoint of take must be that of u with zeros in the other rows"
        self._demand_taken(some.adjoint(u), first.adjoint(padded), detail)
        A, B = _pair(sample, first)
        block = np.ix_(rows, rows)
        detail = "schur of take must be the block of its rows"
        self._demand_taken(some.schur(others, A, B), first.schur(second, A, B)[block], detail)
        self._demand_taken(some.schur(some, A, B), first.schur(first, A, B)[block], detail)

    def test_coupling_restricted(self) -> None:
        """restrict(U) has apply(T) = K(U T U') v and adjoint(u) = U' K*(u v') U; for a list, U selects atoms."""
        family, sample = self.capable(LinearFamily)
        first, second = (family.couple(sample.data, sample.V[:, c]) for c in (0, 1))
        whole = first.adjoint(sample.V[:, 2])
        q, k = len(whole), max(1, len(whole) // 2)
        if whole.ndim == 2:
            U = sample.rng.normal(size=(q, k))
            T, A, B = _symmetric(sample.rng, k), _positive(sample.rng, k), _positive(sample.rng, k)
            lifted, seen = [U @ M @ U.T for M in (T, A, B)], U.T @ whole @ U
        else:
            U = np.eye(q)[:, sample.rng.permutation(q)[:k]]
            T, A, B = sample.rng.uniform(size=(3, k))
            lifted, seen = [U @ M for M in (T, A, B)], U.T @ whole
        some, others = first.restrict(U), second.restrict(U)
        demand(some.n == first.n, "coupling-restrict", f"restrict must keep the rows, n = {first.n}, got {some.n}")
        detail = "restrict must have apply(T) = K(U T U') v, or K(U t) v for weights"
        scale = float(np.abs(first.apply(np.abs(lifted[0]))).max()) + float(np.abs(first.apply(lifted[0])).max())
        self._demand_restricted(some.apply(T), first.apply(lifted[0]), detail, scale)
        detail = "the adjoint of restrict must be U' K*(u v') U, or U' K*(u v') for weights"
        self._demand_restricted(some.adjoint(sample.V[:, 2]), seen, detail, float(np.abs(whole).max()))
        detail = "schur of restrict must be that of U A U' and U B U', or of the atoms' entries for weights"
        for one, other, mine, theirs in ((first, second, some, others), (first, first, some, some)):
            wanted = one.schur(other, lifted[1], lifted[2])
            self._demand_restricted(mine.schur(theirs, A, B), wanted, detail, float(np.abs(wanted).max()))

    def _demand_taken(self, got: FloatArray, wanted: FloatArray, detail: str, scale: float | None = None) -> None:
        demand_close(got, wanted, "coupling-take", detail, tolerance=100 * self.tolerance, scale=scale)

    def _demand_restricted(self, got: FloatArray, wanted: FloatArray, detail: str, scale: float) -> None:
        demand_close(got, wanted, "coupling-restrict", detail, tolerance=100 * self.tolerance, scale=scale)


def _pair(sample: Sample, coupling: Coupling) -> tuple[FloatArray, FloatArray]:
    """Two positive parameters for a Schur matrix: matrices, or weights."""
    like = coupling.adjoint(np.zeros(coupling.n))
    if like.ndim == 1:
        return sample.rng.uniform(size=len(like)), sample.rng.uniform(size=len(like))
    return _positive(sample.rng, len(like)), _positive(sample.rng, len(like))


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
