"""Families of kernels: the contract, what follows from it, what kernels cost, and the families of the core.

A family's author needs `_contract` and `_mixture`; `_finite`, `_matrix` and `_features` are its special cases, a `Leaf`
is a family on some columns with its scale and price, and finite lists of kernels have the folder `dictionary`.
`_atom_subset` makes a list of the atoms of any family that are in play.
Nothing here knows what is learned with a kernel, how it is found, or that families have names that users type.
"""
