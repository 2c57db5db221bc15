"""Check of how the questions are mixed: whether one type makes most of a decided step."""

from collections.abc import Sequence

from rag_ablation.measures.family import Word
from rag_ablation.report.study.checks.base import clear, raised
from rag_ablation.report.study.choice import chosen, word_of
from rag_ablation.report.study.concentration import Share, shares_of
from rag_ablation.report.study.content import Severity, Threat
from rag_ablation.report.study.figures import counted_steps, difference, gap, over, percent
from rag_ablation.report.study.found import Found
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, code, text

MOST = 0.5
"""Share of a difference from which on it is mostly that of one type."""


def mix_of_types(found: Found) -> Threat | None:
    """Decided steps of which one question type makes more than half: another mix would show another difference."""
    name = text("Mix of question types", "问题类型的构成")
    scored = [row for row in (found.types.rows[:-1] if found.types else ()) if row.n]
    decided = [step for step in found.ladder.steps() if word_of(step) in (Word.BETTER, Word.WORSE)]
    if len(scored) < 2 or not decided:
        return None
    shares = shares_of(found.results, decided)
    mostly = [share for share in shares if share.share > MOST]
    if not mostly:
        return clear(name, _spread(shares))
    concluded = {step.label for step in chosen(found.ladder.rows).steps()}
    severe = any(share.step.label in concluded and not _holds(share) for share in mostly)
    own = text("The mix is the dataset's, not that of any traffic.", "这一构成是数据集的，不代表任何实际流量。")
    return raised(
        Severity.MEDIUM if severe else Severity.LOW,
        name,
        joined([_halves(mostly), *_without(mostly), own], " ", ""),
        text("weigh the types as they come in your own questions", "按自己的问题中各类型的比例来权衡"),
    )


def _halves(mostly: Sequence[Share]) -> Text:
    """Which type makes more than half of which steps."""
    kinds = dict.fromkeys(share.type for share in mostly)
    each = [
        say(
            "{type} makes more than half of {steps}",
            "{type} 占过半的有 {steps}",
            type=code(kind),
            steps=joined([_part(share) for share in mostly if share.type == kind], ", ", "、"),
        )
        for kind in kinds
    ]
    return say("{each}.", "{each}。", each=joined(each, "; ", "；"))


def _part(share: Share) -> Text:
    return say(
        "{label} ({part} of {whole})",
        "{label}（{whole} 中的 {part}）",
        label=share.step.label,
        part=gap(share.part),
        whole=gap(share.whole),
    )


def _without(mostly: Sequence[Share]) -> list[Text]:
    """Steps that do not stand on the other questions alone."""
    gone = [share for share in mostly if share.rest.mean is not None and not _holds(share)]
    if not gone:
        return []
    each = [
        say(
            "{label} is {rest}, {on}",
            "{label} 为 {rest}，{on}",
            label=share.step.label,
            rest=difference(share.rest),
            on=over(share.rest.n, share.rest.n_groups),
        )
        for share in gone
    ]
    return [say("On the other questions {each}.", "在其余的题上，{each}。", each=joined(each, "; ", "；"))]


def _holds(share: Share) -> bool:
    """Whether the interval on the other questions lies on the side of the whole."""
    low, high = share.rest.low, share.rest.high
    return low is not None and high is not None and (low > 0 if share.whole > 0 else high < 0)


def _spread(shares: tuple[Share, ...]) -> Text:
    largest = max(shares, key=lambda share: share.share)
    return say(
        "no type makes more than half of any of {m} decided; the most is {type} in {label}, {share}.",
        "已判定的 {m}中没有一步过半来自同一类型；最多的是 {label} 中的 {type}，占 {share}。",
        m=counted_steps(len(shares)),
        type=code(largest.type),
        label=largest.step.label,
        share=percent(largest.share, 1),
    )
