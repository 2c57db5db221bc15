"""The section on answers: every arm beside what the gold and what nothing gives."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag_ablation.experiment.study import Role
from rag_ablation.measures.answers import CORRECT, CORRECT_HIGH, CORRECT_LOW, POINT
from rag_ablation.report.study.answers import read
from rag_ablation.report.study.answers.ceiling import of_the_ceiling
from rag_ablation.report.study.answers.cost import cost_note, cost_plane
from rag_ablation.report.study.answers.finding import finding
from rag_ablation.report.study.answers.names import currency_of, failed_of_asked, generator_name, judges, reviewed_of
from rag_ablation.report.study.content import Answers, AnswersRow, AnswersType, End, TypeShare
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.terms import STATES
from rag_ablation.report.study.words import Text, code, same, text

NOT_ASKED = text("it has no generator", "没有生成器")
THREE_THINGS = text(
    "Right, supported and cited well are three different things: an answer may be right and cite nothing that says so.",
    "答对、有据、引用得当是三回事：答案可以是对的，却没有引用任何说明它的段落。",
)
NOT_PEOPLE = text(
    "How far the judge agrees with people is not measured here.",
    "判定与人的一致程度，这里没有测量。",
)
REASONS = {
    "not_judged": text("nobody judged the answers", "没有人判定答案"),
    "no_reference": text("no question has a reference answer", "没有一题有参考答案"),
    "unreviewed": text("no question is reviewed", "没有一题经过审核"),
}
"""Why there is no share of right answers."""


def answers_of(results: StudyResults, focus: str | None) -> Answers | None:
    """Every arm of the ladder and every bracket that has a generator.

    Args:
        results: the study.
        focus: key of the arm that the report looks into.

    Returns:
        None where no arm was asked anything.
    """
    if not read.has_answers(results):
        return None
    arms = read.answering(results)
    ends = [read.bracket_of(results, end) for end in (End.FLOOR, End.CEILING)]
    rows = tuple(_row(arm, ends[0], ends[1]) for arm in arms)
    plane = cost_plane(results)
    return Answers(
        finding=finding(rows, focus),
        judged_by=judges(tuple(read.asked(results))),
        rows=rows,
        types=tuple(_types(arms)),
        plane=plane,
        cost=None if plane is not None else cost_note(results),
        side=tuple(_side(results, arms)),
        notes=tuple(of_the_ceiling(rows)),
    )


def _row(arm: ArmResult, floor: ArmResult | None, ceiling: ArmResult | None) -> AnswersRow:
    end, share = read.end_of(arm), read.share_of(arm)
    if not read.was_asked(arm):
        return AnswersRow(key=arm.key, role=arm.arm.role, end=end, absent=_absent(arm), means={})
    top = None if ceiling is None or ceiling is arm or not _alike(arm, ceiling) else read.share_of(ceiling)
    bottom = None if floor is None or floor is arm or not _alike(arm, floor) else read.share_of(floor)
    return AnswersRow(
        key=arm.key,
        role=arm.arm.role,
        end=end,
        absent=None if share is not None else _unjudged(arm),
        means=arm.record.points.get(POINT, {}),
        way=None if share is None or top is None or bottom is None else read.way(share, bottom, top),
        above=None if share is None or top is None else read.above(share, top),
        answerable=read.answerable(arm),
        unanswerable=read.unanswerable(arm),
        paid=replace(read.paid_of(arm), currency=currency_of(arm)),
        failed_of_asked=failed_of_asked(arm),
    )


def _alike(arm: ArmResult, end: ArmResult) -> bool:
    """Whether two shares stand on as many questions; arms of one study are asked the same ones."""
    return read.judged_on(arm) == read.judged_on(end)


def _absent(arm: ArmResult) -> Text:
    """Why nothing was asked, in the words of the run where they are not ours."""
    if read.end_of(arm) is End.FLOOR:
        return say(
            "not applicable: the {name} generator takes its answers from the context",
            "不适用：{name} 生成器只从上下文取答案",
            name=code(generator_name(arm)),
        )
    return same(str(arm.record.answers.get("absent", "–")))


def _unjudged(arm: ArmResult) -> Text:
    """Why no question of an arm that was asked has a verdict: the commonest reason."""
    found = arm.record.mean(POINT, CORRECT_LOW)
    excluded = {} if found is None else found.excluded
    reason = max((why for why in excluded if why != "no_answer"), key=lambda why: excluded[why], default="not_judged")
    return REASONS.get(reason, same(code(reason)))


def _types(arms: Sequence[ArmResult]) -> Iterator[AnswersType]:
    """Types on which some arm has a share, most questions first."""
    names = {name for arm in arms for name in arm.record.slices.get("type", {})}
    found = []
    for name in sorted(names):
        shares = {arm.key: share for arm in arms if (share := _share(arm, name)) is not None}
        if shares:
            n_groups = max(share.n_groups or 0 for share in shares.values())
            n = max(share.n for share in shares.values())
            found.append(AnswersType(type=name, n=n, n_groups=n_groups, shares=shares))
    yield from sorted(found, key=lambda row: -row.n)


def _share(arm: ArmResult, kind: str) -> TypeShare | None:
    part = arm.record.slices.get("type", {}).get(kind, {})
    low, high = (part.get(f"{POINT}/{name}") for name in (CORRECT_LOW, CORRECT_HIGH))
    if low is None or high is None or low.value is None or high.value is None:
        return None
    ends = None if low.low is None or high.high is None else (low.low, high.high)
    return TypeShare(low=low.value, high=high.value, n=low.n, n_groups=low.n_groups, interval=ends)


def _reviews(arms: Sequence[ArmResult]) -> Iterator[Text]:
    """Verdicts that people gave in place of the judge."""
    given = [(arm.key, *reviewed_of(arm)) for arm in arms]
    each = [
        say("{arm} {n} ({k} against the judge)", "{arm} {n}（推翻判定 {k}）", arm=key, n=str(n), k=str(overruled))
        for key, n, overruled in given
        if n
    ]
    if each:
        yield say("Settled by people: {each}.", "由人判定：{each}。", each=joined(each, ", ", "，"))


def _side(results: StudyResults, arms: Sequence[ArmResult]) -> Iterator[Text]:
    """What holds for all arms, and which have no row and why."""
    yield THREE_THINGS
    asked = [arm for arm in arms if read.was_asked(arm)]
    names = list(dict.fromkeys(map(generator_name, asked)))
    yield say(
        "Answered by {generators}; judged by {judge}.",
        "作答：{generators}；判定：{judge}。",
        generators=listed([code(name) for name in names]),
        judge=judges(tuple(asked)),
    )
    yield from _reviews(asked)
    if any(read.share_of(arm) for arm in asked):
        yield NOT_PEOPLE
    if any(arm.record.mean(POINT, CORRECT) and read.open_verdicts(arm) for arm in asked):
        yield text(
            "A share is undefined while a verdict is open: it lies between all open ones wrong and all of them right.",
            "只要还有待定的判定，比例就没有定义：它落在待定全部计错与全部计对之间。",
        )
    shown = {arm.key for arm in arms}
    gone = [arm for arm in results.arms if arm.arm.role is not Role.SWEEP and arm.key not in shown]
    each = [
        say(
            "{arm}: {why}",
            "{arm}：{why}",
            arm=arm.key,
            why=NOT_ASKED if arm.finished else STATES.get(arm.record.status, same(arm.record.status)),
        )
        for arm in gone
    ]
    if each:
        yield say("No answers of {each}.", "没有答案：{each}。", each=joined(each, "; ", "；"))
    yield from (
        say("{arm}: {why}.", "{arm}：{why}。", arm=arm.key, why=_absent(arm)) for arm in arms if not read.was_asked(arm)
    )
