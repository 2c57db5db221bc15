"""The flow of evidence: every level sums, the picture is XML, and text from outside stays text."""

import re
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.measures.fates import FATES, fates
from rag_ablation.report.flow import Cuts, Flow, cuts_of, of_ranks
from rag_ablation.report.flow_svg import NARROW, WIDE, Gold, Language, Layout, drawn
from tests.measures.test_fates import Example, of, passages
from tests.report.test_leaderboard import arm

SVG = "{http://www.w3.org/2000/svg}"
RERANKED = Cuts(retrievers=("sparse", "dense"), fused=True, reranked=True, window=100, pool=50, depth=10)
HANDED = Cuts(retrievers=(), fused=False, reranked=False, window=0, pool=10, depth=10)


def table(*rows: tuple[str, Mapping[str, int]]) -> dict[str, list[object]]:
    """The long table of fates; points that are not named have no rank."""
    points = ("sparse", "dense", "fused", "last", "offered", "context")
    columns: dict[str, list[object]] = {f"rank_{point}": [ranks.get(point) for _, ranks in rows] for point in points}
    return {"fate": [fate for fate, _ in rows], **columns}


MIXED = table(
    ("kept", {"sparse": 1, "dense": 60, "fused": 3, "last": 1, "context": 1}),
    ("kept", {"dense": 9, "fused": 30, "last": 2, "context": 2}),
    ("kept", {"context": 3}),
    ("redundant", {"sparse": 70, "fused": 80, "last": 80}),
    ("not_retrieved", {"sparse": 101}),
    ("ranked_low", {"sparse": 70, "fused": 90, "last": 90}),
    ("lost_in_fusion", {"dense": 40, "fused": 60, "last": 60}),
    ("lost_in_rerank", {"sparse": 1, "dense": 1, "fused": 1, "last": 20}),
    ("not_promoted", {"sparse": 12, "dense": 22, "fused": 20, "last": 30}),
    ("lost_in_context", {"sparse": 1, "dense": 1, "fused": 2, "last": 9}),
    ("not_visible", {}),
)


def mixed() -> Flow:
    return of_ranks("D", 7, RERANKED, MIXED)


def bands(flow: Flow, level: str) -> dict[str, int]:
    return {band.key: band.n for band in flow.at(level)}


def sums(flow: Flow) -> set[int]:
    """What stands at each level and what left there or before."""
    gone, found = 0, set()
    for level in flow.cuts.levels:
        gone += sum(band.n for band in flow.at(level) if band.lost)
        found.add(gone + sum(band.n for band in flow.at(level) if not band.lost))
    return found


def test_each_unit_stands_where_its_ranks_put_it_and_leaves_where_its_fate_says() -> None:
    flow = mixed()
    assert bands(flow, "found") == {
        **{"sparse+dense": 4, "sparse": 2, "dense": 2, "beside": 1},
        **{"not_visible": 1, "not_retrieved": 1},
    }
    assert bands(flow, "pool") == {
        "top": 3,
        "low": 2,
        "beside": 1,
        "ranked_low": 1,
        "lost_in_fusion": 1,
        "redundant": 1,
    }
    assert bands(flow, "reranked") == {"top": 3, "beside": 1, "not_promoted": 1, "lost_in_rerank": 1}
    assert bands(flow, "context") == {"all": 3, "lost_in_context": 1}
    assert sums(flow) == {11}


def test_a_handed_context_has_no_retrieval() -> None:
    offered = {"offered": 1}
    flow = of_ranks("Oracle", 2, HANDED, table(("kept", {**offered, "context": 1}), ("lost_in_context", offered)))
    assert [band[:2] for band in flow.bands] == [
        ("gold", "all"),
        ("offered", "top"),
        ("context", "all"),
        ("context", "lost_in_context"),
    ]


def test_what_was_never_offered_leaves_there() -> None:
    flow = of_ranks("random", 2, HANDED, table(("not_retrieved", {}), ("kept", {"offered": 2, "context": 2})))
    assert bands(flow, "offered") == {"top": 1, "not_retrieved": 1}


def test_without_a_reranker_the_pool_is_what_the_context_may_draw_on() -> None:
    cuts = cuts_of(arm("a", context={"name": "top", "depth": 10}, sparse={"name": "bm25", "depth": 70}))
    assert cuts == Cuts(retrievers=("sparse",), fused=False, reranked=False, window=70, pool=10, depth=10)
    assert cuts.levels == ("gold", "found", "pool", "context")


def test_a_reranker_that_drops_its_tail_cuts_the_pool() -> None:
    context = {"name": "top", "depth": 10}
    dropping = arm("a", context=context, sparse={"depth": 70}, rerank={"depth": 5, "keep_tail": False})
    keeping = arm("a", context=context, sparse={"depth": 70}, rerank={"depth": 5})
    assert (cuts_of(dropping).pool, cuts_of(keeping).pool) == (5, 10)


