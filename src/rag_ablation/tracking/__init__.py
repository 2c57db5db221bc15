"""From results to the outside world."""
