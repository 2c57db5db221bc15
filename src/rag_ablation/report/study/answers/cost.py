"""What answers cost: a mean for each arm, and a plane of quality and cost where two arms or more have one."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.measures.answers import CORRECT
from rag_ablation.report.study.answers.names import currency_of, generator_name
from rag_ablation.report.study.answers.read import asked as asked_arms
from rag_ablation.report.study.answers.read import mean_of_answers, paid_of, share_of, was_asked
from rag_ablation.report.study.content import CostPlane, Priced
from rag_ablation.report.study.figures import NB, counted, n_of
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import Filling, joined, listed, say
from rag_ablation.report.study.words import Text, code, text, whole

FEWEST = 2


def cost_plane(results: StudyResults) -> CostPlane | None:
    """The arms of the ladder and of sweeps whose answers have a cost and were judged; None with fewer than two."""
    arms = [found for arm in results.arms if was_asked(arm) and (found := _priced(arm)) is not None]
    if len([arm for arm in arms if arm.role is Role.LADDER]) < FEWEST:
        return None
    marked = _with_front(arms)
    currencies = {currency_of(arm) for arm in asked_arms(results)}
    currency = currencies.pop() if len(currencies) == 1 else ""
    return CostPlane(finding=_finding(marked, currency), arms=marked, currency=currency)


def cost_note(results: StudyResults) -> Text:
    """Why there is no plane."""
    asked = asked_arms(results)
    priced = [arm for arm in asked if paid_of(arm).per_question is not None]
    without = [arm for arm in asked if paid_of(arm).per_question is None]
    if not priced:
        return say("No cost: {why}.", "没有成本：{why}。", why=_reasons(without))
    if all(not paid_of(arm).per_question for arm in priced):
        return say("The answers of {arms} cost nothing.", "{arms} 的答案不产生费用。", arms=_keys(priced))
    each = joined([_each(arm) for arm in priced], "; ", "；")
    if not without:
        return say(
            "No plane of quality and cost, which takes two arms of the ladder with judged answers: {each}.",
            "不画质量与成本图，它需要阶梯中两个答案已判的方案：{each}。",
            each=each,
        )
    return say("{each}; no cost of others: {why}.", "{each}；其余没有成本：{why}。", each=each, why=_reasons(without))


def money(value: float | None, currency: str = "") -> str:
    """Three figures of a cost, – where there is none."""
    if value is None:
        return "–"
    figures = np.format_float_positional(value, precision=3, fractional=False, trim="-") if value else "0"
    return f"{figures}{NB}{currency}" if currency else figures


def _priced(arm: ArmResult) -> Priced | None:
    cost, share, right = paid_of(arm).per_question, share_of(arm), mean_of_answers(arm, CORRECT)
    if not cost or share is None or arm.arm.role is Role.BRACKET:
        return None
    if arm.arm.role is Role.SWEEP and (right is None or right.value is None):
        return None  # it is drawn as a dot, and while a verdict is open there is no place for one
    low, high = share
    known = right or RecordedMean(value=None, n=0, excluded={})
    return Priced(key=arm.key, role=arm.arm.role, cost=cost, low=low, high=high, right=known, front=False)


def _with_front(arms: Sequence[Priced]) -> tuple[Priced, ...]:
    """Mark the settled arms that no other settled one matches in both and beats in one."""
    points = [(arm.cost, arm.right.value) for arm in arms if arm.right.value is not None]

    def matched(arm: Priced) -> bool:
        own = arm.right.value
        return own is None or any(
            cost <= arm.cost and value >= own and (cost < arm.cost or value > own) for cost, value in points
        )

    return tuple(replace(arm, front=not matched(arm)) for arm in arms)


def _finding(arms: Sequence[Priced], currency: str) -> Text:
    """The dearest arm of the ladder against the cheapest."""
    ladder = [arm for arm in arms if arm.role is Role.LADDER]
    cheap, dear = min(ladder, key=lambda arm: arm.cost), max(ladder, key=lambda arm: arm.cost)
    if dear.cost == cheap.cost:
        return say(
            "An answer costs {a} on each arm.", "各方案每题的答案均花费 {a}。", a=whole(money(dear.cost, currency))
        )
    return say(
        "An answer of {dear} costs {a}, one of {cheap} {b}; right answers: {x} against {y} ({n}).",
        "{dear} 每题花费 {a}，{cheap} 为 {b}；答对的比例：{x}，对方 {y}（{n}）。",
        dear=dear.key,
        cheap=cheap.key,
        a=whole(money(dear.cost, currency)),
        b=whole(money(cheap.cost, currency)),
        x=_right(dear),
        y=_right(cheap),
        n=n_of(dear.right.n),
    )


def _right(arm: Priced) -> Text:
    low, high = f"{arm.low:.3f}", f"{arm.high:.3f}"
    return text(whole(low), whole(low)) if low == high else text(whole(f"{low} to {high}"), whole(f"{low} 至 {high}"))


def _each(arm: ArmResult) -> Text:
    paid = paid_of(arm)
    return say(
        "an answer of {arm} costs {cost} (mean over {n})",
        "{arm} 每题花费 {cost}（{n}均值）",
        arm=arm.key,
        cost=whole(money(paid.per_question, currency_of(arm))),
        n=counted(paid.n, "question", "questions", "题"),
    )


def _reasons(arms: Sequence[ArmResult]) -> Text:
    """One clause for each generator."""
    of: dict[str, ArmResult] = {}
    for arm in arms:
        of.setdefault(generator_name(arm), arm)
    return joined([_reason(name, arm) for name, arm in of.items()], "; ", "；")


def _reason(name: str, arm: ArmResult) -> Text:
    counts: Mapping[str, float] = paid_of(arm).tokens
    if not counts:
        return say("the {name} generator counts no tokens", "{name} 生成器不计词元", name=code(name))
    return say("{name} has tokens and no prices", "{name} 有词元数，没有价目", name=code(name))


def _keys(arms: Sequence[ArmResult]) -> Text:
    names: list[Filling] = [arm.key for arm in arms]
    return listed(names)
