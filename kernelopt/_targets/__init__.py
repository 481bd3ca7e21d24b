"""Kernel weights and noise of many targets, each with its own, by the evidence; the kernels' share of work is shared.

`_fit` finds them from Gram matrices and knows no families, `_solution` is what users get, which predicts with them.
Nothing here knows criteria or solvers.
"""
