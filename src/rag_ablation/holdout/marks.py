"""What every table, tag and page must say of results on a holdout, in English and in Chinese."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from rag_ablation.core.wording import counted


class About(StrEnum):
    """What a mark speaks of."""

    USED = "used"
    SEEN = "seen"
    DIRTY = "dirty"
    REPLAYED = "replayed"
    RELABELLED = "relabelled"


class Mark(NamedTuple):
    """One mark.

    Args:
        about: what it speaks of.
        n: how often the holdout was opened, or how many of its questions had been seen; 0 where nothing is counted.
        of: of how many questions, 0 where nothing is counted.
    """

    about: About
    n: int = 0
    of: int = 0

    def words(self, language: str = "en") -> str:
        """The mark in one sentence without a full stop.

        Args:
            language: `en` or `zh`.
        """
        said = SAID[self.about][language]
        return said.format(n=self.n, of=self.of, questions=counted(self.of, "holdout question"))


SAID: Mapping[About, Mapping[str, str]] = {
    About.USED: {
        "en": "holdout used {n} times; no longer unseen",
        "zh": "留出集已用 {n} 次，不再是未见过的题",
    },
    About.SEEN: {
        "en": "{n} of {questions} had been seen before it was opened",
        "zh": "{of} 道留出题中有 {n} 道在打开之前已被看过",
    },
    About.DIRTY: {
        "en": "frozen from a tree with uncommitted changes",
        "zh": "冻结时代码有未提交的改动",
    },
    About.REPLAYED: {
        "en": "replayed elsewhere, with differences",
        "zh": "在别处重放，结果有差异",
    },
    About.RELABELLED: {
        "en": "relabelled after opening",
        "zh": "打开之后改过标注",
    },
}


class Spent(NamedTuple):
    """That a holdout was opened, and how often.

    Args:
        times: how often, as the ledger says now; replays are no further openings.
        name: of the plan that the results are of.
        study: that the plan is of.
    """

    times: int
    name: str
    study: str

    def words(self, language: str = "en") -> str:
        """What stands beside every result of a holdout.

        Args:
            language: `en` or `zh`.
        """
        if language == "zh":
            return f"已用的留出集：打开过 {self.times} 次（研究 {self.study} 的计划 {self.name}）"
        return f"spent holdout: opened {counted(self.times, 'time')} (plan {self.name} of study {self.study})"
