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
from rag_ablation.report.study._recorded import Phrase, noun_of
from rag_ablation.report.study.content import LadderStep
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.words import Text, code, text

NAMES = {"bm25": Phrase("BM25", "BM25")}
DENSE = Phrase("dense retrieval", "稠密检索")
FUSION = Phrase("fusion", "融合")
IT = Phrase("it", "它")
DISCOUNTED = {"ndcg", "mrr"}


class _Pair(NamedTuple):
    """The unit that a sentence is about, in parent and child, and what it is called there."""

    parent: Standing
    child: Standing
    before: Gold
    after: Gold
    it: Phrase

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
    it = Phrase("the gold", "标注证据") if alone else IT
    said = _said(step, _Pair(parent, child, before, after, it))
    if alone:
        return text(f"{said.en[0].upper()}{said.en[1:]}.", f"{said.zh}。")
    noun, n = noun_of(child.arm.record), len(child.gold)
    return text(
        (f"Of {n} gold {noun.many}, ", code(after.unit), f" moves most: {said.en}."),
        (f"{n} {noun.measure}标注证据中，", code(after.unit), f" 变动最大：{said.zh}。"),
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
    after = next(gold for worth, gold in moved if worth == most)
    return there[after.unit], after


def _worth(gold: Gold, measure: str, cutoff: int) -> float:
    """What its place gives to a measure, up to a factor."""
    if gold.last is None or gold.last > cutoff:
        return 0.0
    if measure not in DISCOUNTED:
        return 1.0
    return (2**gold.grade - 1) / math.log2(gold.last + 1) if measure == "ndcg" else 1 / gold.last


def _said(step: LadderStep, pair: _Pair) -> Phrase:
    """The sentence that fits the step; a step of several factors gets the plain one."""
    recorded = min(len(pair.before.ranks), len(pair.after.ranks)) > 1
    if step.change.confounded or not recorded:
        return _places(pair)
    old, new = pair.cuts()
    if not (old.retrievers and new.retrievers):
        return _places(pair)
    same = (old.retrievers, old.fused) == (new.retrievers, new.fused)
    none, both = not (old.reranked or new.reranked), old.reranked and new.reranked
    rules: Sequence[tuple[bool, Callable[[_Pair], Phrase]]] = (
        (both and old.retrievers != new.retrievers, _pools),
        (same and new.reranked and not old.reranked, _reranked),
        (none and new.fused and not old.fused and old.retrievers[0] in new.retrievers, _fused),
        (none and not (new.fused or old.fused) and old.retrievers != new.retrievers, _replaced),
    )
    return next((rule for holds, rule in rules if holds), _places)(pair)


def _fused(pair: _Pair) -> Phrase:
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
        return Phrase(f"{first.en}, {second.en}; fusion does not hold it", f"{first.zh}，{second.zh}；融合后没有它")
    beside = _overtaken(pair, fused, new)
    return Phrase(
        f"{first.en}, {second.en}; fusion puts it {_at(fused)}{beside.en}",
        f"{first.zh}，{second.zh}；融合后排第 {fused}{beside.zh}",
    )


def _outside(had: Phrase, rank: int | None, window: int) -> Phrase:
    """Fusion does not see what lies below its window."""
    if rank is None or rank <= window:
        return had
    return Phrase(f"{had.en} (below the window of {window})", f"{had.zh}（在窗口 {window} 之外）")


def _overtaken(pair: _Pair, fused: int, cuts: Cuts) -> Phrase:
    """How many passages before it must be in both lists, by arithmetic.

    With equal weights, only passages of a smaller rank in the same list, or of no greater rank in the other, can
    stand alone and before one that stands alone at rank r: 2r − 1 of them at most.
    """
    settings = pair.child.arm.record.settings["fusion"]
    ranks = [rank for name in cuts.retrievers if (rank := pair.after.ranks.get(name)) and rank <= cuts.window]
    plain = settings.get("name") == "rrf" and not settings.get("weights")
    if len(ranks) != 1 or not plain or settings.get("unit", "passage") != Unit.PASSAGE:
        return Phrase("", "")
    both = fused - 2 * ranks[0]
    if both < 1:
        return Phrase("", "")
    are = "is" if both == 1 else "are"
    return Phrase(
        f", and at least {both} of the {fused - 1} before it {are} in both lists",
        f"，排在前面的 {fused - 1} 段中至少 {both} 段两个列表都有",
    )


def _reranked(pair: _Pair) -> Phrase:
    """Where it stood in the pool, and where the reranker put it."""
    _, cuts = pair.cuts()
    arm, stood = pair.child.arm, _pooled(pair.after, cuts)
    if stood is None or stood != pair.before.last:
        return _places(pair)
    had = _has(arm, _pool_point(cuts), stood, pair.it)
    return _then(had, stood, pair.after, _read(arm))


def _pools(pair: _Pair) -> Phrase:
    """A reranker over two pools: whether they held it, and what became of it."""
    old, new = pair.cuts()
    first = _through(pair.parent.arm, old, pair.before, pair.it)
    second = _through(pair.child.arm, new, pair.after, IT)
    return Phrase(f"{first.en}; {second.en}", f"{first.zh}；{second.zh}")


def _through(arm: ArmResult, cuts: Cuts, gold: Gold, it: Phrase) -> Phrase:
    stood, read, point = _pooled(gold, cuts), _read(arm), _pool_point(cuts)
    if stood is None:
        name = _name(arm, point)
        return Phrase(
            f"in {arm.key} the first {read} of {name.en} are reranked, without {it.en} among them",
            f"{arm.key} 重排{_spaced(name.zh)}的前 {read} 名，其中没有{it.zh}",
        )
    had = _has(arm, point, stood, it)
    gap = " " if had.zh[0].isascii() else ""
    said = _then(had, stood, gold, read)
    return Phrase(f"in {arm.key} {said.en}", f"{arm.key} 中{gap}{said.zh}")


def _then(had: Phrase, stood: int, gold: Gold, read: int) -> Phrase:
    """What the reranker did with a unit that stood somewhere."""
    if stood > read or gold.last is None:
        return Phrase(
            f"{had.en}, below the first {read}, which are reranked", f"{had.zh}，在参与重排的前 {read} 名之外"
        )
    if stood == gold.last:
        return Phrase(f"{had.en} and the reranker leaves it there", f"{had.zh}，重排后不变")
    return Phrase(f"{had.en} and the reranker puts it {_at(gold.last)}", f"{had.zh}，重排后排第 {gold.last}")


def _replaced(pair: _Pair) -> Phrase:
    """Another retriever in the place of the one."""
    old, new = pair.cuts()
    first = _has(pair.parent.arm, old.retrievers[0], pair.before.last, pair.it)
    second = _has(pair.child.arm, new.retrievers[0], pair.after.last, IT)
    return Phrase(f"{first.en}, {second.en}", f"{first.zh}，{second.zh}")


def _places(pair: _Pair) -> Phrase:
    """The two places, and no more."""
    (one, other), it = (pair.parent.arm.key, pair.child.arm.key), pair.it

    def place(rank: int | None) -> Phrase:
        return Phrase("without a recorded place", "没有名次") if rank is None else Phrase(_at(rank), f"排第 {rank}")

    before, after = place(pair.before.last), place(pair.after.last)
    return Phrase(
        f"{it.en} stands {before.en} in {one} and {after.en} in {other}",
        f"{it.zh}在 {one} 中{before.zh}，在 {other} 中{after.zh}",
    )


def _has(arm: ArmResult, point: str, rank: int | None, it: Phrase) -> Phrase:
    """What a list has of it, within the depth of the list."""
    name = _name(arm, point)
    zh = f"{name.zh} " if name.zh.isascii() else name.zh
    if rank is not None:
        return Phrase(f"{name.en} has {it.en} {_at(rank)}", f"{zh}把{it.zh}排在第 {rank}")
    depth = arm.record.settings[point]["depth"]
    return Phrase(f"{name.en} has {it.en} nowhere in its first {depth}", f"{zh}的前 {depth} 名中没有{it.zh}")


def _name(arm: ArmResult, point: str) -> Phrase:
    if point == "fused":
        return FUSION
    name = str(arm.record.settings[point]["name"])
    return NAMES.get(name, DENSE if point == "dense" else Phrase(name, name))


def _pool_point(cuts: Cuts) -> str:
    """The list that the reranker reads."""
    return "fused" if cuts.fused else cuts.retrievers[0]


def _read(arm: ArmResult) -> int:
    """How many of it."""
    return int(arm.record.settings["rerank"]["depth"])


def _pooled(gold: Gold, cuts: Cuts) -> int | None:
    """Its place there."""
    return gold.ranks.get(_pool_point(cuts))


def _at(rank: int) -> str:
    return "first" if rank == 1 else f"at {rank}"


def _spaced(name: str) -> str:
    """A Latin name stands between spaces in a Chinese sentence."""
    return f" {name} " if name.isascii() else name
