"""Random problems, hostile ones among them, and a check of their answers in plain numpy.

A problem is a function of its seed. `python tests/api/random_problems/show.py 4711` solves one and says what is wrong
with its answer; `--count 2000` counts the answers of many. Nothing in `machines.py` and `quadratic.py` comes from
kernelopt: they hold the formulas of the documentation, written again. `twists.py` and `further_twists.py` ask
the same problems in other ways.
"""
