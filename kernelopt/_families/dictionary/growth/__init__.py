"""Kernels that may join a list during learning: of few columns, of learned metrics, of widths, of trees, of seasons.

Each file offers kernels of one kind; `_growing_list` is the list that asks them.
"""
