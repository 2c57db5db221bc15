"""A study by its name."""

from pathlib import Path

from rag_ablation.report.study.inputs import StudyResults


def open_results(name: str, root: Path) -> StudyResults:
    """What a study has found so far.

    Args:
        name: of the study.
        root: folder under which everything is written.
    """
    raise NotImplementedError