@st.composite
def walks(draw: st.DrawFn) -> tuple[Flow, int]:
    """Random lists of one question of 40 passages, with the fates that they have."""
    order = st.permutations(range(40))
    depth, pool = draw(st.integers(1, 6)), draw(st.one_of(st.none(), st.integers(1, 12)))
    window, drops = draw(st.integers(1, 15)), draw(st.booleans()) and pool is not None
    sparse, dense, fused = (draw(order)[: draw(st.integers(0, 20))] for _ in range(3))
    head = draw(st.permutations(fused[: pool or 0]))
    reranked = [*head, *([] if drops else fused[pool or 0 :])]
    context = draw(st.permutations(range(40)))[: draw(st.integers(0, 4))]
    way = Example(sparse, dense, fused, reranked, context, depth, pool, window, drops).way()
    gold = draw(st.lists(st.integers(0, 39), min_size=1, max_size=12, unique=True))
    found = fates(way, passages(), of([(0, unit) for unit in gold]))
    columns: dict[str, Sequence[object]] = {
        f"rank_{point}": [rank or None for rank in ranks.tolist()] for point, ranks in found.ranks.items()
    }
    cuts = Cuts(
        retrievers=("sparse", "dense"),
        fused=True,
        reranked=pool is not None,
        window=window,
        pool=way.considered,
        depth=depth,
    )
    names = [str(FATES[code]) for code in found.codes.tolist()]
    return of_ranks("X", 1, cuts, {"fate": names, **columns}), len(gold)


@settings(max_examples=60, deadline=None)
@given(walks())
def test_every_level_sums_and_every_band_gets_and_gives_what_it_holds(made: tuple[Flow, int]) -> None:
    flow, n = made
    assert sums(flow) == {n}
    for band in flow.bands:
        ends = (band.level, band.key)
        given_on = sum(ribbon.n for ribbon in flow.ribbons if ribbon.source == ends)
        got = sum(ribbon.n for ribbon in flow.ribbons if ribbon.target == ends)
        assert given_on == (0 if band.lost or band.level == "context" else band.n)
        assert got == (0 if band.level == "gold" else band.n)


@pytest.mark.parametrize("layout", [WIDE, NARROW])
@pytest.mark.parametrize("language", list(Language))
def test_the_widths_of_every_level_sum_and_nothing_leaves_the_drawing(language: Language, layout: Layout) -> None:
    flow = mixed()
    root = ElementTree.fromstring(drawn(flow, language, layout))
    gone = 0.0
    for level in flow.cuts.levels:
        bars = [bar for bar in root.iter(f"{SVG}rect") if bar.get("data-level") == level]
        lost = {band.key for band in flow.at(level) if band.lost}
        widths = {bar.attrib["data-key"]: float(bar.attrib["width"]) for bar in bars}
        gone += sum(width for key, width in widths.items() if key in lost)
        assert gone + sum(width for key, width in widths.items() if key not in lost) == pytest.approx(
            layout.units, abs=0.1
        )
        right = max(float(bar.attrib["x"]) + float(bar.attrib["width"]) for bar in bars)
        assert right <= layout.beside


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_every_line_of_text_stands_inside_the_drawing(layout: Layout) -> None:
    root = ElementTree.fromstring(drawn(mixed(), layout=layout))
    assert max(float(text.attrib["y"]) for text in root.iter(f"{SVG}text")) <= float(root.attrib["height"]) - 4


def test_counts_shares_and_denominators_are_in_the_text() -> None:
    text = " ".join("".join(node.itertext()) for node in ElementTree.fromstring(drawn(mixed())).iter(f"{SVG}text"))
    assert "D: 11 gold units of 7 scored questions" in text
    assert "both: 4 (36 %)" in text
    assert "retrieved within the first 100: 8 (73 %)" in text  # and one that only its neighbour brings along
    assert "kept in the context: 3 (27 %)" in text
    assert "lost_in_rerank: 1 (9 %)" in text
    assert "7 道计分题的 11 个标注证据" in drawn(mixed(), Language.ZH)


def test_the_units_are_called_what_the_caller_calls_them() -> None:
    clauses = Gold("gold clauses", "条标注证据")
    assert "D: 11 gold clauses of 7 scored questions" in drawn(mixed(), gold=clauses)
    assert "7 道计分题的 11 条标注证据" in drawn(mixed(), Language.ZH, gold=clauses)


@pytest.mark.parametrize("layout", [WIDE, NARROW])
def test_names_of_what_is_lost_stand_clear_of_every_bar_and_ribbon(layout: Layout) -> None:
    root = ElementTree.fromstring(drawn(mixed(), layout=layout))
    ends = [float(bar.attrib["x"]) + float(bar.attrib["width"]) for bar in root.iter(f"{SVG}rect") if "x" in bar.attrib]
    written = {"".join(node.itertext()): float(node.attrib["x"]) for node in root.iter(f"{SVG}text")}
    names = {name: x for name, x in written.items() if name.removeprefix("■ ").partition(":")[0] in FATES}
    assert len(names) == len(FATES) - 1  # all but the kept
    assert min(names.values()) >= max(ends)


def test_a_name_with_markup_is_text() -> None:
    picture = drawn(of_ranks("<script>x</script>&", 1, RERANKED, MIXED))
    assert ElementTree.fromstring(picture).find(f".//{SVG}script") is None
    assert "&lt;script&gt;" in picture


def test_the_picture_needs_nothing_from_outside_and_knows_dark() -> None:
    picture = drawn(mixed())
    assert not re.search(r"<script|href|url\(|@import|onload|<image", picture)
    assert set(re.findall(r"https?://[^\"' ]+", picture)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme:dark" in picture


def test_a_share_is_never_rounded_to_none_or_all() -> None:
    many = table(
        *[("kept", {"sparse": 1, "dense": 1, "fused": 1, "last": 1, "context": 1})] * 999, ("not_retrieved", {})
    )
    picture = drawn(of_ranks("D", 500, RERANKED, many))
    assert "999 (&gt; 99 %)" in picture
    assert "not_retrieved: 1 (&lt; 1 %)" in picture


def test_nothing_to_draw_is_still_a_picture() -> None:
    assert ElementTree.fromstring(drawn(of_ranks("D", 0, RERANKED, table())))
