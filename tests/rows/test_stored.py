"""Files that are packed, and what can be read once only: they become temporary files, which go with their rows."""

import bz2
import gc
import gzip
import lzma
import os
import subprocess
import sys
import tempfile
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from kernelopt import InvalidData, row_blocks
from kernelopt._rows import _stored
from kernelopt._rows._stored import from_stream, stored

PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
TEXT = "a,b,y\n" + "".join(f"{i},{i % 3},{2 * i}\n" for i in range(50))


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    gc.freeze()  # of what is there already nothing is looked through below
    yield
    gc.collect()
    assert list((tmp_path / "temporary").iterdir()) == []


@pytest.mark.parametrize("suffix", PACKERS)
def test_packed_rows_are_those_of_the_file(tmp_path, suffix):
    path = tmp_path / f"data.csv{suffix}"
    path.write_bytes(PACKERS[suffix](TEXT.encode()))
    blocks = row_blocks(path, target="y")
    for _ in range(2):
        assert blocks.whole().targets.tolist() == list(range(0, 100, 2))
    assert blocks.source == str(path)
    assert "a temporary file was made of it" in blocks.notes[0]


def archive(path, **files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            written.writestr(name.replace("_", "."), content)
    return path


def test_an_archive_of_one_file_is_that_file(tmp_path):
    path = archive(tmp_path / "data.zip", data_csv=TEXT)
    with zipfile.ZipFile(path, "a") as written:
        written.writestr("__MACOSX/._data.csv", "what an operating system adds")
    assert row_blocks(path, target="y").whole().targets.tolist() == list(range(0, 100, 2))
    with path.open("rb") as stream:
        assert from_stream(stream, "standard input").path.read_text(encoding="utf-8") == TEXT
    with pytest.raises(InvalidData, match="zip archive of 2 files, wanted one table; unpack it"):
        stored(archive(tmp_path / "several.zip", one_csv=TEXT, more_csv=TEXT))
    whole = path.read_bytes()
    for broken in (whole[:90], whole.replace(whole[60:70], b"0123456789")):
        path.write_bytes(broken)
        with pytest.raises(InvalidData, match="broken, or was cut off"):
            stored(path)


def test_files_of_numpy_and_spreadsheets_are_no_archives_of_tables(tmp_path):
    np.savez(tmp_path / "data.npz", X=np.ones((2, 1)), y=np.ones(2))
    (tmp_path / "data").write_bytes((tmp_path / "data.npz").read_bytes())
    book = archive(tmp_path / "book.ods", mimetype="application/vnd.oasis.opendocument.spreadsheet")
    for path, suffix in ((tmp_path / "data.npz", ".npz"), (tmp_path / "data", ".npz"), (book, ".ods")):
        assert (stored(path).path, stored(path).suffix) == (path, suffix)


def test_packed_parquet_is_known_by_what_its_name_says(tmp_path):
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": [1.0, 2.0], "y": [1, 2]}).to_parquet(tmp_path / "data.parquet")
    packed = tmp_path / "data.parquet.gz"
    packed.write_bytes(gzip.compress((tmp_path / "data.parquet").read_bytes()))
    assert row_blocks(packed, target="y").whole().targets.tolist() == [1, 2]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_once(tmp_path, packed):
    path, content = tmp_path / "pipe", gzip.compress(TEXT.encode()) if packed else TEXT.encode()
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=[content])
    writer.start()
    blocks = row_blocks(path, target="y")
    writer.join()
    for _ in range(2):
        assert blocks.whole().targets.tolist() == list(range(0, 100, 2))


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        (b"PAR1...", ".parquet"),
        (b"PK\x03\x04...", ".npz"),
        (b"1 1:0.5 3:2\n-1 2:1\n", ".svmlight"),
        (b"-1 2:1 # a remark", ".svmlight"),
        (b"a,b\n1,2\n", ""),
        (b"time\n12:30\n", ""),
        (b"", ""),
    ],
)
def test_what_a_name_does_not_say_the_content_does(tmp_path, content, suffix):
    (tmp_path / "data").write_bytes(content)
    (tmp_path / "data.txt").write_bytes(content)
    assert stored(tmp_path / "data").suffix == suffix
    assert stored(tmp_path / "data.txt").suffix == ".txt"


@pytest.mark.parametrize("content", [gzip.compress(TEXT.encode())[:-20], b"\x1f\x8bnothing of the kind"])
def test_a_packed_file_that_is_cut_off_is_refused(tmp_path, content):
    (tmp_path / "data.csv.gz").write_bytes(content)
    with pytest.raises(InvalidData, match=r"data\.csv\.gz cannot be read to its end .*broken, or was cut off"):
        row_blocks(tmp_path / "data.csv.gz", target="y")


def test_what_is_packed_in_another_way_is_told(tmp_path):
    (tmp_path / "data.csv.zst").write_bytes(b"\x28\xb5\x2f\xfd....")
    with pytest.raises(InvalidData, match="compressed by zstd, which kernelopt cannot read; decompress it"):
        row_blocks(tmp_path / "data.csv.zst", target="y")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
def test_a_full_disk_says_where_to_name_another(monkeypatch, tmp_path):
    class Full(_stored._Temporary):
        def __init__(self):
            super().__init__()
            self.path = Path("/dev/full")

    monkeypatch.setattr(_stored, "_Temporary", Full)
    with (tmp_path / "data.csv").open("w+b") as file:
        file.write(np.zeros(1 << 17).tobytes())
        file.seek(0)
        with pytest.raises(InvalidData, match=r"cannot be written into /dev .*No space.*TMPDIR"):
            from_stream(file, "standard input")


def test_the_temporary_file_goes_with_the_process(tmp_path):
    code = (
        "import sys, tempfile; from kernelopt._rows._stored import from_stream;"
        f"tempfile.tempdir = {str(tmp_path / 'temporary')!r};"
        "kept = from_stream(sys.stdin.buffer, 'standard input'); print(kept.path.read_text(), end='')"
    )
    done = subprocess.run([sys.executable, "-c", code], input=TEXT, capture_output=True, text=True, check=False)
    assert done.stdout == TEXT, done.stderr
