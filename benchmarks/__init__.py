"""Benchmarks: each prints a ratio against a reference of the same run, and asserts equal output first."""
