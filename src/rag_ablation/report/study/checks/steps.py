"""Checks of the steps themselves: what they change, whether they compare, how near the line they are."""

import shlex
from collections.abc import Sequence

from rag_ablation.measures.family import ALPHA, GROUPS_WITHOUT_WARNING, Warned, Word
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.choice import chosen, gap_of, word_of
from rag_ablation.report.study.content import LadderStep, Severity, Threat
from rag_ablation.report.study.figures import counted, counted_steps, gap, mean, probability, short, thousands
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, listed, say
from rag_ablation.report.study.words import Text, code, text

NEAR = (ALPHA / 5, ALPHA * 1.2)
"""Adjusted p from which on a verdict hangs on few groups, and up to which a step has just missed one."""
DECIDED = (Word.BETTER, Word.WORSE)


def confounded(found: Found) -> Threat | None:
    """Steps that change more than one factor: no difference can be put down to one of them."""
    name = text("Confounded steps", "混杂的步骤")
    steps = found.ladder.steps()
    mixed = [step for step in steps if step.change.confounded]
    if not steps:
        return None
    if not mixed:
        m = counted_steps(len(steps))
        return clear(name, say("more than one factor changes in 0 of {m}.", "{m}中有 0 步改动多于一个因素。", m=m))
    concluded = {step.label for step in chosen(found.ladder.rows).steps()}
    severe = any(step.label in concluded for step in mixed)
    each = [
        say("{label} ({factors})", "{label}（{factors}）", label=step.label, factors=code(str(step.change)))
        for step in mixed
    ]
    return raised(
        Severity.HIGH if severe else Severity.MEDIUM,
        name,
        say(
            "more than one factor changes in {n} of {m}: {each}.",
            "{m}中有 {n} 步改动多于一个因素：{each}。",
            n=str(len(mixed)),
            m=counted_steps(len(steps)),
            each=joined(each, "; ", "；"),
        ),
        say(
            "declare an arm between the two that changes one of them; {strict} refuses such steps",
            "在两者之间声明只改一个因素的方案；{strict} 会拒绝这样的步骤",
            strict=code("strict: true"),
        ),
    )


def not_comparable(found: Found) -> Threat | None:
    """Steps that could not be compared although both arms finished."""
    name = text("Steps that do not compare", "不可比的步骤")
    steps = found.ladder.steps()
    finished = {arm.key for arm in found.results.arms if arm.finished}
    refused = [step for step in steps if step.refused is not None and {step.child, step.parent} <= finished]
    compared = sum(step.comparison is not None for step in steps)
    if not refused:
        if not compared:
            return None
        return clear(
            name,
            say(
                "{m} {stand} on the same questions, corpus, labels, split and scoring.",
                "{m}的题、语料、标注、划分与计分均相同。",
                m=counted_steps(compared),
                stand="stands" if compared == 1 else "stand",
            ),
        )
    each = [say("{label}: {why}", "{label}：{why}", label=step.label, why=step.refused or "") for step in refused]
    return raised(
        Severity.HIGH,
        name,
        say("{each}.", "{each}。", each=joined(each, "; ", "；")),
        text("run both arms on the same data and scoring", "让两个方案在相同的数据与计分上运行"),
    )


def near_the_line(found: Found) -> Threat | None:
    """Verdicts that a few groups could turn, and steps that have just missed one."""
    name = text("A verdict near the line", "接近判定线")
    compared = [step for step in found.ladder.steps() if step.comparison is not None]
    if not compared:
        return None
    near = [step for step in compared if word_of(step) is not Word.NO_VERDICT and NEAR[0] <= _adjusted(step) <= NEAR[1]]
    limits = [mean(limit) for limit in NEAR]
    if not near:
        return clear(
            name,
            say(
                "none of {m} has an adjusted p from {a} to {b}, which a few groups could move across {alpha}.",
                "{m}的校正 p 均不在 {a} 至 {b} 之间；落在其间的，少数几组就可能使之越过 {alpha}。",
                m=counted_steps(len(compared)),
                a=limits[0],
                b=limits[1],
                alpha=short(ALPHA),
            ),
        )
    each = [_near(step) for step in near]
    return raised(
        Severity.MEDIUM,
        name,
        say("against {alpha}: {each}.", "界限 {alpha}：{each}。", alpha=short(ALPHA), each=joined(each, "; ", "；")),
        text("more groups, or the holdout, once", "增加组数，或用一次留出集"),
    )


