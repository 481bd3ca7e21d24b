"""A checkpoint costs no run its answer, and one of another problem is refused in one sentence."""

import errno

import numpy as np
import pytest

import kernelopt
from kernelopt._io import _checkpoint, _container
from kernelopt._io._checkpoint import Keeper
from kernelopt.testing import two_classes

X, Y = two_classes(np.random.default_rng(0), 40, 2)
WIDTHS = (0.1, 0.5, 2.0, 8.0)


def gaussians(widths):
    return kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in widths])


def solve(widths=WIDTHS, **options):
    options = {"family": gaussians(widths), "solver": "plain-fw", "tol": 1e-9, "max_steps": 4} | options
    return kernelopt.solve(X, Y[:, 0], criterion="svc", **options)


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("error", ["a full disk", "no memory"])
def test_a_checkpoint_that_cannot_be_written_is_a_note(tmp_path, monkeypatch, error):
    wanted = solve()
    if error == "a full disk":
        monkeypatch.setattr("kernelopt._io._whole_file.os.fsync", full)
    else:
        monkeypatch.setattr(_checkpoint, "write", lambda *_: (_ for _ in ()).throw(MemoryError))
    s = solve(checkpoint=tmp_path / "run.ckpt")
    assert s.certificate == wanted.certificate
    (note,) = (note for note in s.notes if note.startswith("checkpoint: "))
    assert {"a full disk": "No space left on device", "no memory": "too little memory"}[error] in note
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_is_made_good_by_the_next(tmp_path, monkeypatch):
    response = solve().response
    keeper = Keeper(tmp_path / "run.ckpt", seconds=-1.0)
    monkeypatch.setattr("kernelopt._io._whole_file.os.fsync", full)
    keeper.offer(response)
    assert keeper.notes
    monkeypatch.undo()
    keeper.offer(response)
    assert keeper.notes == ()
    assert (tmp_path / "run.ckpt").exists()


def test_a_checkpoint_that_can_be_written_says_nothing(tmp_path):
    s = solve(checkpoint=tmp_path / "run.ckpt")
    assert not any("checkpoint" in note for note in s.notes)
    assert [path.name for path in tmp_path.iterdir()] == ["run.ckpt"]


def test_a_place_where_none_can_be_written_is_refused_before_the_work(tmp_path):
    def never(_):
        raise AssertionError("a step was made")

    for path in (tmp_path, tmp_path / "nowhere" / "run.ckpt"):
        with pytest.raises(kernelopt.InvalidOption, match=r"^checkpoint: .* cannot be written: "):
            solve(checkpoint=path, callback=never)


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04"])
def test_a_file_that_is_no_checkpoint_is_refused_before_the_work_and_left_as_it_is(tmp_path, monkeypatch, content):
    path = tmp_path / "run.ckpt"
    path.write_bytes(content)
    monkeypatch.setattr("kernelopt._api._solve.chosen", lambda *_: pytest.fail("there was work"))
    with pytest.raises(kernelopt.ModelFileError, match=r"checkpoint: .*remove the file, or name another one"):
        solve(checkpoint=path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "others", [WIDTHS[:2], (*WIDTHS, 20.0), ()], ids=["a shorter list", "a longer list", "another family"]
)
def test_a_checkpoint_of_another_list_is_refused_or_true(tmp_path, others):
    """What the file says of atoms that are not there is no answer; a longer list holds all of a shorter one's."""
    path = tmp_path / "run.ckpt"
    solve(checkpoint=path)
    options = {"widths": others} if others else {"family": "tk"}
    if others == (*WIDTHS, 20.0):
        s = solve(checkpoint=path, **options)
        assert s.certificate.lower <= s.certificate.upper
    else:
        with pytest.raises(kernelopt.InvalidData, match=r"is the checkpoint of another problem .*; remove it"):
            solve(checkpoint=path, **options)


@pytest.mark.parametrize("name", ["alpha0", "atoms0", "weights0"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -1e300])
def test_numbers_that_no_run_writes_are_refused(tmp_path, name, value):
    path = tmp_path / "run.ckpt"
    solve(checkpoint=path)
    content = _container.read(path)
    content.arrays[name].flat[0] = value
    _container.write(path, content)
    if name == "alpha0" and np.isfinite(value):
        s = solve(checkpoint=path)  # repaired, as any dual variables are
        assert s.certificate.lower <= s.certificate.upper
    else:
        with pytest.raises(kernelopt.InvalidData, match="checkpoint of another problem"):
            solve(checkpoint=path)


def test_a_checkpoint_whose_atoms_have_other_names_here_is_gone_on_from(tmp_path):
    """A pair of a point with itself is one kernel wherever the point lies: the optimum of both, under another name."""
    path = tmp_path / "run.ckpt"
    options = {"family": {"name": "hyperkernel", "pivots": 10}, "criterion": "svc", "max_steps": 9, "checkpoint": path}
    one, two = (kernelopt.solve(rows, Y[:, 0], **options) for rows in (X, X + 1.0))
    assert two.status.converged
    assert two.objective == pytest.approx(one.objective, rel=1e-6)
