"""Why a question moved, as far as recorded ranks tell: what the lists had, what a stage made of it.

Nothing is said about texts or models. A sentence speaks of one relevant unit, the one whose change of place
does most for the difference; where the ranks of parent and child do not fit one of the known steps, it gives
their two places alone.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rag_ablation.core.corpus import Unit
from rag_ablation.report.flow import Cuts, cuts_of
from rag_ablation.report.study._ranks import Gold, Standing
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.naming import FUSION, RETRIEVAL
from rag_ablation.report.study.nouns import gold, name_of_unit
from rag_ablation.report.study.prose import say, sentence
from rag_ablation.report.study.words import Text, code, same, text

IT = text("it", "它")
DISCOUNTED = {"ndcg", "mrr"}


class _Pair(NamedTuple):
    """The unit that a sentence is about, in parent and child, and what it is called there."""

    parent: Standing
    child: Standing
    before: Gold
    after: Gold
    it: Text

    def cuts(self) -> tuple[Cuts, Cuts]:
        return cuts_of(self.parent.arm.record), cuts_of(self.child.arm.record)


def why_of(step: LadderStep, parent: Standing, child: Standing, difference: float) -> Text | None:
    """What the ranks show.

    Args:
        step: the step.
        parent: the question in the one arm.
        child: the question in the other.
        difference: child − parent on this question.

    Returns:
        None where no relevant unit moves the way the question does.
    """
    found = _decisive(parent, child, difference)
    if found is None:
        return None
    before, after = found
    alone = len(child.gold) == 1
    it = text("the gold", "标注证据") if alone else IT
    said = _said(step, _Pair(parent, child, before, after, it))
    if alone:
        return sentence(say("{said}.", "{said}。", said=said))
    return say(
        "Of {gold}, {unit} moves most: {said}.",
        "{gold}中，{unit} 变动最大：{said}。",
        gold=gold(len(child.gold), name_of_unit(child.arm.record)),
        unit=code(after.unit),
        said=said,
    )


def _decisive(parent: Standing, child: Standing, difference: float) -> tuple[Gold, Gold] | None:
    """The unit whose change of place does most in the direction of the difference, the first by id of equals."""
    there = {gold.unit: gold for gold in parent.gold}
    measure, _, cutoff = child.column.partition("/")[2].partition("@")
    sign = 1 if difference > 0 else -1
    moved = [
        (sign * (_worth(gold, measure, int(cutoff)) - _worth(there[gold.unit], measure, int(cutoff))), gold)
        for gold in child.gold
        if gold.unit in there
    ]
    most = max((worth for worth, _ in moved), default=0.0)
    if most <= 0:
        return None
    after = next(found for worth, found in moved if worth == most)
    return there[after.unit], after


def _worth(gold: Gold, measure: str, cutoff: int) -> float:
    """What its place gives to a measure, up to a factor."""
    if gold.last is None or gold.last > cutoff:
        return 0.0
    if measure not in DISCOUNTED:
        return 1.0
    return (2**gold.grade - 1) / math.log2(gold.last + 1) if measure == "ndcg" else 1 / gold.last


def _said(step: LadderStep, pair: _Pair) -> Text:
    """The sentence that fits the step; a step of several factors gets the plain one."""
    recorded = min(len(pair.before.ranks), len(pair.after.ranks)) > 1
    if step.change.confounded or not recorded:
        return _places(pair)
    old, new = pair.cuts()
    if not (old.retrievers and new.retrievers):
        return _places(pair)
    alike = (old.retrievers, old.fused) == (new.retrievers, new.fused)
    none, both = not (old.reranked or new.reranked), old.reranked and new.reranked
    rules: Sequence[tuple[bool, Callable[[_Pair], Text]]] = (
        (both and old.retrievers != new.retrievers, _pools),
        (alike and new.reranked and not old.reranked, _reranked),
        (none and new.fused and not old.fused and old.retrievers[0] in new.retrievers, _fused),
        (none and not (new.fused or old.fused) and old.retrievers != new.retrievers, _replaced),
    )
    return next((rule for holds, rule in rules if holds), _places)(pair)


def _fused(pair: _Pair) -> Text:
    """What both lists had, and where fusion put it."""
    old, new = pair.cuts()
    own, arm = pair.after.ranks, pair.child.arm
    if own.get(old.retrievers[0]) != pair.before.last:
        return _places(pair)
    first, second = (
        _outside(_has(arm, name, own.get(name), it), own.get(name), new.window)
        for name, it in zip(new.retrievers, (pair.it, IT), strict=True)
    )
    fused = own.get("fused")
    if fused is None:
        return say(
            "{first}, {second}; fusion does not hold it", "{first}，{second}；融合后没有它", first=first, second=second
        )
    return say(
        "{first}, {second}; fusion puts it {at}{beside}",
        "{first}，{second}；融合后{at}{beside}",
        first=first,
        second=second,
        at=_at(fused),
        beside=_overtaken(pair, fused, new),
    )


def _outside(had: Text, rank: int | None, window: int) -> Text:
    """Fusion does not see what lies below its window."""
    if rank is None or rank <= window:
        return had
    return say("{had} (below the window of {n})", "{had}（在窗口 {n} 之外）", had=had, n=str(window))


def _overtaken(pair: _Pair, fused: int, cuts: Cuts) -> Text:
    """How many passages before it must be in both lists, by arithmetic.

    With equal weights, only passages of a smaller rank in the same list, or of no greater rank in the other, can
    stand alone and before one that stands alone at rank r: 2r − 1 of them at most.
    """
    settings = pair.child.arm.record.settings["fusion"]
    ranks = [rank for name in cuts.retrievers if (rank := pair.after.ranks.get(name)) and rank <= cuts.window]
    plain = settings.get("name") == "rrf" and not settings.get("weights")
    both = fused - 2 * ranks[0] if ranks else 0
    if len(ranks) != 1 or not plain or settings.get("unit", "passage") != Unit.PASSAGE or both < 1:
        return same("")
    return say(
        f", and at least {{both}} of the {{before}} before it {'is' if both == 1 else 'are'} in both lists",
        "，排在前面的 {before} 段中至少 {both} 段两个列表都有",
        both=str(both),
        before=str(fused - 1),
    )


def _reranked(pair: _Pair) -> Text:
    """Where it stood in the pool, and where the reranker put it."""
    _, cuts = pair.cuts()
    arm, stood = pair.child.arm, _pooled(pair.after, cuts)
    if stood is None or stood != pair.before.last:
        return _places(pair)
    had = _has(arm, _pool_point(cuts), stood, pair.it)
    return _then(had, stood, pair.after, _read(arm))


def _pools(pair: _Pair) -> Text:
    """A reranker over two pools: whether they held it, and what became of it."""
    old, new = pair.cuts()
    return say(
        "{first}; {second}",
        "{first}；{second}",
        first=_through(pair.parent.arm, old, pair.before, pair.it),
        second=_through(pair.child.arm, new, pair.after, IT),
    )


def _through(arm: ArmResult, cuts: Cuts, gold: Gold, it: Text) -> Text:
    stood, read, point = _pooled(gold, cuts), _read(arm), _pool_point(cuts)
    if stood is None:
        return say(
            "in {arm} the first {read} of {name} are reranked, without {it} among them",
            "{arm} 重排 {name} 的前 {read} 名，其中没有{it}",
            arm=arm.key,
            read=str(read),
            name=_name(arm, point),
            it=it,
        )
    said = _then(_has(arm, point, stood, it), stood, gold, read)
    return say("in {arm} {said}", "{arm} 中 {said}", arm=arm.key, said=said)


def _then(had: Text, stood: int, gold: Gold, read: int) -> Text:
    """What the reranker did with a unit that stood somewhere."""
    if stood > read or gold.last is None:
        return say(
            "{had}, below the first {read}, which are reranked",
            "{had}，在参与重排的前 {read} 名之外",
            had=had,
            read=str(read),
        )
    if stood == gold.last:
        return say("{had} and the reranker leaves it there", "{had}，重排后不变", had=had)
    return say("{had} and the reranker puts it {at}", "{had}，重排后{at}", had=had, at=_at(gold.last))


def _replaced(pair: _Pair) -> Text:
    """Another retriever in the place of the one."""
    old, new = pair.cuts()
    first = _has(pair.parent.arm, old.retrievers[0], pair.before.last, pair.it)
    second = _has(pair.child.arm, new.retrievers[0], pair.after.last, IT)
    return say("{first}, {second}", "{first}，{second}", first=first, second=second)


def _places(pair: _Pair) -> Text:
    """The two places, and no more."""
    return say(
        "{it} stands {before} in {one} and {after} in {other}",
        "{it}在 {one} 中{before}，在 {other} 中{after}",
        it=pair.it,
        one=pair.parent.arm.key,
        other=pair.child.arm.key,
        before=_at(pair.before.last),
        after=_at(pair.after.last),
    )


def _has(arm: ArmResult, point: str, rank: int | None, it: Text) -> Text:
    """What a list has of it, within the depth of the list."""
    name = _name(arm, point)
    if rank is not None:
        return say("{name} has {it} {at}", "{name} 把{it}排在第 {n}", name=name, it=it, at=_at(rank), n=str(rank))
    return say(
        "{name} has {it} nowhere in its first {depth}",
        "{name} 的前 {depth} 名中没有{it}",
        name=name,
        it=it,
        depth=str(arm.record.settings[point]["depth"]),
    )


def _name(arm: ArmResult, point: str) -> Text:
    if point == "fused":
        return FUSION["rrf"]
    name = str(arm.record.settings[point]["name"])
    return RETRIEVAL.get(name, RETRIEVAL["sentence_transformers"] if point == "dense" else same(name))


def _pool_point(cuts: Cuts) -> str:
    """The list that the reranker reads."""
    return "fused" if cuts.fused else cuts.retrievers[0]


def _read(arm: ArmResult) -> int:
    """How many of it."""
    return int(arm.record.settings["rerank"]["depth"])


def _pooled(gold: Gold, cuts: Cuts) -> int | None:
    """Its place there."""
    return gold.ranks.get(_pool_point(cuts))


def _at(rank: int | None) -> Text:
    if rank is None:
        return text("without a recorded place", "没有名次")
    return text("first" if rank == 1 else f"at {rank}", f"排第 {rank}")
