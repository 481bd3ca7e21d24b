"""Every tuned constant names the benchmark that shows its worth, and every such benchmark a constant."""

import importlib
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
POINTER = re.compile(r"Worth:\s+`constants\.py ([\w.]+)`")


def table():
    """The table of the command, which is no package."""
    spec = importlib.util.spec_from_file_location("constants_table", ROOT / "asv_benchmarks" / "constants.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # attrs asks for the module of a class
    spec.loader.exec_module(module)
    return module.TABLE


TABLE = table()


def pointers():
    """The keys that the sources name."""
    files = [*(ROOT / "kernelopt").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]
    return {key for file in files for key in POINTER.findall(file.read_text(encoding="utf-8"))}


def workloads():
    """The functions that the command may run, as their file defines them: it is not imported."""
    text = (ROOT / "asv_benchmarks" / "benchmarks" / "_workloads.py").read_text(encoding="utf-8")
    return set(re.findall(r"^def ([a-z]\w*)\(", text, re.MULTILINE))


@pytest.mark.parametrize("tuned", TABLE, ids=lambda tuned: tuned.key)
def test_every_constant_of_the_table_is_there(tuned):
    assert hasattr(importlib.import_module(tuned.module), tuned.name)
    assert tuned.without
    assert set(tuned.workloads) <= workloads()


def test_a_key_is_one_constant():
    assert len({tuned.key for tuned in TABLE}) == len({(tuned.key, tuned.module, tuned.name) for tuned in TABLE})


def test_docstrings_and_the_table_name_the_same_keys():
    assert pointers() == {tuned.key for tuned in TABLE}


def test_every_workload_is_one_of_some_constant():
    assert workloads() == {name for tuned in TABLE for name in tuned.workloads}
