"""Whatever is in a file: a model that predicts, or a `ModelFileError`.

    KERNELOPT_MUTATIONS=10000 python -m pytest tests/io/test_hostile_files.py

tries so many changes of each kind; without it, a few.
"""

import json
import os
import random
import sys

import attrs
import numpy as np
import pandas as pd
import pytest

import kernelopt
from kernelopt._io._container import read, write
from kernelopt._plugins._registry import registry

COUNT = int(os.environ.get("KERNELOPT_MUTATIONS", "150"))
JUNK = [
    None, True, False, 0, 1, -1, 3, 0.5, -1e308, 1 << 40, 1 << 80, "", "x", "tk", "svc", "Frame", "array0", "array1",
    [], [[]], {}, [1.0], {"array": "array0"}, {"array": "array1", "transposed": True}, {"number": "nan"},
    {"number": "inf"}, {"class": "Frame", "fields": {}}, {"class": "Part", "fields": {}}, {"list": [1]},
    {"family": "tk", "fields": {}}, {"family": "delta", "fields": {}}, {"family": "os", "fields": {}},
    {"mapping": {"a": 1}}, {"criterion": "svr", "fields": {}}, {"enumeration": "Status", "member": "CONVERGED"},
    {"words": ["a", "b"], "dtype": "<U1", "shape": [2]}, {"words": ["a"], "dtype": "<U999999999", "shape": [1]},
]  # fmt: skip


@pytest.fixture(name="files", scope="module")
def _files(tmp_path_factory, rows, labelled):
    """Files of several kinds, and the rows that their models predict."""
    folder = tmp_path_factory.mktemp("files")
    X, y, Z = rows
    unions = ["tk", "gpk", "cosine", ["gaussian", "delta"], {"name": "hyperkernel", "pivots": 9}, "dictionary"]
    for k, family in enumerate(unions):
        kernelopt.solve(X[:20], y[:20], family=family, criterion="svc", max_steps=2).save(folder / f"{k}")
    kernelopt.solve(X[:20], X[:20, 0], family="gpk", criterion="svr", max_steps=2).save(folder / "numbers")
    table = pd.DataFrame({"a": np.where(X[:20, 0] > 0.5, "x", "y"), "b": np.where(X[:20, 1] > 0.5, X[:20, 1], np.nan)})
    for k, family in enumerate(("gaussian", kernelopt.Dictionary("auto"))):
        kernelopt.solve(table, y[:20], family=family, criterion="svc", max_steps=2).save(folder / f"table{k}")
    labelled[0].save(folder / "labels")
    return sorted(folder.iterdir()), Z


def survives(path, Z):
    """Whether a file was refused in the one way there is, or holds a model that predicts."""
    try:
        model = kernelopt.load(path)
    except kernelopt.ModelFileError:
        return False
    rows = np.zeros((3, model.kernel.width))
    rows[:, : Z.shape[1]] = Z[:3, : model.kernel.width]
    with np.errstate(all="ignore"):
        assert len(model.predict(rows)) == 3
        assert model.kernel(rows).shape == (3, 3)
        assert str(model)
    return True


def scrambled(data, random_):
    """Some bytes changed, cut out, put in, moved, or the end cut off."""
    data = bytearray(data)
    for _ in range(random_.choice((1, 1, 2, 8))):
        at, length = random_.randrange(len(data) or 1), random_.choice((1, 1, 4, 64))
        match random_.randrange(6):
            case 0 if data:
                data[at] ^= 1 << random_.randrange(8)
            case 1:
                data[at : at + length] = random_.randbytes(len(data[at : at + length]))
            case 2:
                del data[at : at + length]
            case 3:
                data[at:at] = random_.randbytes(length)
            case 4:
                data[at:at] = data[random_.randrange(len(data) or 1) :][:length]
            case 5:
                del data[max(at, 1) :]
    return bytes(data)


@pytest.mark.filterwarnings("ignore::kernelopt.OutsideBounds")
def test_scrambled_files_are_refused(tmp_path, files):
    paths, Z = files
    random_, path = random.Random(0), tmp_path / "one"
    for _ in range(COUNT):
        whole = random_.choice(paths).read_bytes()
        data = scrambled(whole, random_)
        path.write_bytes(data)
        assert survives(path, Z) is (data == whole)


