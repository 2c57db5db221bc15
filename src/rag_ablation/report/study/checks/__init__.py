"""What may be wrong with a conclusion, one check at a time; a check that finds nothing says what it looked at."""
