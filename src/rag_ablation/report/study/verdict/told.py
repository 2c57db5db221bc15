"""A verdict as lines of text and as a table, for a terminal and a note."""

from collections.abc import Iterator

from rag_ablation.report.leaderboard import Table, number, signed
from rag_ablation.report.study.content import Holdout, Tuning
from rag_ablation.report.study.figures import over, span
from rag_ablation.report.study.shown.phrases import PHRASES


def verdict_lines(held: Holdout, language: str) -> Iterator[str]:
    """What must be said of the results, then rule, observation, conclusion, and how much was tuning.

    Args:
        held: to show.
        language: `en` or `zh`.
    """
    yield held.spent.plain(language)
    for mark in held.marks:
        yield f"{_phrase('marked', language)}: {mark.plain(language)}"
    yield f"{_phrase('rule_was', language)}: {held.rule.plain(language)}"
    for one in held.observed:
        yield f"{_phrase('observed', language)}: {one.plain(language)}"
    yield f"{_phrase('therefore', language)}: {held.therefore.plain(language)}"
    for row in held.tuning:
        ends = span(row.found.low, row.found.high).plain(language)
        yield f"{_phrase('dev_less_holdout', language)}, {_name(row, language)}: {signed(row.found.mean)} ({ends})"
    yield held.tuning_finding.plain(language)


def tuning_table(held: Holdout, language: str) -> Table:
    """Each dev result beside the same on the holdout.

    Args:
        held: to show.
        language: `en` or `zh`.
    """
    heads = ("what", "on_dev", "on_holdout", "dev_less_holdout")
    return Table(
        title=PHRASES["tuning_caption"].plain(language),
        headings=tuple(PHRASES[head].plain(language) for head in heads),
        rows=tuple(_row(row, language) for row in held.tuning),
        numeric_from=1,
    )


def _row(row: Tuning, language: str) -> tuple[str, ...]:
    sides = [
        f"{signed(side.mean) if row.paired else number(side.mean)} ({over(side.n, side.n_groups).plain(language)})"
        for side in (row.found.first, row.found.second)
    ]
    return (
        _name(row, language),
        *sides,
        f"{signed(row.found.mean)} ({span(row.found.low, row.found.high).plain(language)})",
    )


def _name(row: Tuning, language: str) -> str:
    return row.name if row.paired else f"{row.name} {_phrase('mean_of_arm', language)}"


def _phrase(name: str, language: str) -> str:
    return PHRASES[name].plain(language)
