"""What of a section's content a table shows."""

import re
from collections.abc import Iterable
from dataclasses import replace

from rag_ablation.core.record import RecordedMean
from rag_ablation.measures.family import Word
from rag_ablation.measures.fates import GAP_OF_FATE, Fate
from rag_ablation.report.study import naming
from rag_ablation.report.study.content import Ceilings, Curve, Ladder, LadderRow, LadderStep, Lost, Plane, SweepCurve
from rag_ablation.report.study.figures import NB
from rag_ablation.report.study.words import Text, text

BARS = (
    Fate.KEPT,
    Fate.REDUNDANT,
    Fate.LOST_IN_CONTEXT,
    Fate.NOT_PROMOTED,
    Fate.LOST_IN_RERANK,
    Fate.LOST_IN_FUSION,
    Fate.RANKED_LOW,
    Fate.NOT_RETRIEVED,
    Fate.NOT_VISIBLE,
)
MOST_ARMS_ON_A_PHONE, LONGEST_KEY_ON_A_PHONE = 8, 6
ROUND_CUTOFFS = (1, 5, 10, 50, 100, 20)
MOST_CUTOFFS = 5
LONGEST_NOTE, SHOWN_OF_A_NOTE = 160, 90
KINDS = {Word.BETTER: "better", Word.WORSE: "worse", Word.NOT_DISTINGUISHABLE: "undecided", Word.NO_VERDICT: "none"}


def common_count(ladder: Ladder) -> tuple[int, int] | None:
    """(questions, groups) where all means and steps share them, else None."""
    found = {
        (step.comparison.interval.n, step.comparison.interval.n_groups) for step in ladder.steps() if step.comparison
    }
    found |= {(row.mean.n, row.mean.n_groups or 0) for row in ladder.rows if row.mean and row.mean.value is not None}
    return found.pop() if len(found) == 1 else None


def without_mean(row: LadderRow) -> LadderRow:
    """The row with nothing to draw but its scale."""
    return replace(row, mean=None)


def cut(note: Text) -> Text | None:
    """The start of a note that is too long for a row, None where it is not."""
    if max(len(note.plain(language)) for language in ("en", "zh")) <= LONGEST_NOTE:
        return None
    en, zh = (f"{note.plain(language)[:SHOWN_OF_A_NOTE].rstrip()}…" for language in ("en", "zh"))
    return text(en, zh)


def anchors(words: Iterable[Text]) -> dict[str, str]:
    """Where each word of the glossary stands, by its English; a word that cannot name a place has none."""
    found: dict[str, str] = {}
    for name in (word.plain("en") for word in words):
        place = re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
        if place and f"word-{place}" not in found.values():
            found[name] = f"word-{place}"
    return found


def several_parents(ladder: Ladder) -> bool:
    """Whether some step is marked as the one against the better parent."""
    return any(
        step.better_parent
        for row in ladder.rows
        if len(row.steps) > 1
        for step in row.steps
        if step.comparison and step.ruled is None
    )


def against(step: LadderStep) -> str:
    """`− B`, where the arm itself stands beside it."""
    return naming.against(step.parent).replace(" ", NB, 1)


def kind(word: Word) -> str:
    """Class of a verdict."""
    return KINDS[word]


def crowded(arms: tuple[str, ...]) -> bool:
    """Whether the arms do not fit beside one another on a phone."""
    return len(arms) > MOST_ARMS_ON_A_PHONE or any(len(arm) > LONGEST_KEY_ON_A_PHONE for arm in arms)


def shown_fates(lost: Lost) -> tuple[Fate, ...]:
    """In the order of the bars; `redundant` is left out where no arm has it."""
    return tuple(
        fate
        for fate in BARS
        if fate is not Fate.REDUNDANT or any(counts.get(fate, 0) for counts in lost.counts.values())
    )


def shown_gaps(lost: Lost) -> frozenset[str]:
    """Parts that some arm can have; `redundant` is left out where no arm has it."""
    return frozenset(
        part
        for parts in lost.gap.values()
        for part, points in parts.items()
        if points or part != GAP_OF_FATE[Fate.REDUNDANT]
    )


def whole_gap(lost: Lost, arm: str) -> int | None:
    """Sum of the parts of one arm."""
    parts = lost.gap.get(arm)
    return None if parts is None else sum(parts.values())


def shown_cutoffs(ceilings: Ceilings) -> tuple[int, ...]:
    """Five at most, the round ones first."""
    there = ceilings.ceiling.cutoffs
    wanted = [cutoff for cutoff in ROUND_CUTOFFS if cutoff in there]
    return tuple(sorted(wanted[:MOST_CUTOFFS])) or there[:MOST_CUTOFFS]


def common_questions(plane: Plane) -> int | None:
    """Questions in the means of all timed arms, None where they differ."""
    found = {arm.quality.n for arm in plane.arms}
    return found.pop() if len(found) == 1 else None


def at(curve: Curve, cutoff: int) -> RecordedMean | None:
    """The mean at a cutoff, None where the curve does not reach it."""
    return dict(zip(curve.cutoffs, curve.means, strict=True)).get(cutoff)


def best_mean(curve: SweepCurve) -> RecordedMean:
    """The mean of the best setting."""
    return next(setting.mean for setting in curve.settings if setting.key == curve.best)
