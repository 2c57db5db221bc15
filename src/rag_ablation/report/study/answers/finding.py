"""The one sentence on answers: what the gold gives, what nothing gives, and where an arm stands between them."""

from collections.abc import Sequence

from rag_ablation.report.leaderboard import number
from rag_ablation.report.study.content import Above, AnswersRow, End
from rag_ablation.report.study.figures import questions
from rag_ablation.report.study.prose import Filling, listed, say
from rag_ablation.report.study.words import Text, text, whole

NOTHING = Text((), ())


def finding(rows: Sequence[AnswersRow], focus: str | None) -> Text:
    """Say it, with n.

    Args:
        rows: every arm.
        focus: key of the arm that the sentence ends on; any other is taken where it has no share.
    """
    judged = [row for row in rows if row.share is not None]
    if not judged:
        return _nobody(rows)
    ceiling, floor = (next((row for row in judged if row.end is end), None) for end in (End.CEILING, End.FLOOR))
    own = _spoken_of(judged, focus)
    over = say("{over}.", "{over}。", over=_above(judged)) if _above(judged).en else NOTHING
    if ceiling is None:
        return _without_ceiling(own, over)
    said = say(
        "Given the gold ({ceiling}) the generator is right on {right} of {n}{floor}",
        "直接给标注证据时（{ceiling}），生成器在 {n}中答对 {right} 题{floor}",
        ceiling=ceiling.key,
        right=counts(ceiling),
        n=questions(ceiling.n),
        floor=_floor(floor, ceiling),
    )
    if own is None or own is ceiling:
        return say("{said}.", "{said}。", said=said)
    return say(
        "{said}; {own} stands at {right}{of}{way}{above}.",
        "{said}；{own} {of}答对 {right} 题{way}{above}。",
        said=said,
        own=own.key,
        right=counts(own),
        of=_of_others(own, ceiling),
        way=_way(own),
        above=say("; {above}", "；{above}", above=_above(judged)) if _above(judged).en else NOTHING,
    )


def counts(row: AnswersRow) -> Text:
    """`104 to 111` right answers, or `104` where nothing is open."""
    low, high = row.right
    if row.share is None:
        return text("–", "–")
    return (
        text(whole(f"{low}"), whole(f"{low}"))
        if low == high
        else text(whole(f"{low} to {high}"), whole(f"{low} 至 {high}"))
    )


def _spoken_of(judged: Sequence[AnswersRow], focus: str | None) -> AnswersRow | None:
    """The arm in focus, else that of the ladder with most answers that are right for sure, else any."""
    ladder = [row for row in judged if row.end is None]
    named = next((row for row in ladder if row.key == focus), None)
    return named or max(ladder or judged, key=lambda row: (row.share or (0.0, 0.0))[0], default=None)


def _nobody(rows: Sequence[AnswersRow]) -> Text:
    """There are answers, and no share of right ones."""
    asked = max((row.paid.asked for row in rows if row.paid is not None), default=0)
    return say(
        "Each arm with answers was asked {n}, and there is no share of right ones: {why}.",
        "有答案的各方案各问了 {n}，但没有答对的比例：{why}。",
        n=questions(asked),
        why=next((row.absent for row in rows if row.absent is not None and row.paid is not None), text("–", "–")),
    )


def _without_ceiling(own: AnswersRow | None, over: Text) -> Text:
    if own is None:
        return over
    return say(
        "{own} is right on {right} of {n}; no arm was given the gold, so there is no ceiling to read that under.",
        "{own} 在 {n}中答对 {right} 题；没有直接给标注证据的方案，因此没有上限可参照。",
        own=own.key,
        right=counts(own),
        n=questions(own.n),
    )


def _floor(floor: AnswersRow | None, ceiling: AnswersRow) -> Text:
    if floor is None:
        return NOTHING
    return say(
        ", without any context ({floor}) on {right}{of}",
        "，不给上下文时（{floor}）{of}答对 {right} 题",
        floor=floor.key,
        right=counts(floor),
        of=_of_others(floor, ceiling),
    )


def _of_others(row: AnswersRow, ceiling: AnswersRow) -> Text:
    """The n of an arm that stands on other questions than the ceiling."""
    if row.n == ceiling.n:
        return NOTHING
    return say(" of {n}", "在 {n}中", n=questions(row.n))


def _way(row: AnswersRow) -> Text:
    if row.way is None:
        return NOTHING
    return say(", {share} of the way from floor to ceiling", "，为下限到上限之间的 {share}", share=way_of(row))


def way_of(row: AnswersRow) -> Text:
    """`0.81`, or `0.74 to 0.88` while verdicts are open."""
    if row.way is None:
        return text("–", "–")
    low, high = (number(end, 2) for end in row.way)
    return text(whole(low), whole(low)) if low == high else text(whole(f"{low} to {high}"), whole(f"{low} 至 {high}"))


def _above(judged: Sequence[AnswersRow]) -> Text:
    """The arms that lie above the ceiling for sure."""
    names: list[Filling] = [row.key for row in judged if row.above is Above.SURE]
    if not names:
        return NOTHING
    lies = "lies" if len(names) == 1 else "lie"
    return say(f"{{arms}} {lies} above the ceiling", "{arms} 高于上限", arms=listed(names))
