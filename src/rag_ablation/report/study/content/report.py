"""The report as a whole."""

from dataclasses import dataclass

from rag_ablation.report.study.content.answers import Answers
from rag_ablation.report.study.content.conclusion import Conclusion
from rag_ablation.report.study.content.curves import Ceilings, Plane, SweepCurve
from rag_ablation.report.study.content.flips import Flips
from rag_ablation.report.study.content.holdout import Holdout, Measures
from rag_ablation.report.study.content.ladder import Ladder
from rag_ablation.report.study.content.lost import Lost
from rag_ablation.report.study.content.threats import Threats, Unjudged
from rag_ablation.report.study.content.types import Types
from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyReport:
    """The report.

    Args:
        study: its name.
        side: `dev`, or `holdout` of a plan.
        date: day of the newest run.
        conclusion: first screen.
        ladder: every arm, every step.
        types: None with fewer than two types.
        lost: None without a recorded context.
        ceilings: None without a ranking.
        sweeps: one for each swept arm.
        plane: None where nothing was timed together.
        flips: None where no question moved.
        threats: all checks.
        unjudged: None where it cannot be computed.
        commands: groups of (comment or None, command) lines: how to repeat it, then how to look closer.
        provenance: (name, content) lines.
        glossary: (word, meaning) lines.
        repeats: how far the numbers can be had again.
        holdout: what a plan came to; None of a study.
        measures: every other measure and slice; None of a study, where any of them could be looked for.
        answers: what the generator made of each context; None where no arm was asked anything.
    """

    study: str
    side: str
    date: str
    conclusion: Conclusion
    ladder: Ladder
    types: Types | None
    lost: Lost | None
    ceilings: Ceilings | None
    sweeps: tuple[SweepCurve, ...]
    plane: Plane | None
    flips: Flips | None
    threats: Threats
    unjudged: Unjudged | None
    commands: tuple[tuple[tuple[Text | None, str], ...], ...]
    provenance: tuple[tuple[Text, Text], ...]
    glossary: tuple[tuple[Text, Text], ...]
    repeats: Text
    holdout: Holdout | None = None
    measures: Measures | None = None
    answers: Answers | None = None
