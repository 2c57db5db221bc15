"""Which sections a report has, in their order and with their numbers."""

from collections.abc import Iterator
from typing import NamedTuple

from rag_ablation.report.study.content import StudyReport
from rag_ablation.report.study.shown.phrases import HEADINGS
from rag_ablation.report.study.words import Text

SWEEP = "sweep"
BASELINES = "baselines"
"""Heading of the ladder where a plan has candidate and baselines."""


class Section(NamedTuple):
    """One section of the page.

    Args:
        number: from 1.
        id: anchor.
        short: name in the contents.
        heading: name above the section.
        template: name of its partial.
        content: what it shows.
    """

    number: int
    id: str
    short: Text
    heading: Text
    template: str
    content: object


def sections(report: StudyReport) -> tuple[Section, ...]:
    """Those that have something to say, numbered."""
    return tuple(
        Section(number, anchor, short, heading, template, content)
        for number, (anchor, short, heading, template, content) in enumerate(_present(report), start=1)
    )


def _present(report: StudyReport) -> Iterator[tuple[str, Text, Text, str, object]]:
    for name, content in _before_sweeps(report):
        heading = BASELINES if name == "ladder" and report.holdout else name
        yield (name, *HEADINGS[heading], name, content)
    for place, curve in enumerate(report.sweeps, start=1):
        yield (f"{SWEEP}-{place}", curve.title, curve.title, SWEEP, curve)
    for name, content in _after_sweeps(report):
        yield (name, *HEADINGS[name], name, content)


def _before_sweeps(report: StudyReport) -> Iterator[tuple[str, object]]:
    yield "ladder", report.ladder
    yield from _there(
        ("types", report.types), ("measures", report.measures), ("lost", report.lost), ("recall", report.ceilings)
    )


def _after_sweeps(report: StudyReport) -> Iterator[tuple[str, object]]:
    yield from _there(("latency", report.plane), ("flips", report.flips), ("answers", report.answers))
    yield "threats", report.threats
    yield from _there(
        ("unjudged", report.unjudged),
        ("repeat", report.commands),
        ("provenance", report.provenance),
        ("words", report.glossary),
    )


def _there(*pairs: tuple[str, object]) -> Iterator[tuple[str, object]]:
    return ((name, content) for name, content in pairs if content)
