"""How the benchmarks are measured: the seconds of the processor, and so often that asv can tell two commits apart."""

import time


class Timed:
    """What every class of benchmarks inherits.

    asv calls a difference real if a rank test (Mann and Whitney, 1947) of the samples of both commits has a p-value
    below 0.002. Seven samples of each commit are the fewest that can reach it; two rounds of four are eight.
    """

    timer = time.process_time
    rounds = 2
    repeat = (4, 6, 0.5)
    """At least 4 samples a round, and up to 6 within half a second."""
    warmup_time = 0.05
    timeout = 600
