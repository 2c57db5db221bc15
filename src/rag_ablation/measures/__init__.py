"""Numbers: pure functions from rankings and labels to values."""
