"""Check of unjudged passages: how much of the first results is judged, and what hangs on the rest."""

import shlex
from collections.abc import Sequence

from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.choice import chosen
from rag_ablation.report.study.content import Severity, Threat, Unjudged, UnjudgedStep
from rag_ablation.report.study.figures import difference, gap, mean, n_of, short
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.unjudged import hangs
from rag_ablation.report.study.words import Text, code, text

LITTLE = 0.5
"""Share of the first results under which most of what is scored was never looked at."""


def unjudged_passages(found: Found) -> Threat | None:
    """How much of the first results nobody has judged, and which verdicts would not survive if it were relevant."""
    name = text("Unjudged passages", "未判定的段落")
    if not any(step.comparison for step in found.ladder.steps()):
        return None
    shares = found.unjudged
    if shares is None or not shares.steps:
        return raised(
            Severity.LOW,
            name,
            text("how much of the results is judged could not be computed.", "无法计算结果中有判定的比例。"),
            None,
        )
    severity = _severity(found, shares)
    measured = joined([_shares(shares), _apart(shares), *_scenarios(found, shares)], " ", "")
    if severity is Severity.CLEAR:
        return clear(name, measured)
    command = code(f"rag-ablation judge pool {shlex.quote(found.results.study.name)}")
    return raised(severity, name, measured, say("{command}", "{command}", command=command))


def _severity(found: Found, shares: Unjudged) -> Severity:
    hanging = [step.label for step in shares.steps if hangs(found.ladder, step)]
    concluded = _concluded(found)
    if any(step.warned for step in shares.steps) or any(label in concluded for label in hanging):
        return Severity.HIGH
    return Severity.MEDIUM if hanging or _least(shares) < LITTLE else Severity.CLEAR


def _concluded(found: Found) -> list[str]:
    return [step.label for step in chosen(found.ladder.rows).steps()]


def _least(shares: Unjudged) -> float:
    return min(share for step in shares.steps for share in (step.child, step.parent))


def _shares(shares: Unjudged) -> Text:
    ends = [share for step in shares.steps for share in (step.child, step.parent)]
    return say(
        "judged@{k} is {a} to {b} ({n}); what is not judged counts as not relevant.",
        "judged@{k} 为 {a} 至 {b}（{n}）；未判定的按不相关计。",
        k=str(shares.cutoff),
        a=mean(min(ends)),
        b=mean(max(ends)),
        n=n_of(shares.n),
    )


def _apart(shares: Unjudged) -> Text:
    """Steps whose two arms are judged to different shares, else that there is none."""
    limit, warned = short(shares.limit), [step for step in shares.steps if step.warned]
    if not warned:
        return say(
            "The two arms of a step differ by {limit} at most.", "同一步的两方案相差不超过 {limit}。", limit=limit
        )
    each = [
        say("{label} by {gap}", "{label} 相差 {gap}", label=step.label, gap=mean(abs(step.child - step.parent)))
        for step in warned
    ]
    all_ = joined(each, ", ", "，")
    return say("It differs, {each} (limit {limit}).", "{each}（限 {limit}）。", each=all_, limit=limit)


def _scenarios(found: Found, shares: Unjudged) -> Sequence[Text]:
    """The steps of the conclusion, those that are warned of and those that would not hold, with every one relevant."""
    concluded = _concluded(found)
    steps = [
        step
        for step in shares.steps
        if step.all_relevant is not None and (step.label in concluded or step.warned or hangs(found.ladder, step))
    ]
    if not steps:
        return []
    each = [_scenario(step, hanging=hangs(found.ladder, step)) for step in steps]
    return [
        say(
            "If all unjudged results were relevant, {each}.",
            "若未判定的结果全部相关，{each}。",
            each=joined(each, "; ", "；"),
        )
    ]


def _scenario(step: UnjudgedStep, *, hanging: bool) -> Text:
    if step.all_relevant is None:
        return text("", "")
    verdict = text(", and its verdict would not hold", "，结论将不成立") if hanging else text("", "")
    return say(
        "{label} would be {other}, not {scored}{verdict}",
        "{label} 将是 {other}，而不是 {scored}{verdict}",
        label=step.label,
        other=difference(step.all_relevant),
        scored=gap(step.as_scored.mean),
        verdict=verdict,
    )
