"""Rows that are read block by block, as often as they are asked for, and never held: from arrays, files, and plugins.

What may be imported: the contract (`Piece`, `RowBlocks`, `Passes`), the readers, and what a first look at rows finds.
Nothing here knows of kernels; the rooms above say what is to be summed up over rows.
"""
