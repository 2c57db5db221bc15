"""Figures on public collections, computed by the tool and read back from MLflow."""
