"""Datasets in the formats of others: one file per format, each with `read`, `write` or both.

Start reading at `convert`.
"""