def places(node, at=()):
    """Every place in a JSON value."""
    yield at
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, item in items:
        yield from places(item, (*at, key))


def changed(told, random_):
    """The JSON of a model with one place deleted, or filled with junk, another place's value, or a near number."""
    copy = json.loads(told)
    *head, last = random_.choice([place for place in places(copy) if place])
    node = copy
    for key in head:
        node = node[key]
    match random_.randrange(4):
        case 0:
            del node[last]
        case 1 if isinstance(node[last], int | float):
            node[last] = random_.choice((node[last] + 1, -node[last], node[last] * 1e9))
        case 2:
            other = copy
            for key in random_.choice([place for place in places(copy) if place]):
                other = other[key]
            node[last] = json.loads(json.dumps(other))
        case _:
            node[last] = random_.choice(JUNK)
    return json.dumps(copy)


def disturbed(arrays, random_):
    """The arrays of a model with one of another shape, another dtype or with other numbers."""
    name = random_.choice(sorted(arrays))
    array = arrays[name].copy()
    match random_.randrange(6):
        case 0:
            array = array.T
        case 1:
            array = array[: random_.randrange(len(array) + 1)] if array.ndim else array[None]
        case 2:
            array = array[None] if random_.random() < 0.5 else array.ravel()
        case 3:
            array = array.astype(random_.choice(["f4", "i8", "?", "u1"]), casting="unsafe")
        case 4:
            array = np.concatenate([array.ravel(), array.ravel()])
        case _ if array.size:
            junk = random_.choice((np.nan, np.inf, -1.0, 0.0, 1e300, 1e-300, 7.0))
            with np.errstate(invalid="ignore"):
                array.ravel()[random_.randrange(array.size)] = np.array(junk).astype(array.dtype)
    return {**arrays, name: array}


@pytest.mark.filterwarnings("ignore::kernelopt.OutsideBounds", "ignore:invalid value:RuntimeWarning")
def test_hostile_files_are_refused_or_predict(tmp_path, files):
    """As before, by somebody who knows the layout and the digest."""
    paths, Z = files
    random_, path = random.Random(1), tmp_path / "one"
    contents, loaded = [read(one) for one in paths], 0
    for _ in range(COUNT):
        content = random_.choice(contents)
        words, arrays = dict(content.words), dict(content.arrays)
        for _ in range(random_.choice((1, 1, 2))):
            if random_.random() < 0.7:
                words["model"] = changed(words["model"], random_)
            else:
                arrays = disturbed(arrays, random_)
        write(path, attrs.evolve(content, words=words, arrays=arrays))
        loaded += survives(path, Z)
    assert 0 < loaded < COUNT


MACHINE = ("predictor", "fields")
KERNEL = (*MACHINE, "kernel", "fields")
LEAF = (*KERNEL, "leaves", 0, "fields")
FAMILY = (*LEAF, "family")
LIES = {
    "a P too large for any memory": ((*FAMILY, "fields", "degree"), 500, "at most 4096 is supported"),
    "a P of another size": ((*FAMILY, "fields", "degree"), 2, "the order of P"),
    "a degree without end": ((*FAMILY, "fields", "degree"), 1 << 5000, "degree must be an integer from 0 to 4095"),
    "columns that are not there": ((*KERNEL, "width"), 1, "the columns of a family"),
    "a family that is none": (FAMILY, {"family": "os"}, "no family is called 'os'"),
    "a function": (FAMILY, {"class": "system", "fields": {}}, "is no value of this format"),
    "a class of somewhere else": (("status",), {"class": "Popen", "fields": {}}, "is no value of this format"),
    "a number for a status": (("status",), 3, "`status` of Model is a int"),
    "a status that is none": (("status",), {"enumeration": "Status", "member": "X"}, "no model that works here"),
    "another task": (("criterion",), {"criterion": "svr", "fields": {}}, "the classes"),
    "a field of a later version": (("later",), 1, "of a later version"),
    "a missing class": ((*MACHINE, "classes"), {"words": ["a"], "dtype": "<U1", "shape": [1]}, "the classes"),
    "no option of its class": (("criterion", "fields", "C"), -1.0, "C must be a positive"),
    "an array that is not there": ((*LEAF, "columns"), {"array": "x"}, "is no value of this format"),
    "a label as long as the memory": (
        (*MACHINE, "classes"),
        {"words": ["a", "b"], "dtype": "<U99999999", "shape": [2]},
        "is no value of this format",
    ),
}


