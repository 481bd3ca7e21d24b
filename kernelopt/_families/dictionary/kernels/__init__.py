"""One kernel of a list: its closed form, its name in scikit-learn, a matrix, or the trees that it compares.

Kernels know what they see of a row, and nothing of the list that they stand in.
"""
