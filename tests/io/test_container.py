"""The layout of files: what is written is read, everything else is refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import kernelopt
from kernelopt._io._container import Content, read, write

KINDS = st.sampled_from(["f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?"])
ARRAYS = arrays.arrays(KINDS.map(np.dtype), arrays.array_shapes(min_dims=0, min_side=0, max_side=4))
NAMES = st.text(max_size=5)


@settings(max_examples=50)
@given(words=st.dictionaries(NAMES, st.text(), max_size=3), held=st.dictionaries(NAMES, ARRAYS, max_size=4))
def test_what_is_written_is_read(tmp_path_factory, words, held):
    path = tmp_path_factory.mktemp("files") / "one"
    words.pop("sha256", None)
    held.pop("__metadata__", None)
    write(path, Content(words, held))
    found = read(path)
    assert found.words == words
    assert found.arrays.keys() == held.keys()
    for name, array in held.items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].tobytes() == array.tobytes()
        assert found.arrays[name].flags.writeable


def test_the_layout_is_that_of_safetensors(tmp_path):
    """As its own library would read it: a header of JSON after its length, offsets into what follows."""
    path = tmp_path / "one"
    write(path, Content({"a": "b"}, {"x": np.array([[1.0, 2.0]]), "y": np.array([True, False, True])}))
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    assert length % 8 == 0
    assert header["__metadata__"]["a"] == "b"
    assert header["x"] == {"dtype": "F64", "shape": [1, 2], "data_offsets": [0, 16]}
    assert header["y"] == {"dtype": "BOOL", "shape": [3], "data_offsets": [16, 19]}
    assert data[8 + length :] == np.array([1.0, 2.0]).tobytes() + b"\x01\x00\x01"


def test_the_library_of_the_layout_reads_our_files(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy")
    path = tmp_path / "one"
    held = {"x": np.arange(6.0).reshape(2, 3), "y": np.array([1, 2], dtype=np.int32)}
    write(path, Content({"a": "b"}, held))
    found = safetensors.load_file(path)
    assert all(np.array_equal(found[name], array) for name, array in held.items())


def written(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


EMPTY = {"__metadata__": {"sha256": ""}}


def entry(dtype="F64", shape=(1,), places=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(places)}


BROKEN = {
    "nothing": (b"", "no header"),
    "a few bytes": (b"1234567", "no header"),
    "a text": (b"x,y\n1,2\n3,4\n", "no header"),
    "a longer header than the file": (written({})[:-1] + b"", "no header"),
    "a header that is no JSON": (written(b"no JSON"), "JSONDecodeError"),
    "a header that is no UTF-8": (written(b'{"\xff": 1}'), "UnicodeDecodeError"),
    "a header without an end": (written(b"[" * 100_000), "is no file of kernelopt's"),
    "a header that is a list": (written([1]), "no table"),
    "no words": (written({"x": entry()}, bytes(8)), "no words"),
    "words that are numbers": (written({"__metadata__": {"a": 1}}), "no words"),
    "one name twice": (written(b'{"__metadata__": {}, "__metadata__": {}}'), "twice"),
    "a number that is none": (written(b'{"__metadata__": NaN}'), "NaN"),
    "a number of many digits": (written(b'{"__metadata__": ' + b"9" * 5000 + b"}"), "ValueError"),
    "an array without a place": (written(EMPTY | {"x": {"dtype": "F64", "shape": [1]}}, bytes(8)), "no place"),
    "a place that is a word": (written(EMPTY | {"x": entry(places=("0", 8))}, bytes(8)), "no place"),
    "objects": (written(EMPTY | {"x": entry("O")}, bytes(8)), "no dtype"),
    "a negative length": (written(EMPTY | {"x": entry(shape=(-1,))}, bytes(8)), "no shape"),
    "too many dimensions": (written(EMPTY | {"x": entry(shape=(1,) * 40)}, bytes(8)), "no shape"),
    "a huge dimension": (written(EMPTY | {"x": entry(shape=(0, 1 << 70), places=(0, 0))}), "no shape"),
    "a bomb": (written(EMPTY | {"x": entry(shape=(1 << 30, 1 << 30))}, bytes(8)), "another size"),
    "a shape of another size": (written(EMPTY | {"x": entry(shape=(2,))}, bytes(8)), "another size"),
    "a hole": (written(EMPTY | {"x": entry(places=(8, 16))}, bytes(16)), "another size"),
    "two arrays in one place": (written(EMPTY | {"x": entry(), "y": entry()}, bytes(8)), "another size"),
    "a rest": (written(EMPTY | {"x": entry()}, bytes(9)), "holds 9 bytes"),
    "another digest": (written(EMPTY | {"x": entry()}, bytes(8)), "digest"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_file_of_ours_is_refused(tmp_path, case):
    data, reason = BROKEN[case]
    path = tmp_path / "one"
    path.write_bytes(data)
    with pytest.raises(kernelopt.ModelFileError, match=reason):
        read(path)


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(kernelopt.ModelFileError, match="cannot be read: No such file"):
        read(tmp_path / "missing")
    with pytest.raises(kernelopt.ModelFileError, match="is no file"):
        read(tmp_path)
    with pytest.raises(kernelopt.ModelFileError, match="cannot be written: No such file"):
        write(tmp_path / "missing" / "one", Content({}, {}))


def test_a_crash_in_the_middle_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "one"
    write(path, Content({"a": "old"}, {}))

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(kernelopt.ModelFileError, match="No space left"):
        write(path, Content({"a": "new"}, {}))
    assert read(path).words == {"a": "old"}
