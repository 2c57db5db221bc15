"""How the section on answers is worded and what its tables of counts and of types show."""

from collections.abc import Mapping, Sequence

from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.report.leaderboard import number
from rag_ablation.report.study.answers.names import BECAME
from rag_ablation.report.study.content import Answers, AnswersRow, AnswersType, Became, TypeShare
from rag_ablation.report.study.figures import n_of, no_interval, over, thousands
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.shown.phrases import PHRASES
from rag_ablation.report.study.words import Text, same, text, whole

ALWAYS_SHOWN = frozenset({Became.RIGHT, Became.REFUSED_RIGHT, Became.WRONG, Became.REFUSED, Became.OPEN, Became.FAILED})
NOT_WITHOUT_ANSWER = frozenset({Became.REFUSED})
OPEN_INTERVAL = text(
    " Of a share with open verdicts the interval reaches from the lower end of its lower bound to the upper end of its "
    "upper one.",
    "有待定的比例，其区间从下界的下端到上界的上端。",
)
REACH = text(
    ", with open verdicts from the lower end of the one to the upper end of the other",
    "，有待定时从前者的下端到后者的上端",
)
NOTHING = Text((), ())
Counts = Mapping[Became, int]


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
    open_ = any(share.low != share.high for row in answers.types for share in row.shares.values())
    return say(
        "Share of right answers, judged by {judge}{open}; below it the 95 % interval{reach}. † under {few} groups. "
        "Intervals are not adjusted, and no cell carries a verdict.",
        "答对的比例，由 {judge} 判定{open}；其下为 95 % 区间{reach}。† 不足 {few} 组。"
        "区间未经校正，任何一格都不下结论。",
        judge=answers.judged_by,
        open=text(", from all open verdicts wrong to all right", "，从待定全部计错到全部计对") if open_ else NOTHING,
        reach=REACH if open_ else NOTHING,
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


def type_share(share: TypeShare) -> str:
    """`0.27–0.42`, or `0.35` where nothing is open."""
    low, high = number(share.low, 2), number(share.high, 2)
    return low if share.low == share.high else f"{low}–{high}"


def type_share_stands_on(share: TypeShare, row: AnswersType) -> tuple[Text, ...]:
    """Under it: how far the interval reaches (it may break) or why there is none, and its n where that is its own."""
    ends = no_interval(share.n_groups)
    if share.interval is not None:
        low, high = (number(end, 2) for end in share.interval)
        ends = same(f"({low}–{high})")
    return (ends,) if share.n == row.n else (ends, same(n_of(share.n)))


def of_type(row: AnswersType) -> Text:
    """`n 34, 31 groups`."""
    mark = " †" if row.n_groups < GROUPS_FOR_A_VERDICT else ""
    return say("{over}{mark}", "{over}{mark}", over=over(row.n, row.n_groups or None), mark=mark)


def verdict_name(word: str | None) -> Text:
    """A verdict on an answer as people say it."""
    return PHRASES[f"verdict_{word or 'none'}"]


def _counts(row: AnswersRow, *, answerable: bool) -> Counts:
    return row.answerable if answerable else row.unanswerable
