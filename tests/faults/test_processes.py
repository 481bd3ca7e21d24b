"""Processes that are killed, limited, forked and spawned: what was written is there, and what is left works.

KERNELOPT_FAULTS says how many times a process is killed or interrupted, in place of the few of every run of the tests.
"""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

TRIALS = int(os.environ.get("KERNELOPT_FAULTS", "6"))

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits are those of POSIX")

HEAD = """
import os, random, resource, signal, sys, time, warnings
from pathlib import Path
import numpy as np
import kernelopt
X = np.random.default_rng(0).normal(size=(40, 2))
y = np.sign(X[:, 0] * X[:, 1])
LIST = kernelopt.Dictionary([("rbf", {"gamma": gamma}) for gamma in (0.1, 1.0, 5.0)])
def solve(**options):
    return kernelopt.solve(X, y, **{"family": LIST, "solver": "plain-fw", "criterion": "svc", "max_steps": 3} | options)
"""


def ran(tmp_path, code, *arguments, **environment):
    """What a process of its own prints, line by line; it has to end well."""
    path = tmp_path / "script.py"
    path.write_text(HEAD + code)
    command = [sys.executable, str(path), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ | environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


KILLED = """
from kernelopt._io import _checkpoint, _container
first, second = solve(max_steps=0).response, solve(max_steps=3).response
path, moment = Path(sys.argv[1]), random.Random(1)
_checkpoint.write(path, first)
def written(response):
    _checkpoint.write(path.with_name("whole"), response)
    return path.with_name("whole").read_bytes()
wanted = {written(first), written(second)}
for _ in range(int(sys.argv[2])):
    child = os.fork()
    if not child:
        while True:
            _checkpoint.write(path, second)
            _checkpoint.write(path, first)
    time.sleep(moment.uniform(0.0, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert path.read_bytes() in wanted
    _container.read(path)
print(solve(checkpoint=path).certificate.upper <= first.upper)
"""
FULL = """
path, model = Path(sys.argv[3]), Path(sys.argv[4])
whole = solve(checkpoint=path)
whole.save(model)
kept = path.read_bytes(), model.read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
s = solve(checkpoint=path)
print(s.certificate.upper <= whole.certificate.upper)
print(*(note for note in s.notes if note.startswith("checkpoint: ")))
try:
    s.save(model)
except kernelopt.ModelFileError as error:
    print(error)
assert (path.read_bytes(), model.read_bytes()) == kept
print(*sorted(one.name for one in path.parent.iterdir() if one.suffix != ".py"))
"""


def test_a_run_that_is_killed_leaves_a_whole_checkpoint_and_a_full_disk_leaves_the_answer_and_the_files(tmp_path):
    full = tmp_path / "full"
    full.mkdir()
    resumed, told, note, refused, names = ran(
        tmp_path, KILLED + FULL, tmp_path / "run.ckpt", 5 * TRIALS, full / "run.ckpt", full / "model"
    )
    assert resumed == "True"
    assert told == "True"
    assert "run.ckpt cannot be written: File too large; the file does not have this solution" in note
    assert refused.endswith("model cannot be written: File too large")
    assert names == "model run.ckpt"


READ_ONLY = """
from numba.core import caching
def read_only(_):
    raise OSError(30, "Read-only file system")
caching._CacheLocator.ensure_cache_path = read_only
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    s = solve(criterion="svc", family=kernelopt.fixed("rbf"))
print(s.status.name, *(warning.category.__name__ for warning in told))
"""


def test_an_installation_that_cannot_be_written_works_with_one_warning(tmp_path):
    assert ran(tmp_path, READ_ONLY) == ["CONVERGED KerneloptWarning"]


CHILDREN = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from threadpoolctl import threadpool_info
def solved(_):
    return solve().certificate
if __name__ == "__main__":
    before = [one["num_threads"] for one in threadpool_info()]
    wanted = solved(0)
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(solved, range(4)))
    for method in ("fork", "spawn"):
        with ProcessPoolExecutor(1, multiprocessing.get_context(method)) as children:
            found += children.map(solved, range(2))
    after = [one["num_threads"] for one in threadpool_info()]
    print(all(one == wanted for one in found), after[: len(before)] == before)
"""


def test_threads_and_children_find_the_same_answer(tmp_path):
    assert ran(tmp_path, CHILDREN, OMP_NUM_THREADS="2") == ["True True"]


COMMAND = """
import sys, kernelopt.cli
print("ready", file=sys.stderr, flush=True)
kernelopt.cli.main()
"""


@pytest.mark.parametrize("trial", range(TRIALS // 6))
def test_a_command_that_is_interrupted_says_so_and_keeps_what_it_found(tmp_path, trial):
    data, model = tmp_path / "data.csv", tmp_path / "model"
    rng = random.Random(trial)
    rows = [[rng.gauss(0.0, 1.0) for _ in range(4)] for _ in range(400)]
    lines = ["a,b,c,d,y", *(",".join([*map(str, row), "yes" if row[0] * row[1] > row[2] else "no"]) for row in rows)]
    data.write_text("\n".join(lines))
    options = [
        "--target",
        "y",
        "--family",
        "dictionary",
        "--solver",
        "plain-fw",
        "--tol",
        "1e-12",
        "--max-steps",
        "100000",
    ]
    command = [sys.executable, "-c", COMMAND, "solve", str(data), *options, "--save", str(model), "--no-progress"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr.readline() == "ready\n"
        time.sleep(rng.uniform(0.0, 3.0))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=100)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    if "INTERRUPTED" in out:
        assert model.exists()
    else:
        assert (out, err) == ("", "interrupted before there was an answer\n")
