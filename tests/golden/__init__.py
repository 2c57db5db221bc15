"""Exact expected values for measures and fusion; `python -m tests.golden FILE …` checks any such file."""
