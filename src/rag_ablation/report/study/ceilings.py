"""Recall by cutoff at each measuring point of one arm, under what a perfect ranking could reach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rag_ablation.core.corpus import Unit
from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.measures.grouped import TIE
from rag_ablation.report.flow import RETRIEVERS
from rag_ablation.report.study.content import Ceilings, Curve
from rag_ablation.report.study.figures import mean, n_of, percent
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.nouns import noun_of
from rag_ablation.report.study.prose import Filling, say
from rag_ablation.report.study.recorded import FINAL, ladder_arms, unit_of
from rag_ablation.report.study.words import Text, code, text

RECALL, CEILING = "recall", "recall_ceiling"
CONTEXT = "context"
POINTS = (*RETRIEVERS, "fused", "reranked", CONTEXT)
USUAL = 10


def ceilings_of(results: StudyResults, focus: str) -> Ceilings | None:
    """Recall curves of one arm.

    Args:
        results: the study.
        focus: key of the arm.

    Returns:
        None where the arm has no ranking, nothing was scored, or recall or its ceiling was not measured.
    """
    arm = results.arm(focus)
    if arm is None or not arm.finished or arm.record.final is None:
        return None
    ceiling, final = _curve(arm.record, FINAL, CEILING), _curve(arm.record, FINAL, RECALL)
    if ceiling is None or final is None or ceiling.cutoffs != final.cutoffs:
        return None
    points = tuple(curve for point in POINTS if (curve := _at(arm.record, point)) is not None)
    others = {
        other.key: curve
        for other in ladder_arms(results)
        if other is not arm and (curve := _curve(other.record, FINAL, RECALL)) is not None
    }
    rerank = arm.record.settings.get("rerank")
    pool = None if rerank is None else int(rerank["depth"])
    return Ceilings(
        finding=_finding(_Found(arm, {curve.point: curve for curve in points}, final, ceiling, pool)),
        arm=arm.key,
        points=points,
        ceiling=ceiling,
        pool=pool,
        others=others,
        side=tuple(_side(arm, ceiling, points)),
    )


def _curve(record: ArmRecord, point: str, measure: str) -> Curve | None:
    """None where it was not measured or is undefined."""
    found = {
        int(name.partition("@")[2]): mean
        for name, mean in record.points.get(point, {}).items()
        if name.partition("@")[0] == measure and mean.value is not None
    }
    if not found:
        return None
    cutoffs = tuple(sorted(found))
    return Curve(point=point, cutoffs=cutoffs, means=tuple(found[cutoff] for cutoff in cutoffs))


def _at(record: ArmRecord, point: str) -> Curve | None:
    """A point's curve; that of the context ends where the context does."""
    curve = _curve(record, point, RECALL)
    context = record.settings.get("context")
    if curve is None or point != CONTEXT or context is None or context.get("neighbours"):
        return curve
    kept = sum(cutoff < int(context["depth"]) for cutoff in curve.cutoffs) + 1
    return Curve(point=point, cutoffs=curve.cutoffs[:kept], means=curve.means[:kept])


@dataclass(frozen=True, slots=True)
class _Found:
    """What the sentence of one arm is made from."""

    arm: ArmResult
    curves: Mapping[str, Curve]
    final: Curve
    ceiling: Curve
    pool: int | None

    def mean(self, cutoff: int) -> RecordedMean:
        return _mean(self.final, cutoff)

    def under(self, cutoff: int) -> Text:
        return say(", under a ceiling of {value}", "，上限 {value}", value=mean(_mean(self.ceiling, cutoff).value))


def _finding(found: _Found) -> Text:
    """What the last stage changed; for a single list, how far order is to blame."""
    lists = [found.curves[point] for point in RETRIEVERS if point in found.curves]
    before = found.curves.get("fused") or next(iter(lists), None)
    if found.arm.record.final == "reranked" and before is not None and found.pool is not None:
        return _reranked(found, before, found.pool)
    return _fused(found, lists) if found.arm.record.final == "fused" and lists else _single(found)


