"""The order of verbs: pipeline, store and run."""
