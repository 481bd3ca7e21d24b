"""Matrices that need not be stored: Gram matrices as arrays, factors, sums or blocks, and how to solve with them.

Every file may be imported from the rooms above; `Gram` is the contract that the others go by.
Nothing here knows a family, a criterion or a solver: a kernel is only something that gives blocks of numbers.
"""
