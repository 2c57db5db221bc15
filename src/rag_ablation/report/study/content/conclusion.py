"""The first screen: what a reader takes away, and who stands behind it."""

from collections.abc import Mapping
from dataclasses import dataclass

from rag_ablation.report.study.words import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A sentence of the conclusion, with its figures in small type below."""

    sentence: Text
    figures: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Denominators:
    """What was asked, what was scored, what was left out.

    Args:
        asked: questions of the side.
        asked_groups: their groups.
        scored: questions in the means.
        scored_groups: their groups.
        gold: relevant units of the scored questions.
        unit: evaluation unit.
        excluded: questions left out, by reason, those with 0 included.
        passages: of the corpus.
        documents: of the corpus, None where not known.
        setup: measure, unit, interval, family, weights in one line.
    """

    asked: int
    asked_groups: int
    scored: int
    scored_groups: int
    gold: int
    unit: str
    excluded: Mapping[str, int]
    passages: int
    documents: int | None
    setup: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What a reader takes away.

    Args:
        title: the study's question, or its name.
        sentences: two of them where something was compared, else one.
        denominators: see there.
        next: what follows, at most four sentences.
        alone: sentence for a study whose arms failed or were skipped, None where all ran.
        plans: what became of the plans that were frozen from the study.
    """

    title: Text
    sentences: tuple[Said, ...]
    denominators: Denominators
    next: tuple[Text, ...]
    alone: Text | None
    plans: tuple[Text, ...] = ()
