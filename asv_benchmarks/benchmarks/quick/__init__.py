"""Benchmarks that take a few minutes for two commits together."""
