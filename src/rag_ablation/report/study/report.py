"""From a study's arms to everything that its report says."""

import re

from rag_ablation.report.study.answers.section import answers_of
from rag_ablation.report.study.asked import reference
from rag_ablation.report.study.ceilings import ceilings_of
from rag_ablation.report.study.choice import focus_of
from rag_ablation.report.study.commands import commands_of, repeats
from rag_ablation.report.study.conclusion import conclusion_of
from rag_ablation.report.study.content import StudyReport
from rag_ablation.report.study.flips import flips_of
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.glossary import glossary
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.ladder import ladder_of
from rag_ablation.report.study.lost import lost_of
from rag_ablation.report.study.plane import plane_of
from rag_ablation.report.study.provenance import provenance_of
from rag_ablation.report.study.question_types import types_of
from rag_ablation.report.study.sweeps import sweeps_of
from rag_ablation.report.study.threats import threats_of
from rag_ablation.report.study.unjudged import unjudged_of
from rag_ablation.report.study.verdict.measures import measures_of
from rag_ablation.report.study.verdict.section import holdout_of

DAY = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})")


def report_of(results: StudyResults) -> StudyReport:
    """Compute the report.

    Args:
        results: the study's arms, in whatever state they ended.

    Returns:
        Every section that has something to say.
    """
    ladder = ladder_of(results)
    found = Found(
        results=results,
        ladder=ladder,
        types=types_of(results, ladder),
        sweeps=sweeps_of(results),
        unjudged=unjudged_of(results, ladder),
        holdout=holdout_of(results),
    )
    conclusion, focus = conclusion_of(found), focus_of(ladder.rows)
    first = reference(results)
    return StudyReport(
        study=results.study.name,
        side=next((arm.record.side for arm in results.arms), "–") if first is None else first.record.side,
        date=day_of(results),
        conclusion=conclusion,
        ladder=ladder,
        types=found.types,
        lost=lost_of(results, focus),
        ceilings=None if focus is None else ceilings_of(results, focus),
        sweeps=found.sweeps,
        plane=plane_of(results),
        flips=flips_of(results, ladder),
        threats=threats_of(found),
        unjudged=found.unjudged,
        commands=commands_of(results, ladder),
        provenance=provenance_of(results, conclusion.denominators, len(ladder.steps())),
        glossary=glossary(results),
        repeats=repeats(results),
        holdout=found.holdout,
        measures=measures_of(results, ladder),
        answers=answers_of(results, focus),
    )


def day_of(results: StudyResults) -> str:
    """Day of the newest run or of the timing, whichever is later; empty where no name holds one.

    Example:
        `20260314-101500-rrf-73e662` is of 2026-03-14.
    """
    named = [arm.record.id for arm in results.arms] + ([] if results.timing is None else [results.timing.when])
    days = ["-".join(found.groups()) for name in named if (found := DAY.match(name))]
    return max(days, default="")
