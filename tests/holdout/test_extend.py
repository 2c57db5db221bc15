"""A split that grows: nobody changes sides."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.holdout.split import (
    Linkage,
    SplitSettings,
    dev_side,
    extend_split,
    make_split,
    read_split,
    split_notices,
    write_split,
)
from tests.holdout.benchmarks import benchmark, passage, question, singles

Row = tuple[int, int]


def of(rows: Iterable[Row]) -> Benchmark:
    """Question q on clause d, for each (q, d)."""
    rows = sorted(set(rows))
    return benchmark(
        [passage(f"d{n:02d}", location=str(n)) for n in range(40)],
        [question(f"q{n:02d}") for n in sorted({query for query, _ in rows})],
        [(f"q{query:02d}", f"d{unit:02d}", 1) for query, unit in rows],
    )


def test_new_questions_follow_their_clause_and_the_others_stay() -> None:
    old = of((n, n) for n in range(10))
    split = make_split(old, SplitSettings(holdout_share=0.4))
    dev, holdout = (int(split.ids(name)[0][1:]) for name in ("dev", "holdout"))
    now = of([*((n, n) for n in range(10)), (20, dev), (21, holdout), (22, 30)])
    grown = extend_split(now, split)
    assert set(split.dev) < set(grown.dev)
    assert set(split.holdout) < set(grown.holdout)
    assert ("q20" in grown.dev, "q21" in grown.holdout) == (True, True)
    assert grown.extends == (split.digest(),)
    assert grown.audit["new_questions"] == 3
    assert len(dev_side(now, grown).query_rows) == len(grown.dev)


def test_a_new_question_that_would_join_both_sides_is_set_aside() -> None:
    split = make_split(of((n, n) for n in range(10)), SplitSettings(holdout_share=0.4))
    dev, holdout = (int(split.ids(name)[0][1:]) for name in ("dev", "holdout"))
    now = of([*((n, n) for n in range(10)), (20, dev), (20, holdout)])
    grown = extend_split(now, split)
    assert grown.unassigned == ("q20",)
    assert (grown.dev, grown.holdout) == (split.dev, split.holdout)
    assert "q20" not in grown.groups
    assert split_notices(now, grown)[0] == "1 question of the split 'default' set aside: each would join both sides"
    assert dev_side(now, grown).query_rows


def test_old_questions_that_new_labels_connect_are_counted_and_not_moved() -> None:
    split = make_split(of((n, n) for n in range(10)), SplitSettings(holdout_share=0.4))
    dev, holdout = (int(split.ids(name)[0][1:]) for name in ("dev", "holdout"))
    grown = extend_split(of([*((n, n) for n in range(10)), (dev, holdout)]), split)
    assert (grown.dev, grown.holdout, grown.audit["groups_on_both_sides"]) == (split.dev, split.holdout, 1)
    assert grown.groups[f"q{dev:02d}"] != grown.groups[f"q{holdout:02d}"]


def test_questions_that_are_gone_leave_and_are_counted() -> None:
    split = make_split(of((n, n) for n in range(10)), SplitSettings(holdout_share=0.4))
    grown = extend_split(of((n, n) for n in range(8)), split)
    assert set(grown.dev) | set(grown.holdout) == {f"q{n:02d}" for n in range(8)}
    assert grown.audit["removed_questions"] == 2


def test_a_side_of_which_nothing_is_left_is_refused() -> None:
    split = make_split(of((n, n) for n in range(10)), SplitSettings(holdout_share=0.4))
    left = of((int(name[1:]), int(name[1:])) for name in split.dev)
    with pytest.raises(HoldoutError, match=r"cannot be extended: holdout would be empty"):
        extend_split(left, split)


def test_questions_that_were_set_aside_are_not_new_twice() -> None:
    split = make_split(of((n, n) for n in range(10)), SplitSettings(holdout_share=0.4))
    dev, holdout = (int(split.ids(name)[0][1:]) for name in ("dev", "holdout"))
    bridge = [*((n, n) for n in range(10)), (20, dev), (20, holdout)]
    once = extend_split(of(bridge), split)
    assert extend_split(of([*bridge, (21, 30)]), once).audit["new_questions"] == 1


def test_another_set_is_refused() -> None:
    with pytest.raises(HoldoutError, match=r"none of the questions of the split 'default' is in the data"):
        extend_split(of([(30, 1), (31, 2)]), make_split(singles(8), SplitSettings()))


@given(
    st.lists(st.tuples(st.integers(0, 25), st.integers(0, 30)), min_size=12, max_size=40),
    st.lists(st.tuples(st.integers(20, 39), st.integers(0, 39)), max_size=20),
    st.sampled_from(list(Linkage)),
    st.integers(1, 2),
    st.integers(0, 99),
)
@settings(max_examples=80, deadline=None)
def test_no_seed_linkage_or_extension_parts_a_group(
    first: list[Row], more: list[Row], linkage: Linkage, folds: int, seed: int
) -> None:
    wanted = SplitSettings(holdout_share=0.4, linkage=linkage, folds=folds, seed=seed, tolerance=0.5, few_groups=True)
    try:
        split = make_split(of(first), wanted)
    except HoldoutError:
        return
    now = of([*first, *more])
    grown = extend_split(now, split)
    for made in (split, grown):
        sides = {name: made.fold_of.get(name, 1) for name in made.holdout} | dict.fromkeys(made.dev, 0)
        for group in set(made.groups.values()):
            assert len({sides[name] for name, number in made.groups.items() if number == group}) == 1
    known = {*split.dev, *split.holdout}
    assert all((name in split.dev) == (name in grown.dev) for name in known)
    if linkage is not Linkage.PRIMARY_GOLD:
        new = set(now.queries.ids) - known - set(grown.unassigned)
        clauses = {f"q{query:02d}": set() for query, _ in [*first, *more]}
        for query, unit in [*first, *more]:
            clauses[f"q{query:02d}"].add(unit)
        for name in new:
            other = grown.holdout if name in grown.dev else grown.dev
            assert not any(clauses[name] & clauses[far] for far in other)


def test_a_grown_split_replaces_the_old_one_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "default.json"
    split = make_split(of((n, n) for n in range(10)), SplitSettings(holdout_share=0.4))
    write_split(split, file)
    grown = extend_split(of((n, n) for n in range(12)), split)
    write_split(grown, file)
    assert read_split(file) == grown
    with pytest.raises(HoldoutError, match="holds a different split"):
        write_split(extend_split(of((n, n) for n in range(13)), split), file)


def test_a_split_of_questions_that_had_been_seen_keeps_saying_so() -> None:
    found = singles(20)
    old = replace(make_split(found, SplitSettings()), audit={"seen_before": {"dev": 3, "holdout": 1}})
    assert extend_split(singles(24), old).audit["seen_before"] == {"dev": 3, "holdout": 1}
    assert "seen_before" not in extend_split(singles(24), make_split(found, SplitSettings())).audit