def _reranked(found: _Found, before: Curve, pool: int) -> Text:
    first = found.final.cutoffs[0]
    old, new = _mean(before, first), found.mean(first)
    parts: dict[str, Filling] = {
        "held": _held(found, before, pool),
        "name": code(f"{RECALL}@{first}"),
        "old": mean(old.value),
        "new": mean(new.value),
        "under": found.under(first),
        "n": n_of(new.n),
    }
    if old.value == new.value:
        return say(
            "{held}; reranking leaves {name} at {new}{under} ({n}).",
            "{held}；重排没有改变 {name}，仍为 {new}{under}（{n}）。",
            **parts,
        )
    return say(
        "{held}; what reranking changes is {name}, {old} to {new}{under} ({n}).",
        "{held}；重排所改变的是 {name}，由 {old} 到 {new}{under}（{n}）。",
        **parts,
    )


def _held(found: _Found, before: Curve, pool: int) -> Text:
    """What the pool holds: a reranker moves nothing into it or out of it; the pool counts passages."""
    parts: dict[str, Filling] = {"arm": found.arm.key, "pool": str(pool)}
    known = pool in before.cutoffs and pool in found.final.cutoffs and unit_of(found.arm.record) is Unit.PASSAGE
    if not known or abs((_mean(before, pool).value or 0.0) - (found.mean(pool).value or 0.0)) > TIE:
        return say("In arm {arm} the reranker reads {pool} passages", "方案 {arm} 的重排器读 {pool} 段", **parts)
    return say(
        "In arm {arm} the pool of {pool} holds on average {share} of a question’s gold, before and after reranking",
        "方案 {arm} 的 {pool} 段候选池在重排前后都平均含每题 {share} 的标注证据",
        share=percent(found.mean(pool).value or 0.0, 1),
        **parts,
    )


def _fused(found: _Found, lists: Sequence[Curve]) -> Text:
    cutoff = _usual(found.final.cutoffs)
    better = max(lists, key=lambda curve: _mean(curve, cutoff).value or 0.0)
    new = found.mean(cutoff)
    return say(
        "In arm {arm} fusion has a {name} of {new}, the better of its two lists ({point}) {old}{under} ({n}).",
        "方案 {arm} 融合后的 {name} 为 {new}，两个列表中较好的（{point}）为 {old}{under}（{n}）。",
        arm=found.arm.key,
        name=code(f"{RECALL}@{cutoff}"),
        new=mean(new.value),
        point=code(better.point),
        old=mean(_mean(better, cutoff).value),
        under=found.under(cutoff),
        n=n_of(new.n),
    )


def _single(found: _Found) -> Text:
    near, far = _usual(found.final.cutoffs), found.final.cutoffs[-1]
    head = say(
        "In arm {arm} {name} is {value}{under}",
        "方案 {arm} 的 {name} 为 {value}{under}",
        arm=found.arm.key,
        name=code(f"{RECALL}@{near}"),
        value=mean(found.mean(near).value),
        under=found.under(near),
    )
    n = n_of(found.mean(near).n)
    if far == near:
        return say("{head} ({n}).", "{head}（{n}）。", head=head, n=n)
    return say(
        "{head}, and {deeper} is {deep} ({n}): a better order can win no more than the difference.",
        "{head}，{deeper} 为 {deep}（{n}）：改善次序至多补上两者之差。",
        head=head,
        deeper=code(f"{RECALL}@{far}"),
        deep=mean(found.mean(far).value),
        n=n,
    )


def _mean(curve: Curve, cutoff: int) -> RecordedMean:
    return curve.means[curve.cutoffs.index(cutoff)]


def _usual(cutoffs: Sequence[int]) -> int:
    """10 where it was measured, else the deepest before it, else the first."""
    return max((cutoff for cutoff in cutoffs if cutoff <= USUAL), default=cutoffs[0])


def _side(arm: ArmResult, ceiling: Curve, points: Sequence[Curve]) -> list[Text]:
    found = []
    below = [cutoff for cutoff, mean in zip(ceiling.cutoffs, ceiling.means, strict=True) if (mean.value or 0) < 1]
    if below:
        noun = noun_of(arm.record)
        en, zh = ", ".join(map(str, below)), "、".join(map(str, below))
        found.append(
            text(
                f"The ceiling is below 1 at K = {en} because some questions have more gold {noun.many} than that.",
                f"K = {zh} 处上限低于 1，因为有的题的标注证据多于 K {noun.zh}。",
            )
        )
    if any(curve.point == CONTEXT for curve in points):
        depth = arm.record.settings["context"]["depth"]
        found.append(
            text(
                f"The context is made of at most the first {depth} passages of the last ranking; its curve ends there.",
                f"上下文至多取自最后排序的前 {depth} 段；其曲线到此为止。",
            )
        )
    return found
