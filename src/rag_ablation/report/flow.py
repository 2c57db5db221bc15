"""The way of the evidence through one arm, level by level: how many units stand where, and where they leave.

Every relevant unit walks the levels of its arm in order, in one band of each, and either reaches the context or leaves
at the level that its fate names. At each level the bands and all that left there or before add up to all units.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rag_ablation.core.record import ArmRecord
from rag_ablation.measures.fates import FATES, Fate

GOLD, FOUND, POOL, RERANKED, OFFERED, CONTEXT = "gold", "found", "pool", "reranked", "offered", "context"
TOP, LOW, BESIDE, ALL = "top", "low", "beside", "all"
RETRIEVERS = ("sparse", "dense")
LEAVES_AT: Mapping[Fate, str] = {
    Fate.NOT_VISIBLE: FOUND,
    Fate.NOT_RETRIEVED: FOUND,
    Fate.RANKED_LOW: POOL,
    Fate.LOST_IN_FUSION: POOL,
    Fate.LOST_IN_RERANK: RERANKED,
    Fate.NOT_PROMOTED: RERANKED,
    Fate.LOST_IN_CONTEXT: CONTEXT,
}

Ranks = Mapping[str, int | None]


class Band(NamedTuple):
    """Units that stand together at a level.

    Args:
        level: name of the level.
        key: which of its bands: retrievers joined by `+`, `top`, `low`, `beside` (there without being ranked, as a
            neighbour), `all`, or the fate of those that leave here.
        n: units.
    """

    level: str
    key: str
    n: int

    @property
    def lost(self) -> bool:
        """Whether its units leave here."""
        return self.key in FATES


class Ribbon(NamedTuple):
    """Units that go from one band to one of the next level, both given by level and key."""

    source: tuple[str, str]
    target: tuple[str, str]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cuts:
    """The cuts of an arm, in passages, as in `measures.fates`.

    Args:
        retrievers: measuring points of its retrievers, none for a handed context.
        fused: whether it fuses.
        reranked: whether it reranks.
        window: W.
        pool: B.
        depth: M.
    """

    retrievers: tuple[str, ...]
    fused: bool
    reranked: bool
    window: int
    pool: int
    depth: int

    @property
    def levels(self) -> tuple[str, ...]:
        """Names of the levels, first to last."""
        if not self.retrievers:
            return (GOLD, OFFERED, CONTEXT)
        return (GOLD, FOUND, POOL, *((RERANKED,) if self.reranked else ()), CONTEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """What the picture shows.

    Args:
        arm: name of the arm.
        n_units: relevant units.
        n_questions: scored questions.
        cuts: where the arm cuts.
        bands: by level in order; in a level those that go on before those that leave.
        ribbons: between the bands.
    """

    arm: str
    n_units: int
    n_questions: int
    cuts: Cuts
    bands: tuple[Band, ...]
    ribbons: tuple[Ribbon, ...]

    def at(self, level: str) -> tuple[Band, ...]:
        """The bands of a level."""
        return tuple(band for band in self.bands if band.level == level)


def cuts_of(arm: ArmRecord) -> Cuts:
    """Read the cuts off an arm's settings.

    Args:
        arm: a record with evidence.
    """
    settings = arm.settings
    context, rerank, fusion = (settings.get(slot) or {} for slot in ("context", "rerank", "fusion"))
    handed = context["name"] != "top"
    retrievers = () if handed else tuple(slot for slot in RETRIEVERS if settings.get(slot))
    depth = int(context.get("depth", 0))
    pool = int(rerank.get("depth", depth))
    return Cuts(
        retrievers=retrievers,
        fused=bool(fusion) and not handed,
        reranked=bool(rerank) and not handed,
        window=int(fusion.get("window") or max((settings[slot]["depth"] for slot in retrievers), default=0)),
        pool=pool if not rerank.get("keep_tail", True) else max(pool, depth),
        depth=depth,
    )


def flow(arm: ArmRecord, table: Mapping[str, Sequence[object]]) -> Flow:
    """Follow every unit of the long table of fates through the levels.

    Args:
        arm: a record with evidence.
        table: columns of its fates.parquet: `fate`, and `rank_<point>` with null where the point has no rank.
    """
    return of_ranks(arm.arm, arm.counts["scored"], cuts_of(arm), table)


def of_ranks(name: str, n_questions: int, cuts: Cuts, table: Mapping[str, Sequence[object]]) -> Flow:
    """The same from the cuts.

    Args:
        name: of the arm.
        n_questions: scored questions.
        cuts: where the arm cuts.
        table: see `flow`.
    """
    points = [column for column in table if column.startswith("rank_")]
    seen = Counter(zip(table["fate"], *(table[point] for point in points), strict=True))
    bands: Counter[tuple[str, str]] = Counter()
    ribbons: Counter[tuple[tuple[str, str], tuple[str, str]]] = Counter()
    for (fate, *ranks), n in seen.items():
        named = {
            point.removeprefix("rank_"): rank if isinstance(rank, int) else None
            for point, rank in zip(points, ranks, strict=True)
        }
        way = _way(Fate(str(fate)), named, cuts)
        bands.update(dict.fromkeys(way, n))
        ribbons.update(dict.fromkeys(pairwise(way), n))
    order = {band: place for place, band in enumerate(sorted(bands, key=lambda band: _order(band, cuts)))}
    return Flow(
        arm=name,
        n_units=sum(seen.values()),
        n_questions=n_questions,
        cuts=cuts,
        bands=tuple(Band(*band, bands[band]) for band in order),
        ribbons=tuple(
            Ribbon(*ends, ribbons[ends]) for ends in sorted(ribbons, key=lambda ends: (order[ends[0]], order[ends[1]]))
        ),
    )


def _way(fate: Fate, ranks: Ranks, cuts: Cuts) -> list[tuple[str, str]]:
    """Level and band, as far as the unit goes."""
    way = [(GOLD, ALL)]
    leaves = _leaves_at(fate, ranks, cuts)
    for level in cuts.levels[1:]:
        if level == leaves:
            return [*way, (level, str(fate))]
        way.append((level, _band(level, ranks, cuts)))
    return way


def _leaves_at(fate: Fate, ranks: Ranks, cuts: Cuts) -> str | None:
    """The level of its fate; a redundant unit leaves where its ranks end."""
    if fate is Fate.KEPT:
        return None
    if fate is Fate.REDUNDANT:
        return next((level for level in cuts.levels[1:-1] if _band(level, ranks, cuts) == BESIDE), CONTEXT)
    level = LEAVES_AT[fate]
    return OFFERED if level == FOUND and not cuts.retrievers else level


def _band(level: str, ranks: Ranks, cuts: Cuts) -> str:
    if level == FOUND:
        found = [name for name in cuts.retrievers if _within(ranks[name], cuts.window)]
        return "+".join(found) or BESIDE
    if level == POOL:
        rank = ranks["fused"] if cuts.fused else ranks[cuts.retrievers[0]]
        if _within(rank, min(cuts.depth, cuts.pool)):
            return TOP
        return LOW if _within(rank, cuts.pool) else BESIDE
    if level == RERANKED:
        return TOP if _within(ranks["last"], cuts.depth) else BESIDE
    if level == OFFERED:
        return TOP if ranks.get("offered") else BESIDE
    return ALL


def _within(rank: int | None, depth: int) -> bool:
    return rank is not None and 0 < rank <= depth


def _order(band: tuple[str, str], cuts: Cuts) -> tuple[int, int, int, str]:
    """By level; those that go on before those that leave; more retrievers first."""
    level, key = band
    place = cuts.levels.index(level)
    if key in FATES:
        return (place, 1, -FATES.index(Fate(key)), key)
    ranked = {TOP: 0, ALL: 0, LOW: 1, BESIDE: 9}
    return (place, 0, ranked.get(key, 5 - key.count("+")), key)
