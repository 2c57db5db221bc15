"""A study's report in the terminal: tables first, then the sentences, which stay in sight."""

from collections.abc import Iterator

from rag_ablation.report.leaderboard import Leaderboard
from rag_ablation.report.study.content import Severity, StudyReport
from rag_ablation.report.study.shown import inline
from rag_ablation.report.study.shown.phrases import PHRASES
from rag_ablation.report.study.shown.tables import ladder_table, lost_table
from rag_ablation.report.study.terms import SEVERITIES
from rag_ablation.report.study.verdict.told import verdict_lines


def board_of(report: StudyReport, language: str = "en") -> Leaderboard:
    """Tables and remarks.

    Args:
        report: computed.
        language: `en` or `zh`.
    """
    counts = report.conclusion.denominators
    tables = [ladder_table(report.ladder, language)]
    if report.lost:
        tables.append(lost_table(report.lost, counts.unit, counts.scored, language))
    return Leaderboard(tables=tuple(tables), remarks=tuple(_remarks(report, language)))


def _remarks(report: StudyReport, language: str) -> Iterator[str]:
    conclusion, counts = report.conclusion, report.conclusion.denominators
    excluded = "; ".join(inline.excluded(reason, n).plain(language) for reason, n in counts.excluded.items() if n)
    yield (
        f"{_phrase('asked', language)}: {inline.asked(counts, report.side).plain(language)}; "
        f"{_phrase('scored', language)}: {inline.scored(counts).plain(language)}; "
        f"{_phrase('excluded', language)}: {excluded or 0}"
    )
    for sentence in report.types.watched if report.types else ():
        yield f"{_phrase('watched', language)}: {sentence.plain(language)}"
    if report.holdout:
        yield from verdict_lines(report.holdout, language)
    for plan in conclusion.plans:
        yield plan.plain(language)
    for said in conclusion.sentences:
        yield f"{said.sentence.plain(language)} [{said.figures.plain(language)}]"
    if conclusion.alone:
        yield conclusion.alone.plain(language)
    yield f"{_phrase('threats_to_it', language)}: {_counted(report, language)}"


def _counted(report: StudyReport, language: str) -> str:
    """`1 high, 4 medium, 2 low, 5 clear`."""
    found = ((report.threats.count(level), SEVERITIES[level][1].plain(language)) for level in Severity)
    return ", ".join(f"{n} {name}" for n, name in found)


def _phrase(name: str, language: str) -> str:
    return PHRASES[name].plain(language)
