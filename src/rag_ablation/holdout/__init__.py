"""Discipline: the split."""
