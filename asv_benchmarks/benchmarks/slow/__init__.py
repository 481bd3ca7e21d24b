"""Benchmarks of larger problems."""
