"""The door: rows, targets, weights and groups of a user are checked once, and become clean arrays.

Nothing here knows which family, criterion or solver is asked for.
"""