def too_small_to_matter(found: Found) -> Threat | None:
    """Steps called better that gain less than the study said would matter."""
    name = text("Better by less than matters", "优势小于有意义的差异")
    smallest = found.results.study.smallest_difference
    better = [step for step in found.ladder.steps() if word_of(step) is Word.BETTER]
    if not better or smallest <= 0:
        return None
    small = [step for step in better if gap_of(step) < smallest]
    if not small:
        return clear(
            name,
            say(
                "{each} called better gains {smallest} or more.",
                "判为更好的 {m}增益均不小于 {smallest}。",
                each="the one step" if len(better) == 1 else f"each of {len(better)} steps",
                m=counted_steps(len(better)),
                smallest=short(smallest),
            ),
        )
    each = [say("{label} {gap}", "{label} {gap}", label=step.label, gap=gap(gap_of(step))) for step in small]
    return raised(
        Severity.MEDIUM,
        name,
        say(
            "{each}; the study calls {smallest} the smallest difference that matters.",
            "{each}；研究声明有意义的最小差异为 {smallest}。",
            each=listed(each),
            smallest=short(smallest),
        ),
        text("weigh it against time and cost", "与时间和成本一并权衡"),
    )


def few_differ(found: Found) -> Threat | None:
    """Comparisons that rest on few groups whose differences do not cancel."""
    name = text("Few groups differ at all", "有差异的组很少")
    compared = [step for step in found.ladder.steps() if step.comparison is not None]
    if not compared:
        return None
    few = [step for step in compared if step.comparison and Warned.FEW_DIFFERING_GROUPS in step.comparison.warnings]
    limit = str(GROUPS_WITHOUT_WARNING)
    if not few:
        return clear(
            name,
            say(
                "{limit} groups or more differ on each of {m}.",
                "{m}中每步至少 {limit} 组有差异。",
                limit=limit,
                m=counted_steps(len(compared)),
            ),
        )
    each = [_differing(step) for step in few]
    return raised(
        Severity.MEDIUM if any(word_of(step) in DECIDED for step in few) else Severity.LOW,
        name,
        say("under {limit}: {each}.", "不足 {limit} 组：{each}。", limit=limit, each=joined(each, "; ", "；")),
        _read(found, few),
    )


def _read(found: Found, few: Sequence[LadderStep]) -> Text:
    step = few[0]
    child, parent = (found.results.arm(key) for key in (step.child, step.parent))
    if child is None or parent is None:
        return text("read the questions that moved", "逐题阅读变动的题")
    before, after = (shlex.quote(found.results.name_of(arm.key)) for arm in (parent, child))
    command = f"rag-ablation compare {before} {after}"
    return say("read the questions that moved: {command}", "逐题阅读变动的题：{command}", command=code(command))


def _near(step: LadderStep) -> Text:
    found = step.comparison
    if found is None:
        return text("", "")
    signs = text("all sign flips", "全部符号翻转")
    if not found.test.exact:
        drawn = thousands(found.test.patterns - 1)
        signs = say("{n} sign flips", "{n} 次符号翻转", n=drawn)
    return say(
        "{label} adjusted {p}, from {signs} of {g}",
        "{label} 校正 {p}，{g}的{signs}",
        label=step.label,
        p=probability(found.adjusted_p),
        signs=signs,
        g=counted(found.test.n_differing, "group that differs", "groups that differ", "个有差异的组"),
    )


def _differing(step: LadderStep) -> Text:
    found = step.comparison
    if found is None:
        return text("", "")
    return say(
        "{label} {n} of {g}",
        "{label} {g}中有 {n} 组",
        label=step.label,
        n=str(found.test.n_differing),
        g=counted(found.test.n_groups, "group", "groups", "组"),
    )


def _adjusted(step: LadderStep) -> float:
    return 1.0 if step.comparison is None else step.comparison.adjusted_p
