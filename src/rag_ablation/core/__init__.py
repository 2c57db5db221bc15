"""Nouns: what the other rooms pass to each other."""