@pytest.mark.parametrize("case", LIES)
def test_lies_are_named(tmp_path, rows, case):
    (*head, last), lie, reason = LIES[case]
    X, y, _ = rows
    path = tmp_path / "one"
    kernelopt.solve(X, y, family="tk", criterion="svc", max_steps=2).save(path)
    content = read(path)
    told = json.loads(content.words["model"])
    node = told
    for key in head:
        node = node[key]
    node[last] = lie
    write(path, attrs.evolve(content, words={**content.words, "model": _json(told)}))
    with pytest.raises(kernelopt.ModelFileError, match=reason):
        kernelopt.load(path)


def _json(told):
    """JSON with numbers of any length, as a program without Python's limit would write it."""
    digits = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(told)
    finally:
        sys.set_int_max_str_digits(digits)


def test_a_degree_of_many_columns_costs_no_work(tmp_path, monkeypatch):
    """The binomial coefficient of such an order has millions of digits."""
    X = np.random.default_rng(0).normal(size=(20, 300))
    path = tmp_path / "one"
    kernelopt.solve(X, X[:, 0] > 0.0, family={"name": "gpk", "degree": 1}, criterion="svc", max_steps=1).save(path)
    content = read(path)
    told = json.loads(content.words["model"])
    told["predictor"]["fields"]["kernel"]["fields"]["leaves"][0]["fields"]["family"]["fields"]["degree"] = 10**300
    write(path, attrs.evolve(content, words={**content.words, "model": _json(told)}))
    monkeypatch.setattr(registry().find("family", "gpk"), "order", property(lambda _: pytest.fail("computed")))
    with pytest.raises(kernelopt.ModelFileError, match="degree must be an integer from 0 to 4095"):
        kernelopt.load(path)


def test_a_p_above_the_largest_is_refused_before_it_is_formed(tmp_path, rows, monkeypatch):
    X, y, _ = rows
    path = tmp_path / "one"
    kernelopt.solve(X, y, family="tk", criterion="svc", max_steps=2).save(path)
    family = registry().find("family", "tk")
    monkeypatch.setattr(family, "max_order", 5)
    monkeypatch.setattr(family, "matrix", lambda *_: pytest.fail("formed"))
    with pytest.raises(kernelopt.ModelFileError, match="at most 5 is supported"):
        kernelopt.load(path)


LAYOUT = (*KERNEL, "layout", "fields")
VIEWS = {
    "a view too many": ((*LAYOUT, "names"), ["a", "b"]),
    "two views of one name": ((*LAYOUT, "names"), ["a", "a", "a"]),
    "a view without columns": ((*LAYOUT, "widths"), [0, 2, 12]),
    "other columns": ((*LAYOUT, "widths"), [3, 2, 12]),
    "no Gram": ((*LAYOUT, "known"), [None, None, None]),
}


@pytest.mark.parametrize("case", VIEWS)
def test_lies_about_views_are_named(tmp_path, case):
    path = tmp_path / "one"
    X, y = np.random.default_rng(0).normal(size=(12, 4)), np.repeat([0, 1], 6)
    kernels = kernelopt.by_view(kernels={"c": "precomputed"})
    kernelopt.solve({"a": X[:, :2], "b": X[:, 2:], "c": X @ X.T}, y, family=kernels, criterion="svc").save(path)
    assert kernelopt.load(path).kernel.layout.names == ("a", "b", "c")
    content = read(path)
    told = json.loads(content.words["model"])
    (*head, last), lie = VIEWS[case]
    node = told
    for key in head:
        node = node[key]
    node[last] = lie
    write(path, attrs.evolve(content, words={**content.words, "model": json.dumps(told)}))
    with pytest.raises(kernelopt.ModelFileError, match=r"the views|the columns"):
        kernelopt.load(path)
