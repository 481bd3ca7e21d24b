"""Variance components: how much of the variance of a trait each of several kernels explains, with standard errors.

`_fit` holds what users call, `_result` what they get; `_mixed_model` is the likelihood, which `_evidence` climbs.
Nothing here knows families, criteria or solvers: a kernel is a matrix that the user computed.
"""
