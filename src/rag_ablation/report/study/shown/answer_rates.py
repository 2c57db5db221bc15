"""The table of rates of answers: what an arm has in each column, and what stands in small type below."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.answers import (
    CITATION_PRECISION,
    CORRECT_HIGH,
    CORRECT_LOW,
    FAILED,
    NEEDS_REVIEW,
    OPEN,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    SHARES,
    SUPPORTED,
)
from rag_ablation.report.leaderboard import ABSENT, number
from rag_ablation.report.study.answers.cost import money
from rag_ablation.report.study.answers.finding import way_of
from rag_ablation.report.study.content import Above, Answers, AnswersRow, Became, End
from rag_ablation.report.study.figures import all_alike, groups, mean_ends, n_of, no_interval, of_one_value, thousands
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.shown.phrases import PHRASES
from rag_ablation.report.study.words import Text, same, text, whole

RATES = {
    "right_refusals": REFUSED_RIGHT,
    "false_refusals": REFUSED_WRONG,
    "citation_precision": CITATION_PRECISION,
    "supported": SUPPORTED,
}
"""Rates of the table, by the phrase that names them."""


class Column(NamedTuple):
    """A column of the table of rates.

    Args:
        name: what it is called.
        cell: what an arm has in it, and what stands in small type below.
    """

    name: Text
    cell: Callable[[AnswersRow], tuple[Text, tuple[Text, ...]]]


def columns(answers: Answers) -> tuple[Column, ...]:
    """Those that some arm has something in."""
    found = [
        Column(PHRASES["right_answers"], lambda row: (same(whole(right_of(row))), right_stands_on(row))),
        Column(PHRASES["open_verdicts"], lambda row: (same(whole(counted_rate(row, NEEDS_REVIEW))), ())),
    ]
    if any(row.way is not None for row in answers.rows):
        found.append(Column(PHRASES["way"], lambda row: (way(row), ())))
    found += [Column(PHRASES[name], partial(_rate_cell, measure)) for name, measure in RATES.items()]
    found.append(
        Column(PHRASES["failed_answers"], lambda row: (same(whole(counted_rate(row, FAILED))), failed_of(row)))
    )
    if any(row.paid is not None and (row.paid.n or row.paid.tokens) for row in answers.rows):
        found.append(Column(PHRASES["cost_per_question"], lambda row: (same(whole(cost(row))), cost_stands_on(row))))
    return tuple(found)


def right_of(row: AnswersRow) -> str:
    """`0.269–0.425` while verdicts are open, else `0.347`."""
    share = row.share
    if share is None:
        return ABSENT
    low, high = map(number, share)
    return f"{low}–{high}" if row.is_open else low


def right_stands_on(row: AnswersRow) -> tuple[Text, ...]:
    """Under it: counts, then how far intervals reach."""
    share, low, high = row.share, row.means.get(CORRECT_LOW), row.means.get(CORRECT_HIGH)
    if share is None or low is None or high is None:
        return (row.absent,) if row.absent is not None else ()
    first, last = row.right
    counts = f"{first}–{last}" if row.is_open else f"{first}"
    found = [say("{k} of {n}", "{n} 题中 {k}", k=whole(counts), n=str(low.n))]
    if low.n_groups is not None:
        found = [say("{found}, {groups}", "{found}，{groups}", found=found[0], groups=groups(low.n_groups))]
    if low.low is None or high.high is None:
        return (*found, no_interval(low.n_groups))
    return (*found, say("95 %: {ends}", "95 %：{ends}", ends=whole(f"{number(low.low)}–{number(high.high)}")))


def rate(row: AnswersRow, measure: str) -> RecordedMean | None:
    """A rate of an arm, None where it has no questions."""
    found = row.means.get(measure)
    return found if found is not None and found.n else None


def rate_stands_on(measure: str, mean: RecordedMean) -> tuple[Text, ...]:
    """Under a rate: its interval and its n; why there is no interval, where there is none."""
    if measure not in SHARES and of_one_value(mean):
        return (all_alike(mean.n),)
    ends = mean_ends(mean)
    return (same(whole(ends)) if ends else no_interval(mean.n_groups), same(n_of(mean.n)))


def open_refusals(row: AnswersRow) -> tuple[Text, tuple[Text, ...]]:
    """Right refusals while a verdict on one is open: counts, since there is no rate yet."""
    counts = row.unanswerable
    total, right, waiting = sum(counts.values()), counts.get(Became.REFUSED_RIGHT, 0), counts.get(Became.OPEN, 0)
    shown = f"{right} / {total - right - waiting} / {waiting}"
    return same(whole(shown)), (say("right / wrong / open of {n}", "对 / 错 / 待定，共 {n} 题", n=str(total)),)


def failed_of(row: AnswersRow) -> tuple[Text, ...]:
    """Under the failed answers, where there are some: of which questions, and how many of all that were asked."""
    found = rate(row, FAILED)
    if found is None or found.value is None or row.paid is None:
        return ()
    counted = (round(found.value * found.n), found.n)
    if not counted[0] and not (row.failed_of_asked or counted)[0]:
        return ()
    base = text("of those asked", "所问的题") if found.n == row.paid.asked else text("of those counted", "计入的题")
    if row.failed_of_asked is None or row.failed_of_asked == counted:
        return (base,)
    failed, asked = map(thousands, row.failed_of_asked)
    return (base, say("{failed} of {asked} asked", "所问 {asked} 题中 {failed}", failed=failed, asked=asked))


def counted_rate(row: AnswersRow, measure: str) -> str:
    """`30 of 225`: a rate whose count is what matters."""
    found = rate(row, measure)
    if found is None or found.value is None:
        return ABSENT
    return f"{round(found.value * found.n)}/{found.n}"


def way(row: AnswersRow) -> Text:
    """Share of the way from floor to ceiling."""
    return same(ABSENT) if row.end is not None else way_of(row)


def end(row: AnswersRow) -> Text | None:
    """What an arm marks, or that it lies above what marks the top."""
    if row.end is not None:
        return PHRASES["end_ceiling" if row.end is End.CEILING else "end_floor"]
    return PHRASES["above_sure"] if row.above is Above.SURE else None


def cost(row: AnswersRow) -> str:
    """Cost of a question."""
    return ABSENT if row.paid is None else money(row.paid.per_question, row.paid.currency)


def cost_stands_on(row: AnswersRow) -> tuple[Text, ...]:
    """Under it: questions that have one, and tokens of a question."""
    paid = row.paid
    if paid is None:
        return ()
    found = [] if paid.per_question is None else [same(n_of(paid.n))]
    if paid.tokens:
        counts = " + ".join(thousands(round(value)) for value in paid.tokens.values())
        found.append(say("{n} tokens", "{n} 词元", n=whole(counts)))
    return tuple(found)


def _rate_cell(measure: str, row: AnswersRow) -> tuple[Text, tuple[Text, ...]]:
    found = rate(row, measure)
    if measure == REFUSED_RIGHT and found is not None and found.reason == OPEN:
        return open_refusals(row)
    if found is None or found.value is None:
        return same(ABSENT), ()
    return same(whole(number(found.value))), rate_stands_on(measure, found)
