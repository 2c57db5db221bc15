"""Verbs: what can fill a slot of the pipeline, one stage per file."""
