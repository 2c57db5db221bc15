"""Everything that a study's report says, computed: figures first, sentences made from them, nothing drawn.

A section that has nothing to say is None, and the page leaves it out. Arms are named by their keys in the study.
"""

from rag_ablation.report.study.content.answers import (
    Above,
    Answers,
    AnswersRow,
    AnswersType,
    Became,
    CostPlane,
    End,
    Paid,
    Priced,
    TypeShare,
)
from rag_ablation.report.study.content.conclusion import Conclusion, Denominators, Said
from rag_ablation.report.study.content.curves import Ceilings, Curve, Plane, Setting, SweepCurve, Timed
from rag_ablation.report.study.content.flips import Flip, FlipColumn, Flips, GivenAnswer, Listed
from rag_ablation.report.study.content.holdout import Holdout, MeasureRow, Measures, SliceRow, Tuning
from rag_ablation.report.study.content.ladder import Ladder, LadderRow, LadderStep, Ruled
from rag_ablation.report.study.content.lost import Lost
from rag_ablation.report.study.content.report import StudyReport
from rag_ablation.report.study.content.threats import Severity, Threat, Threats, Unjudged, UnjudgedStep
from rag_ablation.report.study.content.types import Cell, TypeRow, Types

__all__ = [
    "Above",
    "Answers",
    "AnswersRow",
    "AnswersType",
    "Became",
    "Ceilings",
    "Cell",
    "Conclusion",
    "CostPlane",
    "Curve",
    "Denominators",
    "End",
    "Flip",
    "FlipColumn",
    "Flips",
    "GivenAnswer",
    "Holdout",
    "Ladder",
    "LadderRow",
    "LadderStep",
    "Listed",
    "Lost",
    "MeasureRow",
    "Measures",
    "Paid",
    "Plane",
    "Priced",
    "Ruled",
    "Said",
    "Setting",
    "Severity",
    "SliceRow",
    "StudyReport",
    "SweepCurve",
    "Threat",
    "Threats",
    "Timed",
    "Tuning",
    "TypeRow",
    "TypeShare",
    "Types",
    "Unjudged",
    "UnjudgedStep",
]
