"""Which devices there are: one clear sentence for each that cannot be had."""

import sys

import numpy as np
import pytest

from kernelopt._base._errors import InvalidOption, MissingLibrary
from kernelopt._device._arrays import Arrays, opened


def test_none_is_numpy_as_ever_and_arrays_are_what_they_are():
    assert opened(None) is None
    assert opened(Arrays("numpy")) == Arrays("numpy")


@pytest.mark.parametrize("device", [3, True, ("cuda",)])
def test_something_else_is_no_device(device):
    with pytest.raises(InvalidOption, match="wanted None or a name of torch"):
        opened(device)


@pytest.mark.parametrize("missing", ["torch", "array_api_compat.torch"])
def test_a_library_that_is_missing_is_named_with_the_way_to_get_it(missing, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", sys)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingLibrary, match=r'python -m pip install "kernelopt\[torch\]"'):
        opened("cuda")


@pytest.fixture
def torch():
    pytest.importorskip("array_api_compat")
    return pytest.importorskip("torch", exc_type=ImportError)


@pytest.mark.usefixtures("torch")
def test_the_processor_is_a_device():
    arrays = opened("cpu")
    assert arrays is not None
    assert arrays.name == "cpu"
    assert np.array_equal(arrays.back(arrays.put([[1.0, 2.0]])), [[1.0, 2.0]])


@pytest.mark.parametrize("device", ["graphics", "meta", "cuda:99"])
def test_a_device_that_is_not_there_is_refused(device, torch):
    with pytest.raises(InvalidOption, match=f"device: got '{device}', which torch cannot use here"):
        opened(device)


def test_a_device_without_double_precision_is_refused(torch, monkeypatch):
    monkeypatch.setattr(Arrays, "put", lambda self, values: 1.0 / 0.0)
    with pytest.raises(InvalidOption, match="double precision"):
        opened("cpu")


def test_a_graphics_card_says_how_much_of_its_memory_is_free(torch, monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1000, 2000))
    assert Arrays("array_api_compat.torch", "cuda:0").free_bytes() == 1000
    assert Arrays("array_api_compat.torch", "cpu").free_bytes() is None
    assert Arrays("numpy").free_bytes() is None


def test_a_kernel_is_learned_without_any_of_them(loaded):
    assert not {"torch", "array_api_compat"} & loaded
