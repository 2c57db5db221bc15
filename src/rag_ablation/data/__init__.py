"""Files in, nouns out: one format per file."""
