"""Frozen plans of any content."""

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from rag_ablation.holdout.freeze import FrozenArm, FrozenPlan
from rag_ablation.holdout.rule import Rule

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8)
NAMES = st.text("abcdefXYZ0189-_", min_size=1, max_size=12)
DIGESTS = st.text("0123456789abcdef", min_size=8, max_size=16)
NUMBERS = st.floats(-1, 1, allow_nan=False) | st.integers(-5, 5)
LEAVES = st.none() | st.booleans() | NUMBERS | WORDS
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3))
SETTINGS = st.dictionaries(NAMES, VALUES, max_size=4)
PARTS = ("corpus", "queries", "labels", "about", "split", "code")


def arms() -> st.SearchStrategy[FrozenArm]:
    return st.builds(
        FrozenArm,
        key=WORDS,
        name=WORDS,
        variant=NAMES,
        parents=st.lists(NAMES, max_size=2).map(tuple),
        settings=SETTINGS,
        config=DIGESTS,
        models=st.dictionaries(NAMES, st.dictionaries(NAMES, DIGESTS, min_size=1, max_size=2), max_size=2),
    )


def plans() -> st.SearchStrategy[FrozenPlan]:
    return st.builds(
        FrozenPlan,
        name=NAMES,
        study=NAMES,
        question=st.dictionaries(st.sampled_from(["en", "zh"]), WORDS),
        frozen=WORDS,
        rule=st.builds(
            Rule,
            st.sampled_from(["final/ndcg@10", "final/recall@5"]),
            st.floats(0, 1),
            st.floats(0.5, 0.99),
        ),
        candidate=arms(),
        baselines=st.lists(arms(), min_size=1, max_size=2).map(tuple),
        dataset=st.fixed_dictionaries({"name": WORDS, "path": WORDS, "qrels": st.none() | NAMES}),
        fingerprints=st.fixed_dictionaries(dict.fromkeys(PARTS, DIGESTS)),
        split=st.fixed_dictionaries({"name": NAMES, "fold": st.none() | st.integers(1, 3), "questions": st.just(3)}),
        libraries=st.dictionaries(NAMES, NAMES, max_size=3),
        tracking=st.fixed_dictionaries({"name": NAMES, "experiment": NAMES}),
        checkout=SETTINGS,
        chosen_on=SETTINGS,
        can_show=SETTINGS,
        seen=SETTINGS,
        ledger=DIGESTS,
    )


def with_other(plan: FrozenPlan, field: str, value: Any) -> FrozenPlan:
    """The plan with another value of one field."""
    return replace(plan, **{field: value})
