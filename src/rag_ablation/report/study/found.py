"""What was computed of a study, for the parts of the report that draw on several others."""

from dataclasses import dataclass

from rag_ablation.report.study.content import Holdout, Ladder, SweepCurve, Types, Unjudged
from rag_ablation.report.study.inputs import StudyResults


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Results and what was made of them.

    Args:
        results: the study's arms.
        ladder: every step.
        types: by question type, None with fewer than two.
        sweeps: of settings.
        unjudged: passages that nobody has judged, None where it cannot be computed.
        holdout: what a plan came to; None of a study.
    """

    results: StudyResults
    ladder: Ladder
    types: Types | None
    sweeps: tuple[SweepCurve, ...]
    unjudged: Unjudged | None
    holdout: Holdout | None
