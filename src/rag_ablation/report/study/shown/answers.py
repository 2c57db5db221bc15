"""How the section on answers is worded and what its tables show."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.answers import (
    CITATION_PRECISION,
    CORRECT,
    CORRECT_HIGH,
    CORRECT_LOW,
    FAILED,
    NEEDS_REVIEW,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    SUPPORTED,
)
from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.report.leaderboard import ABSENT, number
from rag_ablation.report.study.answers.cost import money
from rag_ablation.report.study.answers.finding import way_of
from rag_ablation.report.study.answers.names import BECAME
from rag_ablation.report.study.content import Above, Answers, AnswersRow, AnswersType, Became, End, TypeShare
from rag_ablation.report.study.figures import groups, mean_ends, n_of, over, thousands
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
ALWAYS_SHOWN = frozenset({Became.RIGHT, Became.REFUSED_RIGHT, Became.WRONG, Became.REFUSED, Became.OPEN, Became.FAILED})
NOT_WITHOUT_ANSWER = frozenset({Became.REFUSED})
OPEN_INTERVAL = text(
    " Of a share with open verdicts the interval reaches from the lower end of its lower bound to the upper end of its "
    "upper one.",
    "有待定的比例，其区间从下界的下端到上界的上端。",
)
Counts = Mapping[Became, int]


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
    found.append(Column(PHRASES["failed_answers"], lambda row: (same(whole(counted_rate(row, FAILED))), ())))
    if any(row.paid is not None and (row.paid.n or row.paid.tokens) for row in answers.rows):
        found.append(Column(PHRASES["cost_per_question"], lambda row: (same(whole(cost(row))), cost_stands_on(row))))
    return tuple(found)


def asked_rows(answers: Answers) -> tuple[AnswersRow, ...]:
    """Arms that were asked, for the tables of counts."""
    return tuple(row for row in answers.rows if row.paid is not None)


def became_rows(rows: Sequence[AnswersRow], *, answerable: bool) -> tuple[Became, ...]:
    """What a table of counts has a line for: what can be, and what some arm has."""
    found: dict[Became, bool] = {}
    for row in rows:
        for became, n in _counts(row, answerable=answerable).items():
            usual = became in ALWAYS_SHOWN and (answerable or became not in NOT_WITHOUT_ANSWER)
            found[became] = found.get(became, False) or bool(n) or usual
    return tuple(became for became, shown in found.items() if shown)


def count_of(row: AnswersRow, became: Became, *, answerable: bool) -> int:
    """Questions of an arm that came to this."""
    return _counts(row, answerable=answerable).get(became, 0)


def total_of(row: AnswersRow, *, answerable: bool) -> int:
    """All of them."""
    return sum(_counts(row, answerable=answerable).values())


def name_of(became: Became) -> Text:
    """What a question came to."""
    return BECAME[became]


def counted_of(rows: Sequence[AnswersRow], answers: Answers, *, answerable: bool) -> Text:
    """Above a table of counts: how many questions, of which kind, and who judged."""
    totals = sorted({total_of(row, answerable=answerable) for row in rows}) or [0]
    n = "–".join(map(thousands, dict.fromkeys((totals[0], totals[-1]))))
    kinds = (
        ("with an answer in the corpus", "语料中有答案的题")
        if answerable
        else ("without one: it is right to refuse", "没有答案的题：拒答才对")
    )
    return say(
        f"{{n}} questions {kinds[0]}; judged by {{judge}}",
        f"{{n}} 道{kinds[1]}；由 {{judge}} 判定",
        n=whole(n),
        judge=answers.judged_by,
    )


def drawing(answers: Answers) -> Text:
    """Below the drawing: what stands there, and no more."""
    judged = [row for row in answers.rows if row.share is not None]
    open_ = [row for row in judged if row.is_open]
    settled = len(judged) > len(open_)
    ceiling = answers.ceiling is not None and answers.ceiling.share is not None
    gone = any(row.share is None for row in answers.rows)
    en = [
        "Share of questions answered right, judged by ",
        *answers.judged_by.en,
        "." if settled or open_ else ": there is none.",
        " Black dot: the share, with its 95 % interval." if settled else "",
        " Bar without a dot: verdicts are open, and the share lies between all of them wrong and all of them right; "
        "thin line: as far as the 95 % intervals of both ends reach."
        if open_
        else "",
        " Dashed: the ceiling." if ceiling else "",
        " –: no share; the reason stands below." if gone else "",
    ]
    zh = [
        "答对的比例，由 ",
        *answers.judged_by.zh,
        " 判定。" if settled or open_ else " 判定：没有。",
        "黑点：比例与 95 % 区间。" if settled else "",
        "没有点的条：仍有待定的判定，比例在待定全部计错与全部计对之间；细线：两端 95 % 区间所及。" if open_ else "",
        "虚线：上限。" if ceiling else "",
        "–：没有比例，理由见下。" if gone else "",
    ]
    return text(tuple(en), tuple(zh))


def rates(answers: Answers) -> Text:
    """Above the table of rates."""
    return say(
        "Each rate with its 95 % interval and its n, as judged by {judge}.{open} Intervals are not adjusted, and no "
        "cell carries a verdict.",
        "各比例与 95 % 区间、n，由 {judge} 判定。{open}区间未经校正，任何一格都不下结论。",
        open=OPEN_INTERVAL if any(row.is_open for row in answers.rows) else text("", ""),
        judge=answers.judged_by,
    )


def types(answers: Answers) -> Text:
    """Above the table by type."""
    return say(
        "Share of right answers, from all open verdicts wrong to all right, judged by {judge}; † under {few} groups. "
        "No intervals and no verdict.",
        "答对的比例，从待定全部计错到全部计对，由 {judge} 判定；† 不足 {few} 组。没有区间，不下结论。",
        judge=answers.judged_by,
        few=str(GROUPS_FOR_A_VERDICT),
    )


def plane(answers: Answers) -> Text:
    """Below the plane of quality and cost."""
    arms = () if answers.plane is None else answers.plane.arms
    open_ = any(arm.right.value is None for arm in arms)
    settled = any(arm.right.value is not None for arm in arms)
    front = sum(arm.front for arm in arms) > 1
    en = [
        "Across: mean cost of a question, of those that have one. Up: share of right answers.",
        " Black dot with its 95 % interval." if settled else "",
        " Bar without a dot: from all open verdicts wrong to all right." if open_ else "",
        " Dashed: front of the point estimates." if front else "",
    ]
    zh = [
        "横轴：每题成本均值（有成本的题）。纵轴：答对的比例。",
        "黑点：比例与 95 % 区间。" if settled else "",
        "没有点的条：从待定全部计错到全部计对。" if open_ else "",
        "虚线：点估计的前沿。" if front else "",
    ]
    return text("".join(en), "".join(zh))


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
    right = row.means.get(CORRECT)
    if right is not None and right.value is not None:
        found += [say("95 %: {ends}", "95 %：{ends}", ends=whole(mean_ends(right)))] if mean_ends(right) else []
    elif low.low is not None and high.high is not None:
        ends = f"{number(low.low)}–{number(high.high)}"
        found.append(say("95 %: {ends}", "95 %：{ends}", ends=whole(ends)))
    return tuple(found)


def rate(row: AnswersRow, measure: str) -> RecordedMean | None:
    """A rate of an arm, None where it has no questions."""
    found = row.means.get(measure)
    return found if found is not None and found.n else None


def rate_stands_on(mean: RecordedMean) -> tuple[Text, ...]:
    """Under a rate: its interval and its n."""
    ends = mean_ends(mean)
    return (*((same(whole(ends)),) if ends else ()), same(n_of(mean.n)))


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


def type_share(share: TypeShare) -> str:
    """`0.27–0.42`, or `0.35` where nothing is open."""
    low, high = number(share.low, 2), number(share.high, 2)
    return low if share.low == share.high else f"{low}–{high}"


def of_type(row: AnswersType) -> Text:
    """`n 34, 31 groups`."""
    mark = " †" if row.n_groups < GROUPS_FOR_A_VERDICT else ""
    return say("{over}{mark}", "{over}{mark}", over=over(row.n, row.n_groups or None), mark=mark)


def verdict_name(word: str | None) -> Text:
    """A verdict on an answer as people say it."""
    return PHRASES[f"verdict_{word or 'none'}"]


def _rate_cell(measure: str, row: AnswersRow) -> tuple[Text, tuple[Text, ...]]:
    found = rate(row, measure)
    if found is None or found.value is None:
        return same(ABSENT), ()
    return same(whole(number(found.value))), rate_stands_on(found)


def _counts(row: AnswersRow, *, answerable: bool) -> Counts:
    return row.answerable if answerable else row.unanswerable
