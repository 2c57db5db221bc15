"""The answers as plain rows: what a note shows."""

from collections.abc import Iterator

from rag_ablation.report.leaderboard import ABSENT, Table
from rag_ablation.report.study.content import Answers, AnswersRow
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.shown import answer_rates as shown
from rag_ablation.report.study.shown.phrases import PHRASES


def answers_table(answers: Answers, language: str) -> Table:
    """The answers in short: a row for each arm.

    Args:
        answers: to show.
        language: `en` or `zh`.
    """
    columns = shown.columns(answers)
    title = say(
        "answers by arm, judged by {judge}; a rate with its n, an open one from all wrong to all right",
        "各方案的答案，由 {judge} 判定；比例附 n，待定者从全部计错到全部计对",
        judge=answers.judged_by,
    )
    heads = (PHRASES["arm"], *(column.name for column in columns))
    return Table(
        title=title.plain(language),
        headings=tuple(head.plain(language) for head in heads),
        rows=tuple(tuple(_cells(row, columns, language)) for row in answers.rows),
        numeric_from=1,
    )


def _cells(row: AnswersRow, columns: tuple[shown.Column, ...], language: str) -> Iterator[str]:
    marked = shown.end(row)
    yield row.key if marked is None else f"{row.key} ({marked.plain(language)})"
    if row.paid is None:
        why = ABSENT if row.absent is None else f"{ABSENT} {row.absent.plain(language)}"
        yield from (why, *[ABSENT] * (len(columns) - 1))
        return
    for column in columns:
        cell, below = column.cell(row)
        notes = ("；" if language == "zh" else "; ").join(note.plain(language) for note in below)
        yield f"{cell.plain(language)} ({notes})" if notes else cell.plain(language)
