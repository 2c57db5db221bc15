"""The report of a plan on its holdout."""

from pathlib import Path

from rag_ablation.commands._holdout_outcome import Outcome


def write_outcome(outcome: Outcome, root: Path) -> Path:
    """Write the report of a plan; gives its folder.

    Args:
        outcome: what came of it.
        root: folder under which everything is written.
    """
    return outcome.folder
