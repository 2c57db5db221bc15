"""Hydra's plug-ins of rag-ablation."""
