"""Build what would be released and use it as a stranger would: in a clean environment, from wheels alone.

    python release/check.py [folder]

It builds every package into `folder/dist` (`.cache/release` where none is named), looks into the files, installs the
library without and with its plugins, and runs the demonstration. Nothing is uploaded. Needs git and a package index,
which the libraries that kernelopt builds on come from.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from pythons import found as pythons
from pythons import promised

HERE = Path(__file__).parent
ROOT = HERE.parent
TOOLS = ("build", "flit_core", "packaging")
MOST_SECONDS = 0.05
"""The CPU time that `import kernelopt` may take: the heavy parts load when they are used."""
_IMPORT = "import time; began = time.process_time(); import kernelopt; print(time.process_time() - began)"


def say(line: str) -> None:
    """A line for whoever waits."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def environment(folder: Path, python: str = sys.executable) -> Path:
    """Make an empty virtual environment of a Python, and return its folder of programs."""
    shutil.rmtree(folder, ignore_errors=True)
    output(python, "-m", "venv", folder, cwd=ROOT)
    return folder / ("Scripts" if sys.platform == "win32" else "bin")


def stranger() -> dict[str, str]:
    """The variables of this environment without those that would lead a Python back to the checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "KERNELOPT_"))}
    return {**kept, "PYTHONUTF8": "1"}


def output(*command: str | Path, cwd: Path) -> str:
    """What a command prints; where it fails, its own words and an end."""
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, env=stranger(), capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def install(programs: Path, dist: Path, wanted: str) -> None:
    """Install from wheels alone, and make sure that every package of ours comes from the folder."""
    report = dist.parent / "installed.json"
    where = ("--only-binary", ":all:", "--find-links", dist, "--report", report)
    output(programs / "python", "-m", "pip", "install", "-q", *where, wanted, cwd=dist.parent)
    for package in json.loads(report.read_text(encoding="utf-8"))["install"]:
        name, source = package["metadata"]["name"], package["download_info"]["url"]
        if name.startswith("kernelopt") and not source.startswith(dist.as_uri()):
            raise SystemExit(f"{name} came from {source}, and not from {dist}: is the version taken on the index?")


def import_time(programs: Path, cwd: Path) -> float:
    """CPU seconds of `import kernelopt`: the least of five, for other programs may run beside it."""
    return min(float(output(programs / "python", "-c", _IMPORT, cwd=cwd)) for _ in range(5))


def plugins(programs: Path, cwd: Path) -> set[str]:
    """The plugins that are found; an end where one does not load."""
    told = json.loads(output(programs / "kernelopt", "plugins", "--json", cwd=cwd))["plugins"]
    broken = [f"{one['name']}: {one['reason']}" for one in told if one["reason"] is not None]
    if broken:
        raise SystemExit("these plugins do not load:\n" + "\n".join(broken))
    return {one["name"] for one in told}


def tried(folder: Path, version: str, python: str) -> None:
    """Install without and with the plugins on one Python, and use what is installed."""
    dist = folder / "dist"
    clean = environment(folder / f"clean-{version}", python)
    install(clean, dist, "kernelopt")
    seconds = import_time(clean, folder)
    if seconds > MOST_SECONDS:
        raise SystemExit(f"import kernelopt takes {seconds:.3f} CPU seconds, and at most {MOST_SECONDS} are wanted")
    say(f"pip install kernelopt: imported in {seconds:.3f} CPU seconds, plugins {sorted(plugins(clean, folder))}")

    install(clean, dist, "kernelopt[all]")
    found = plugins(clean, folder)
    missing = {path.name.partition("-")[2] for path in ROOT.glob("plugins/kernelopt-*")} - {"minimal"} - found
    if missing:
        raise SystemExit(f"pip install kernelopt[all] brings no {sorted(missing)}: name them in the extra all")
    output(clean / "python", "-m", "pip", "check", cwd=folder)
    say(f"pip install kernelopt[all]: {len(found)} plugins load, and no two packages contradict each other")
    say(output(clean / "kernelopt", "demo", "--no-progress", cwd=folder).rstrip())


def main() -> None:
    """Build, look, install, run."""
    folder = Path(sys.argv[1] if sys.argv[1:] else ROOT / ".cache" / "release").resolve()
    dist = folder / "dist"
    folder.mkdir(parents=True, exist_ok=True)
    tools = environment(folder / "tools")
    output(tools / "python", "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", *TOOLS, cwd=folder)
    output(tools / "python", HERE / "build.py", dist, cwd=ROOT)
    say(output(tools / "python", HERE / "contents.py", dist, cwd=ROOT).strip())

    here = pythons()
    for version, python in here.items():
        say(f"\nPython {version}, {python}")
        tried(folder, version, python)
    absent = [version for version in promised() if version not in here]
    if absent:
        say(f"not tried, since they are not on this machine: Python {', '.join(absent)}")
    say(f"all is well; what would be released is in {dist}")


if __name__ == "__main__":
    main()
