"""What variance components of several kinships cost: CPU seconds of the estimates, and of the tests of all kinships.

python asv_benchmarks/variance_components_table.py                       1000 rows and 3 kinships, 5000 and 10
python asv_benchmarks/variance_components_table.py --sizes 2000:5
"""

import argparse
import time

from benchmarks._kinships import kinships

from kernelopt import variance_components

HEAD = """| rows | kinships | of variance 0 | steps | CPU s of the estimates | CPU s with tests |
|---|---|---|---|---|---|"""


def line(rows: int, count: int) -> str:
    """A row of the table."""
    kernels, y, X = kinships(rows, count)
    seconds = []
    for tests in (False, True):
        began = time.process_time()
        found = variance_components(kernels, y, X, tests=tests)
        seconds.append(time.process_time() - began)
    bound = sum(component.on_boundary for component in found.components)
    return f"| {rows} | {count} | {bound} | {found.steps} | {seconds[0]:.1f} | {seconds[1]:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["1000:3", "5000:10"], metavar="ROWS:KINSHIPS")
    sizes = [tuple(map(int, size.split(":"))) for size in parser.parse_args().sizes]
    print(HEAD)  # noqa: T201
    for rows, count in sizes:
        print(line(rows, count), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
