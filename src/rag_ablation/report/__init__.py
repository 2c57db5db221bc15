"""From results to tables."""
