"""Solvers around solvers: what lifts, chains and restricts them so that each serves every family on many rows.

`_adapters` decides what a solver needs around it; `_local_descent`, `_in_out` and `_dual_mixture` are for all of them.
Nothing here solves a saddle by itself, and nothing here knows a plugin or the evidence.
"""
