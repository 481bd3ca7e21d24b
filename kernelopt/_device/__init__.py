"""Work on blocks of rows in the array API standard: distances, kernels, products and sums, on whatever device there is.

What may be imported: `Arrays`, a library of arrays and one of its devices, and the functions over its arrays. They ask
for nothing beyond the standard, so that the same lines run with numpy, with torch on a graphics card, and with others.
Nothing here knows of families, criteria or solvers: a kernel is only a sum of functions of distances.
"""
