"""A sample of judged answers: drawn when it is written, and again when it comes back, which tells that it is whole.

What the judge said of an answer is nowhere in the sheet; its column `sample` says only how the sample was drawn.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from rag_ablation.commands._review_answers import JudgedAnswer, Reviewable
from rag_ablation.core.answers import Word
from rag_ablation.core.errors import CommandError
from rag_ablation.data.answer_sheet import AnswerSheet
from rag_ablation.measures.agreement import Agreement, Resampling, agreement
from rag_ablation.measures.strata import allocation, stratified

_WRITTEN = re.compile(r"(\d{1,9}) of (\d{1,9}), seed (\d{1,18})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """How answers are drawn.

    Args:
        n: how many.
        of: how many judged answers there are.
        seed: of the draws.
    """

    n: int
    of: int
    seed: int

    def __str__(self) -> str:
        """As the sheet has it."""
        return f"{self.n} of {self.of}, seed {self.seed}"

    @classmethod
    def read(cls, text: str) -> Self | None:
        """The inverse of `str`, None for anything else."""
        found = _WRITTEN.fullmatch(text)
        return None if found is None else cls(n=int(found[1]), of=int(found[2]), seed=int(found[3]))


def strata(found: Reviewable) -> dict[Word, list[str]]:
    """Ids of the judged answers, by what the judge said; those that there are."""
    parts: dict[Word, list[str]] = {}
    for word in Word:
        ids = [name for name, one in found.answers.items() if one.judged is word]
        if ids:
            parts[word] = ids
    return parts


def drawn(found: Reviewable, n: int, seed: int) -> tuple[Sample, list[JudgedAnswer]]:
    """Draw a sample by what the judge said, in random order.

    Args:
        found: the answers.
        n: how many.
        seed: of the draws.

    Raises:
        CommandError: there are not so many, fewer than strata are asked for, or judges differ.
    """
    parts = strata(found)
    if not len(parts) <= n <= len(found.answers):
        expected = f"{len(parts)} to {len(found.answers)}, the distinct judged answers; at least one of each verdict"
        raise CommandError.of("--sample", str(n), expected)
    if len(found.judges) > 1:
        expected = "one judge, whose agreement is measured: name a run, or an arm (STUDY:KEY)"
        raise CommandError.of("--sample", f"{len(found.judges)} different judges in {found.name}", expected)
    ids = stratified({str(word): names for word, names in parts.items()}, n, seed)
    return Sample(n=n, of=len(found.answers), seed=seed), [found.answers[name] for name in ids]


def allocation_words(found: Reviewable, n: int) -> str:
    """`correct 14 of 24, incorrect 15 of 42`, in the order of the words."""
    sizes = {str(word): len(ids) for word, ids in strata(found).items()}
    return ", ".join(f"{word} {take} of {sizes[word]}" for word, take in allocation(sizes, n).items())


def sample_of(sheet: AnswerSheet, found: Reviewable) -> Sample | str:
    """The sample that a sheet is, or why it is none that agreement can be measured on.

    Args:
        sheet: as it came back.
        found: the answers as they are now.
    """
    sample = Sample.read(sheet.samples[0]) if len(sheet.samples) == 1 else None
    if sample is None:
        return "its rows are of more than one sheet, or the column sample was changed"
    return _not_whole(sample, sheet, found) or sample


def _not_whole(sample: Sample, sheet: AnswerSheet, found: Reviewable) -> str | None:
    if len(found.judges) > 1:
        return "there is more than one judge by now"
    parts = {str(word): names for word, names in strata(found).items()}
    if sample.of != len(found.answers) or not len(parts) <= sample.n <= sample.of:
        return f"the sample was drawn from {sample.of} answers, and there are {len(found.answers)} by now"
    there = {*sheet.left, *(row.id for row in sheet.filled)}
    wanted = set(stratified(parts, sample.n, sample.seed))
    if there < wanted:
        return f"{len(wanted - there)} of its {sample.n} rows were taken out"
    if there != wanted:
        return "these answers and their judge give another sample by now"
    return f"{len(sheet.left)} of its {sample.n} rows have no verdict yet" if sheet.left else None


def agreement_of(sheet: AnswerSheet, found: Reviewable, sample: Sample) -> Agreement:
    """Judge against person on a whole sample.

    Args:
        sheet: as it came back.
        found: the answers.
        sample: that the sheet is.
    """
    answers: Sequence[JudgedAnswer] = [found.answers[row.id] for row in sheet.filled]
    return agreement(
        [one.judged for one in answers],
        [row.word for row in sheet.filled],
        [one.group for one in answers],
        {word: len(ids) for word, ids in strata(found).items()},
        Resampling(seed=sample.seed),
    )
