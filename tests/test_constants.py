"""Every tuned constant names the benchmark that shows its worth, and every such benchmark a constant."""

import importlib
import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKLOAD = r"^def ([a-z]\w*)\("
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
    """The names of what the command may run, as the files define them: these are not imported."""
    files = (ROOT / "asv_benchmarks" / "benchmarks").glob("_*_workloads.py")
    return [name for file in files for name in re.findall(WORKLOAD, file.read_text(encoding="utf-8"), re.MULTILINE)]


@pytest.mark.parametrize("tuned", TABLE, ids=lambda tuned: tuned.key)
def test_every_constant_of_the_table_is_there(tuned):
    assert hasattr(importlib.import_module(tuned.module), tuned.name)
    assert tuned.without
    assert set(tuned.workloads) <= set(workloads())


def test_a_key_is_one_constant():
    assert len({tuned.key for tuned in TABLE}) == len({(tuned.key, tuned.module, tuned.name) for tuned in TABLE})


def test_docstrings_and_the_table_name_the_same_keys():
    assert pointers() == {tuned.key for tuned in TABLE}


def test_every_workload_is_one_of_some_constant():
    assert set(workloads()) == {name for tuned in TABLE for name in tuned.workloads}


def test_no_two_files_have_a_workload_of_one_name():
    assert len(workloads()) == len(set(workloads()))
