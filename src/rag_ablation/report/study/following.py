"""What follows from a study: a table of rules, each a sentence where its case is given.

Rules come in the order in which a reader would act; the first four that apply are said.
"""

import shlex
from collections.abc import Callable, Sequence

from rag_ablation.report.study.answers.ceiling import broken_ceiling
from rag_ablation.report.study.answers.following import generator_first, review_first
from rag_ablation.report.study.choice import best_of, chosen, standing
from rag_ablation.report.study.content import LadderRow, LadderStep, SweepCurve, UnjudgedStep
from rag_ablation.report.study.figures import (
    difference,
    gap,
    mean,
    milliseconds,
    n_of,
    over,
    span,
)
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.naming import arm_name
from rag_ablation.report.study.needed import settled_by
from rag_ablation.report.study.prose import joined, listed, say, sentence
from rag_ablation.report.study.remedies import largest_loss
from rag_ablation.report.study.sweeps import at_values
from rag_ablation.report.study.unjudged import hangs
from rag_ablation.report.study.watched import watches_of
from rag_ablation.report.study.words import Text, code, text

MOST = 4
END_TO_END = "end_to_end"


def following(found: Found) -> tuple[Text, ...]:
    """Apply the rules.

    Args:
        found: everything that was computed before.
    """
    said = [rule(found) for rule in RULES]
    return tuple(text for text in said if text is not None)[:MOST]


def _failed(found: Found) -> Text | None:
    """An arm failed: its steps are missing, and weigh on the others."""
    failed = [arm.key for arm in found.results.arms if not arm.finished]
    if not failed:
        return None
    return say(
        "Mend {arms} and run {command} again; finished arms are reused, and a step that could not be compared counts "
        "against the others with p = 1.",
        "修好 {arms} 后再运行 {command}；已完成的方案会复用，而不可比的步骤以 p = 1 计入检验族。",
        arms=listed(failed),
        command=code(f"rag-ablation study run {shlex.quote(found.results.study.name)}"),
    )


def _candidate(found: Found) -> Text | None:
    """Which arm to go on with: the best decided one, and what speaks against the one that stands higher."""
    rows, results = found.ladder.rows, found.results
    stood, gain, top = standing(rows), chosen(rows).gain, best_of(rows)
    if stood is None or top is None or not any(step.comparison for step in found.ladder.steps()):
        return None
    row, above = stood
    if gain is not None and row.key != gain.child:
        return _settle_first(results, gain, top, above)
    if above:
        return _until_proven(found, row, above)
    stay, go = text("Stay with", "仍采用"), text("Go on with", "继续采用")
    said = say(
        "{verb} {arm}: no arm stands higher on these questions",
        "{verb} {arm}：本题集上没有均值更高的方案",
        verb=stay if gain is None else go,
        arm=arm_name(results, row.key),
    )
    if gain is None:
        return say("{said}.", "{said}。", said=said) if not row.steps else None
    return _with_time(results, said, gain.child, gain.parent)


def _settle_first(results: StudyResults, gain: LadderStep, top: LadderRow, above: Sequence[LadderStep]) -> Text:
    """An arm stands higher than the one that is decided, and the ladder does not lead from the one to the other."""
    how = text("was compared with nothing", "没有与任何方案比较")
    if above:
        against = arm_name(results, above[0].parent)
        how = say("is not decided against {parent}", "对 {parent} 尚无定论", parent=against)
    return say(
        "Before going on with {arm}, settle {top}: it stands higher on these questions ({a}) and {how}.",
        "继续采用 {arm} 之前，先弄清 {top}：它在本题集上更高（{a}），但{how}。",
        arm=arm_name(results, gain.child),
        top=arm_name(results, top.key),
        a=mean(None if top.mean is None else top.mean.value),
        how=how,
    )


def _until_proven(found: Found, row: LadderRow, above: Sequence[LadderStep]) -> Text:
    results, top = found.results, above[0].child
    head = say(
        "Stay with {arm} until {top} proves itself: whether {top} adds anything is not decided",
        "在 {top} 证明自己之前，先用 {arm}：{top} 是否有增益尚无定论",
        arm=arm_name(results, row.key),
        top=top,
    )
    needed = settled_by(found, above[-1])
    return sentence(joined([_with_time(results, head, top, row.key), *([needed] if needed else [])], " ", ""))


def _with_time(results: StudyResults, head: Text, slow: str, fast: str) -> Text:
    """The sentence with what the one arm takes at the median and the other, where both were timed."""
    times = [_p50(results, key) for key in (slow, fast)]
    if times[0] is None or times[1] is None:
        return say("{head}.", "{head}。", head=head)
    timed = 0 if results.timing is None else results.timing.questions
    return say(
        "{head}; at the median {slow} takes {a}, {fast} {b} ({n}).",
        "{head}；中位耗时 {slow} 为 {a}，{fast} 为 {b}（{n}）。",
        head=head,
        slow=slow,
        fast=fast,
        a=milliseconds(times[0]),
        b=milliseconds(times[1]),
        n=n_of(timed),
    )


