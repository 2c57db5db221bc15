"""Marks and the word that a holdout is spent, in both languages."""

import pytest

from rag_ablation.holdout.marks import About, Mark, Spent


@pytest.mark.parametrize(
    ("mark", "en", "zh"),
    [
        (Mark(About.USED, 2), "holdout used 2 times; no longer unseen", "留出集已用 2 次，不再是未见过的题"),
        (
            Mark(About.SEEN, 3, 90),
            "3 of 90 holdout questions had been seen before it was opened",
            "90 道留出题中有 3 道在打开之前已被看过",
        ),
        (Mark(About.DIRTY), "frozen from a tree with uncommitted changes", "冻结时代码有未提交的改动"),
        (Mark(About.REPLAYED), "replayed elsewhere, with differences", "在别处重放，结果有差异"),
        (Mark(About.RELABELLED), "relabelled after opening", "打开之后改过标注"),
    ],
)
def test_a_mark_says_the_same_in_both_languages(mark: Mark, en: str, zh: str) -> None:
    assert (mark.words(), mark.words("zh")) == (en, zh)


def test_a_holdout_is_said_to_be_spent_on_its_first_opening_too() -> None:
    assert Spent(1, "v1", "s").words() == "spent holdout: opened 1 time (plan v1 of study s)"
    assert Spent(3, "v1", "s").words() == "spent holdout: opened 3 times (plan v1 of study s)"
    assert Spent(3, "v1", "s").words("zh") == "已用的留出集：打开过 3 次（研究 s 的计划 v1）"


def test_every_kind_of_mark_has_words() -> None:
    assert all(Mark(about, 1, 2).words(language) for about in About for language in ("en", "zh"))
