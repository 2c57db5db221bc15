"""A split is made by whole groups, and checked at each use."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.queries import Status
from rag_ablation.data.load import load
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.split import (
    Split,
    SplitSettings,
    dev_side,
    make_split,
    split_notices,
    whole,
)
from tests.data import folders as files
from tests.data.folders import native, table
from tests.holdout.benchmarks import (
    benchmark,
    case_25,
    clustered,
    edited,
    made,
    passage,
    question,
    singles,
)

COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")


@pytest.mark.parametrize("share", [0.25, 0.5])
def test_case_25_no_seed_parts_questions_of_one_location(share: float) -> None:
    found = case_25()
    for seed in range(100):
        split = make_split(found, SplitSettings(name="s", holdout_share=share, seed=seed))
        dev, holdout = set(split.dev), set(split.holdout)
        assert dev
        assert holdout
        assert not dev & holdout
        assert dev | holdout == set(found.queries.ids)
        for pair in ({"q1", "q2"}, {"q3", "q4"}, {"q5", "q6"}, {"q7", "q8"}):
            assert pair <= dev or pair <= holdout
        assert len(holdout) == share * 8


def test_case_25_a_split_does_not_depend_on_the_order_of_lines() -> None:
    for seed in range(100):
        one, other = (
            make_split(case_25(order), SplitSettings(name="s", holdout_share=0.5, seed=seed)) for order in (1, -1)
        )
        assert one == other


def test_seeds_give_different_splits() -> None:
    assert (
        len({make_split(case_25(), SplitSettings(name="s", holdout_share=0.5, seed=seed)).dev for seed in range(100)})
        == 6
    )


def test_a_split_is_the_same_on_every_version() -> None:
    split = make_split(singles(12, kinds=2), SplitSettings(name="s", holdout_share=0.4, seed=7))
    assert split.holdout == ("q000", "q003", "q006", "q007", "q011")


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.sampled_from("ab")), min_size=6, max_size=40),
    st.sampled_from([0.2, 0.4, 0.5]),
    st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_a_split_never_parts_a_location(rows: list[tuple[int, int, str]], share: float, seed: int) -> None:
    found = benchmark(
        [passage(f"d{n}", location=f"{n // 2}") for n in range(10)],
        [question(f"q{n:02d}", kind) for n, (_, _, kind) in enumerate(rows)],
        {(f"q{n:02d}", f"d{unit}", 1) for n, row in enumerate(rows) for unit in row[:2]},
    )
    try:
        split = make_split(found, SplitSettings(name="s", holdout_share=share, seed=seed))
    except HoldoutError as error:
        assert "the largest of" in str(error)  # noqa: PT017
        return
    location = {f"q{n:02d}": {first // 2, second // 2} for n, (first, second, _) in enumerate(rows)}
    places = [{place for name in split.ids(part) for place in location[name]} for part in ("dev", "holdout")]
    assert not places[0] & places[1]
    assert abs(len(split.holdout) - share * len(rows)) <= max(1, 0.05 * len(rows)) + 1e-9


@given(st.permutations(range(6)), st.permutations(range(12)), st.permutations(range(12)), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_a_split_does_not_depend_on_the_order_of_lines(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[int], asked: list[int], rows: list[int], seed: int
) -> None:
    def split(corpus: Iterable[int], asked: Iterable[int], rows: Iterable[int]) -> Split:
        folder = native(
            tmp_path_factory.mktemp("set", numbered=True),
            [files.passage(f"d{n}", f"text {n}", doc_id="D", location=str(n)) for n in corpus],
            [files.question(f"q{n:02d}", f"what {n}", type="ab"[n % 2]) for n in asked],
            table(*((f"q{n:02d}", f"d{n // 2}", 1) for n in rows)),
        )
        return make_split(load(folder), SplitSettings(name="s", holdout_share=0.4, seed=seed))

    assert split(corpus, asked, rows) == split(range(6), range(12), range(12))


@pytest.mark.parametrize("seed", range(20))
def test_types_and_sizes_are_balanced(seed: int) -> None:
    split = make_split(singles(200, kinds=4), SplitSettings(name="s", holdout_share=0.4, seed=seed))
    assert split.audit["share_by_type"] == {f"t{n}": 0.4 for n in range(4)}
    found = clustered([6] * 20 + [1] * 60)
    split = make_split(found, SplitSettings(name="s", holdout_share=0.4, seed=seed))
    large = sum(name[1:4] < "020" for name in split.holdout) / 6
    assert 6 <= large <= 10
    assert len(split.holdout) == 72


def test_a_status_is_on_both_sides() -> None:
    found = benchmark(
        [passage(f"d{n}", location=str(n)) for n in range(40)],
        [question(f"q{n:02d}", status=Status.REVIEWED if n < 40 else Status.NO_ANSWER) for n in range(50)],
        [(f"q{n:02d}", f"d{n}", 1) for n in range(40)],
    )
    split = make_split(found, SplitSettings(name="s", holdout_share=0.4, seed=0))
    assert sum(name >= "q40" for name in split.holdout) == 4


def test_a_very_large_group_goes_to_the_larger_side() -> None:
    for seed in range(20):
        split = make_split(
            clustered([60, 10, 10, 10, 10]), SplitSettings(holdout_share=0.25, seed=seed, few_groups=True)
        )
        assert len(split.holdout) in (20, 30)


def test_the_audit_says_what_came_of_it() -> None:
    split = make_split(case_25(), SplitSettings(name="s", holdout_share=0.25, seed=0))
    assert split.audit == {
        "n": 8,
        "groups": 4,
        "questions_by_side": {"dev": 6, "holdout": 2},
        "groups_by_side": {"dev": 3, "holdout": 1},
        "component_sizes": {"2": 4},
        "share": 0.25,
        "share_by_type": {"single_hop": 0.25},
        "largest_group": 2,
        "gold_locations_on_both_sides": 0,
        "joined_by_text_alone": 0,
        "nearest_across": [],
        "nearest_from": 0.4,
    }


def test_a_share_that_cannot_be_met_is_refused_with_the_largest_group() -> None:
    with pytest.raises(HoldoutError) as caught:
        make_split(clustered([90, 5, 5]), SplitSettings(name="s", holdout_share=0.4, seed=0))
    assert str(caught.value) == (
        "no split was written: the holdout would get 10 of 100 questions (10%) where 40% were asked for, and at most 5 "
        "off are accepted. Questions that share an answer location, equal gold text, an explicit group or near-equal "
        "wording stay together, and the largest of 3 groups (linkage any_gold) holds 90 of 100 questions. What would "
        "work: --folds 2 --holdout 0.1 --few-groups (2 holdout folds, opened one by one, each read as one case and not "
        "as a test)"
    )
    advised = SplitSettings(holdout_share=0.1, folds=2, few_groups=True)
    split = make_split(clustered([90, 5, 5]), advised)
    assert [len(split.fold(number)) for number in (1, 2)] == [5, 5]
    assert len(split.dev) == 90


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_a_share_outside_0_and_1_is_refused(share: float) -> None:
    with pytest.raises(HoldoutError, match="the holdout's share must lie between 0 and 1, got"):
        make_split(case_25(), SplitSettings(name="s", holdout_share=share, seed=0))


def test_a_negative_seed_is_refused() -> None:
    with pytest.raises(HoldoutError, match="the seed must be 0 or more, got -1"):
        make_split(case_25(), SplitSettings(name="s", holdout_share=0.5, seed=-1))


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", ".hidden", "a\nb", "x" * 61])
def test_a_name_that_is_no_file_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(HoldoutError, match="a split's name needs letters, digits"):
        make_split(case_25(), SplitSettings(name=name, holdout_share=0.5, seed=0))
    with pytest.raises(HoldoutError, match="a split's name needs letters, digits"):
        Place(folder=tmp_path, root=tmp_path, queries="0" * 64, name="tiny").split(name)


def test_dev_holds_its_questions_and_their_groups() -> None:
    found = case_25()
    split = made()
    part = dev_side(found, split)
    assert tuple(found.queries.ids[row] for row in part.query_rows) == split.dev
    assert part.groups.tolist() == [split.groups[query] for query in split.dev]
    assert (part.name, part.split, part.digest) == ("dev", "default", split.digest())


def test_the_whole_set_has_no_split() -> None:
    part = whole(case_25())
    assert (part.name, part.split, part.digest, len(part.query_rows)) == ("none", None, None, 8)
    assert Counter(part.groups.tolist()) == dict.fromkeys(range(4), 2)


def test_added_and_removed_questions_are_named() -> None:
    split = made(found=singles(8))
    with pytest.raises(HoldoutError) as caught:
        dev_side(singles(10), split)
    assert str(caught.value) == (
        "the split 'default' was made for other data: questions added: q008, q009; labels changed (judgements, answers "
        "or other references). Bring the files back as they were, or let every question keep its side and place the new "
        "ones: rag-ablation data split DIR --extend default"
    )
    with pytest.raises(HoldoutError, match="questions removed: q007;"):
        dev_side(singles(7), split)


def test_changed_labels_and_texts_are_told_apart() -> None:
    with pytest.raises(HoldoutError, match=r"other data: labels changed \(judgements"):
        dev_side(edited(case_25(), labels="x"), made())
    with pytest.raises(HoldoutError, match=r"other data: texts or metadata of questions changed\."):
        dev_side(edited(case_25(), queries="x"), made())


def test_a_changed_corpus_is_said_and_not_refused() -> None:
    found = edited(case_25(), corpus="x")
    assert len(dev_side(found, made()).query_rows) == 4
    assert split_notices(found, made()) == ("the corpus has changed since the split 'default' was made",)
    assert split_notices(case_25(), made()) == ()


def test_a_corpus_that_joins_both_sides_is_said() -> None:
    now = benchmark(
        [passage(f"d{n:03d}", location="all") for n in range(8)],
        [question(f"q{n:03d}", "t0") for n in range(8)],
        [(f"q{n:03d}", f"d{n:03d}", 1) for n in range(8)],
    )
    said = split_notices(now, made(found=singles(8)))
    assert said[1] == "1 group of questions that belong together now on both sides"


@pytest.mark.collections
@pytest.mark.skipif(COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections")
@pytest.mark.parametrize(
    ("name", "n_groups"),
    [
        ("xquad_zh", 237),
        ("xquad_en", 239),
        ("xquad_zh_sentences", 237),
        ("hotpotqa_sample_en", 100),
        ("squad2_en", 126),
    ],
)
def test_real_collections_split_by_location(name: str, n_groups: int) -> None:
    from rag_ablation.data.load import load

    found = load(Path(str(COLLECTIONS)) / name)
    for seed in range(5):
        split = make_split(found, SplitSettings(name="s", holdout_share=0.4, seed=seed))
        assert split.audit["groups"] == n_groups
        assert len(split.holdout) / len(found.queries) == pytest.approx(0.4, abs=0.005)