def _p50(results: StudyResults, key: str) -> float | None:
    if results.timing is None:
        return None
    return results.timing.milliseconds.get(key, {}).get(END_TO_END, {}).get("p50")


def _power(found: Found) -> Text | None:
    """Nothing is decided, and the open step that came nearest is not spoken of yet: what it would take."""
    stood, nearest = standing(found.ladder.rows), chosen(found.ladder.rows)
    if nearest.open is None or nearest.gain is not None or (stood is not None and stood[1]):
        return None
    return settled_by(found, nearest.open)


def _unjudged(found: Found) -> Text | None:
    """A step that should not be believed before people have judged: its shares differ, or its verdict hangs on it."""
    step = _to_be_judged(found)
    own = None if step is None else next((own for own in found.ladder.steps() if own.label == step.label), None)
    if found.unjudged is None or step is None or own is None:
        return None
    return say(
        "Before believing {label}, have the unjudged passages judged: of the first {k} results a share of {a} is "
        "judged for {child}, {b} for {parent} ({n}). {command} writes them out.",
        "在相信 {label} 之前，先补判未判定段落：前 {k} 个结果中有判定的比例，{child} 为 {a}，{parent} 为 {b}（{n}）。"
        "{command} 可导出待判段落。",
        label=step.label,
        k=str(found.unjudged.cutoff),
        child=own.child,
        parent=own.parent,
        a=mean(step.child),
        b=mean(step.parent),
        n=n_of(found.unjudged.n),
        command=code(f"rag-ablation judge pool {shlex.quote(found.results.study.name)}"),
    )


def _to_be_judged(found: Found) -> UnjudgedStep | None:
    """A step of the conclusion whose verdict hangs on unjudged results, else that whose shares differ most."""
    steps = () if found.unjudged is None else found.unjudged.steps
    concluded = [step.label for step in chosen(found.ladder.rows).steps()]
    hanging = [step for step in steps if step.label in concluded and hangs(found.ladder, step)]
    warned = sorted((step for step in steps if step.warned), key=lambda step: -abs(step.child - step.parent))
    return next(iter((*hanging, *warned)), None)


def _sweep(found: Found) -> Text | None:
    """A swept setting looks better than the one that the ladder uses: a hypothesis, not a setting to freeze."""
    for curve in found.sweeps:
        setting = next((setting for setting in curve.settings if setting.key == curve.chosen), None)
        best = next(setting for setting in curve.settings if setting.key == curve.best)
        if setting is None or setting.to_best is None or not setting.told:
            continue
        return say(
            "{values} looks better than the setting of {arm} on these questions (exploratory; {arm} − best {gap}, "
            "{ends}{on}){below}. Declare it as an arm of the next study; it is no setting to freeze.",
            "在本题集上 {values} 看上去高于 {arm} 的设置（探索性；{arm} − 最佳 {gap}，{ends}{on}）{below}。"
            "可在下一项研究中声明为方案，不可直接冻结。",
            values=at_values(curve.axes, best.values),
            arm=curve.arm,
            below=_below(curve),
            on=say("; {on}", "；{on}", on=over(setting.to_best.n, setting.to_best.n_groups)),
            gap=gap(setting.to_best.mean),
            ends=span(setting.to_best.low, setting.to_best.high),
        )
    return None


def _below(curve: SweepCurve) -> Text:
    """Where even the best setting is not above the best parent of the arm."""
    found = curve.to_reference
    if curve.reference is None or found is None or found.mean is None or found.mean > 0:
        return text("", "")
    clear = found.high is not None and found.high < 0
    low = ("looks lower than", "看上去低于") if clear else ("has a mean that is not above that of", "均值不高于")
    return say(
        f"; even so it {low[0]} {{parent}}: {{difference}}",
        f"；即便如此仍{low[1]} {{parent}}：{{difference}}",
        parent=curve.reference[0],
        difference=difference(found),
    )


def _watched(found: Found) -> Text | None:
    """A difference that the study named before its runs and whose interval excludes 0."""
    for watch in watches_of(found.results):
        if watch.interval is not None and watch.excludes_zero:
            return say(
                "Look at {type} first: {label} {difference}, {on} (named before the runs, unadjusted, no verdict).",
                "先看 {type}：{label} {difference}，{on}（运行前点名，未校正，不下结论）。",
                type=code(watch.asked.type),
                label=watch.label,
                difference=difference(watch.interval),
                on=over(watch.interval.n, watch.interval.n_groups),
            )
    return None


RULES: tuple[Callable[[Found], Text | None], ...] = (
    broken_ceiling,
    _failed,
    _candidate,
    _power,
    review_first,
    _unjudged,
    generator_first,
    _sweep,
    largest_loss,
    _watched,
)
