"""Options, the frame that `prepare` fixes, and what is said about rows outside the bounds."""

import kernelopt_tk
import numpy as np
import pytest
from kernelopt_tk import TK

import kernelopt
from kernelopt.plugin import CONTRACT, InvalidOption, Part


def _data(n=8, d=3, seed=0):
    return np.random.default_rng(seed).random((n, d))


def _prepared(X, **options):
    return TK(**options).prepare(X, np.ones(len(X)))


def test_the_hook_offers_the_family():
    assert kernelopt_tk.kernelopt_families() == [TK]
    assert kernelopt_tk.KERNELOPT_CONTRACT == CONTRACT
    assert TK.name == "tk"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"degree": -1}, "degree must be an integer from 0 to 4095, got -1"),
        ({"degree": 1.5}, "degree must be an integer"),
        ({"degree": True}, "degree must be an integer"),
        ({"basis": "z"}, "basis must be one of 'x', 'xz', got 'z'"),
        ({"margin": -0.1}, "margin must be a number of at least 0"),
        ({"margin": float("inf")}, "margin"),
        ({"bounds": (1.0, 0.0)}, "bounds must be None or a pair"),
        ({"bounds": (0.0, float("inf"))}, "bounds must be None or a pair"),
        ({"bounds": 3.0}, "bounds must be None or a pair"),
        ({"bounds": (0.0, 1.0, 2.0)}, "bounds must be None or a pair"),
        ({"bounds": ([0.0, 0.0], [1.0, 0.0])}, "bounds must be None or a pair"),
        ({"bounds": ("a", "b")}, "bounds must be None or a pair"),
        ({"trace": 0}, 'trace must be a positive finite number or "order", got 0'),
        ({"trace": "q"}, "trace must be"),
        ({"trace": True}, "trace must be"),
        ({"rescale": "std"}, "rescale must be one of"),
    ],
)
def test_options_out_of_range_are_refused(options, message):
    with pytest.raises(InvalidOption, match=message):
        TK(**options)


def test_equal_options_make_equal_families():
    assert TK(bounds=[0, [1, 2]]) == TK(bounds=(0.0, np.array([1.0, 2.0])))
    assert hash(TK(bounds=(0, [1, 2]))) == hash(TK(bounds=(0, (1.0, 2.0))))
    assert TK() != TK(degree=2)
    X = _data()
    assert _prepared(X) == _prepared(X)
    assert _prepared(X) != _prepared(2.0 * X)
    assert _prepared(X) != TK()
    assert repr(_prepared(X)) == repr(TK())


def test_a_family_without_data_says_so():
    with pytest.raises(InvalidOption, match=r"call prepare\(X, weight\) first"):
        _ = TK().order


@pytest.mark.parametrize(("trace", "scale"), [(1, 1.0), (2.5, 2.5), ("order", 8.0)])
def test_paper_scale(trace, scale):
    assert _prepared(_data(), trace=trace).paper_scale() == scale


def test_a_p_that_is_too_large_is_refused():
    with pytest.raises(InvalidOption, match="at most 4096"):
        _prepared(_data(4, 30), degree=4)


def test_bounds_must_fit_the_columns():
    with pytest.raises(InvalidOption, match="2 entries for 3 columns"):
        _prepared(_data(), bounds=([0.0, 0.0], 1.0))
    with pytest.raises(InvalidOption, match="column 1 lies outside its bounds"):
        _prepared(_data(), bounds=([0.0, 5.0, 0.0], 6.0))
    _prepared(_data(), bounds=(0.25, 0.75))  # some rows outside: nothing is said


def test_bounds_of_each_column():
    X = _data()
    family = _prepared(X, bounds=([-1.0, -2.0, 0.0], [2.0, 2.0, 1.0]))
    P = np.zeros((8, 8))
    P[:] = 0.0
    P[0, 0] = P[0, 4] = P[4, 0] = P[4, 4] = 1.0  # [1; 1][1; 1]': the volume of the whole region
    np.testing.assert_allclose(family.blend(P, X, X), 3.0 * 4.0 * 1.0, rtol=1e-13)


def test_rows_of_zero_weight_do_not_count():
    X = _data()
    weight = np.ones(8)
    weight[3] = 0.0
    wild = X.copy()
    wild[3] = 1e6
    assert TK().prepare(wild, weight) == TK().prepare(np.delete(X, 3, axis=0), np.ones(7))


@pytest.mark.parametrize("basis", ["x", "xz"])
def test_the_units_of_a_column_do_not_matter(basis):
    X = _data(12, 4)
    units = X * [1e12, 1e-12, -1.0, 1.0] + [1e12, 0.0, 0.0, -5.0]
    X = X * [1.0, 1.0, -1.0, 1.0]
    plain, scaled = _prepared(X, basis=basis), _prepared(units, basis=basis)
    np.testing.assert_allclose(
        scaled.gram(scaled.center(), scaled.bind(units)).dense(),
        plain.gram(plain.center(), plain.bind(X)).dense(),
        rtol=1e-9,
    )


