"""The evidence of a Gaussian process as a criterion: kernels without tuning."""
