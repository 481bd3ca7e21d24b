"""Families that grow: kernels that the learned function asks for, and the held-out rows that decide whether they join.

`_grown` is what `_learned` calls. A plan of the criterion says how many rows are held out and how many rounds there are
at most; nothing here knows which criterion it is.
"""