@pytest.mark.parametrize(("basis", "margin"), [("x", 0.5), ("xz", 0.0)])
def test_a_constant_column_does_no_harm(basis, margin):
    X = _data()
    X[:, 1] = 7.0
    family = _prepared(X, basis=basis, margin=margin)
    K = family.gram(family.center(), family.bind(X)).dense()
    assert np.isfinite(K).all()
    assert K.any()


def test_a_hundred_columns_stay_finite_and_positive():
    X = _data(20, 100)
    family = _prepared(X)
    data = family.bind(X)
    center = family.center()
    K = family.gram(center, data).dense()
    assert np.isfinite(K).all()
    assert K.diagonal().min() > 0
    best = family.best_atoms(data, np.linspace(-1.0, 1.0, 20)[:, None], _query())
    assert np.isfinite(best.ceiling)
    assert best.ceiling > 0


def _query():
    from kernelopt.plugin import Query

    return Query(k=2)


def test_a_volume_beyond_floating_point_is_refused_in_one_sentence():
    with pytest.raises(InvalidOption, match="volume 1e301 in 1000 columns"):
        _prepared(_data(5, 1000))
    assert np.isfinite(_prepared(_data(5, 1000), margin=0.0).blend(np.eye(2002), _data(2, 1000), _data(2, 1000))).all()


def test_rows_outside_are_counted():
    X = _data(20, 2)
    family = _prepared(X, margin=0.1)
    Z = np.vstack([X, [[5.0, 0.5], [0.5, -3.0], [9.0, 9.0]]])
    assert family.caution(X) is None
    assert family.caution(Z).startswith("3 of 23 rows lie outside the bounds")


def test_outside_the_bounds_the_limits_are_clipped_and_the_monomials_are_not():
    X = _data(20, 2)
    family = _prepared(X, margin=0.1)
    atom = Part(np.eye(family.order)[-1:], np.ones(1))
    (inside,), (beyond,) = (family.cross(atom, np.array([[z, z]]), X[:1]) for z in (2.0, 4.0))
    assert beyond != pytest.approx(inside)


def test_bind_bytes_covers_what_bind_holds():
    X = _data(50, 3)
    family = _prepared(X)
    data = family.bind(X)
    rows = data.rows
    held = sum(a.nbytes for a in (data.volumes.matrix, rows.limit, rows.reach, rows.monomials, rows.volume))
    assert family.bind_bytes(50, 3) == held
    one = _prepared(X[:, :1])
    rows, volumes = one.bind(X[:, :1]).rows, one.bind(X[:, :1]).volumes
    arrays = (volumes.reach, volumes.order, rows.limit, rows.reach, rows.monomials, rows.volume)
    assert one.bind_bytes(50, 1) == sum(a.nbytes for a in arrays)


def test_describe_names_degree_basis_and_spectrum():
    family = _prepared(_data())
    text = family.describe(family.center())
    assert text.startswith("degree 1, basis x, P is 8 x 8 of rank 8")


def test_degree_0_says_that_its_optimum_is_one_fixed_kernel_where_the_dual_variables_sum_to_0():
    X = _data(30)
    y = np.where(X[:, 0] > 0.5, 1, -1)
    notes = kernelopt.solve(X, y, family=TK(degree=0), criterion="svc", tol=1e-2).notes
    assert sum("one fixed kernel" in note for note in notes) == 1
    for other in ({"family": TK(degree=0), "criterion": "lagrangian-svc"}, {"family": TK(), "criterion": "svc"}):
        assert not any("fixed kernel" in note for note in kernelopt.solve(X, y, tol=1e-2, **other).notes)


def test_a_remark_that_several_families_make_is_noted_once():
    X = _data(30)
    y = np.where(X[:, 0] > 0.5, 1, -1)
    family = [kernelopt.on(TK(degree=0), [0]), kernelopt.on(TK(degree=0), [1])]
    notes = kernelopt.solve(X, y, family=family, criterion="svc", tol=1e-2).notes
    assert sum("one fixed kernel" in note for note in notes) == 1


def test_the_spectrum_is_that_of_p_whether_atoms_are_few_or_many():
    X = np.random.default_rng(0).uniform(size=(30, 2))
    family = TK().prepare(X, np.ones(30))
    atoms = family.draw(9, np.random.default_rng(1))
    for m in (1, 3, 9):
        part = Part(atoms[:m], np.arange(1.0, m + 1.0) / np.arange(1.0, m + 1.0).sum())
        values = np.linalg.eigvalsh(family.matrix(part))[::-1][: min(m, 5)]
        told = ", ".join(f"{value:.2g}" for value in values)
        assert family.describe(part).endswith(f"of rank {min(m, 6)}, eigenvalues {told}{', ...' if m > 5 else ''}")
