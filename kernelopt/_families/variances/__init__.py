"""Kernels whose values are 0 and 1, so that their weights are variances: a level, noise, groups, missing views."""
