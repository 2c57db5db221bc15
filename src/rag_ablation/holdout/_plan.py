"""Whole groups to dev and holdout folds, or a refusal that says what would work.

Legend: G groups, Q questions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Query
from rag_ablation.core.wording import counted
from rag_ablation.holdout._allocate import TOLERANCE, Target, allocate
from rag_ablation.holdout.components import Linkage, graph
from rag_ablation.holdout.meaning import Meaning
from rag_ablation.holdout.place import name_problem

STRATA = ("type", "status", "identity")
FEWEST_GROUPS = 6
QUESTIONS_THAT_COULD_DECIDE = 30
MOST_FOLDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitSettings:
    """How a split is made.

    Args:
        name: name of the split; it names the file.
        holdout_share: wanted part of the questions in the holdout, between 0 and 1, both excluded.
        seed: 0 or more; the same seed gives the same split everywhere.
        linkage: which answer locations join two questions.
        stratify: fields of the question that both sides should hold in equal parts, of `STRATA`.
        tolerance: by which part of the questions the holdout may miss its share.
        folds: into how many parts the holdout is divided, as equal as whole groups allow, each to be opened once.
        meaning: an embedding model that also joins questions, None for none.
        few_groups: accept a side of 30 questions or more in fewer than 6 groups, on which no comparison can
            have a verdict.
    """

    name: str = "default"
    holdout_share: float = 0.4
    seed: int = 0
    linkage: Linkage = Linkage.ANY_GOLD
    stratify: tuple[str, ...] = ("type", "status")
    tolerance: float = TOLERANCE
    folds: int = 1
    meaning: Meaning | None = None
    few_groups: bool = False

    def check(self) -> None:
        """Refuse settings that make no sense.

        Raises:
            HoldoutError: with the first that does not.
        """
        problems = [
            (name_problem(self.name), bool(name_problem(self.name))),
            (
                f"the holdout's share must lie between 0 and 1, got {self.holdout_share}",
                not 0 < self.holdout_share < 1,
            ),
            (f"the seed must be 0 or more, got {self.seed}", self.seed < 0),
            (f"the tolerance must lie between 0 and 1, got {self.tolerance}", not 0 <= self.tolerance < 1),
            (f"folds must be 1 to {MOST_FOLDS}, got {self.folds}", not 1 <= self.folds <= MOST_FOLDS),
            (
                f"stratify: found {', '.join(self.stratify)}; expected some of {', '.join(STRATA)}",
                not set(self.stratify) <= set(STRATA),
            ),
        ]
        for message, wrong in problems:
            if wrong:
                raise HoldoutError(message)


def stratum(query: Query, fields: Sequence[str]) -> str:
    """What a question is balanced by."""
    values = {"type": query.type, "status": str(query.status), "identity": query.identity or ""}
    return "\n".join(values[name] for name in fields)


def members(benchmark: Benchmark, numbers: NDArray[np.int32], fields: Sequence[str]) -> list[Counter[str]]:
    """(G,) questions of each group by stratum."""
    found = [Counter[str]() for _ in range(int(numbers.max(initial=-1)) + 1)]
    for number, query in zip(numbers.tolist(), benchmark.queries.rows, strict=True):
        found[number][stratum(query, fields)] += 1
    return found


def planned(benchmark: Benchmark, settings: SplitSettings) -> NDArray[np.int64]:
    """Number of the holdout fold of each question, from 1; 0 for dev. Whole groups only.

    Raises:
        HoldoutError: a side would be empty, outside tolerance, or too few groups for any verdict; with the
            changes of the settings that would work.
    """
    settings.check()
    numbers = graph(benchmark, settings.linkage, settings.meaning).groups
    groups = members(benchmark, numbers, settings.stratify)
    folds, problem = _attempt(groups, settings)
    if problem:
        advice = "; ".join(_advice(benchmark, settings)) or "nothing that was tried: it takes questions on more clauses"
        message = (
            f"no split was written: {problem}. Questions that share an answer location, equal gold text, an explicit "
            f"group or near-equal wording stay together, and the largest of {counted(len(groups), 'group')} "
            f"(linkage {settings.linkage}) holds {max(map(Counter.total, groups), default=0)} of "
            f"{len(benchmark.queries)} questions. What would work: {advice}"
        )
        raise HoldoutError(message)
    return np.asarray(folds, dtype=np.int64)[numbers]


def _attempt(groups: Sequence[Counter[str]], settings: SplitSettings) -> tuple[list[int], str]:
    """Fold of each group, and what is wrong with that, in words; empty where nothing is."""
    target = Target(settings.holdout_share, sum(groups, Counter()), settings.tolerance)
    chosen = allocate(groups, target, settings.seed) if len(groups) > 1 else [False] * len(groups)
    folds = [int(out) for out in chosen]
    problem = _missed([g for g, out in zip(groups, chosen, strict=True) if out], target)
    for fold in range(1, settings.folds):
        rest = [row for row, number in enumerate(folds) if number == fold]
        if not problem and len(rest) < 2:
            problem = f"the holdout has too few groups for {settings.folds} folds"
        if problem:
            break
        some = [groups[row] for row in rest]
        part = Target(1 / (settings.folds - fold + 1), sum(some, Counter()), settings.tolerance)
        for row, here in zip(rest, allocate(some, part, settings.seed), strict=True):
            folds[row] = fold if here else fold + 1
    if not problem and not settings.few_groups:
        problem = next(_too_few(groups, folds), "")
    return folds, problem


def _missed(chosen: Sequence[Counter[str]], target: Target) -> str:
    held, n = sum(map(Counter.total, chosen)), target.n_questions
    if target.met(held):
        return ""
    if 0 < held < n:
        return (
            f"the holdout would get {held} of {n} questions ({held / n:.0%}) where {target.share:.0%} were asked for, "
            f"and at most {target.slack:.0f} off are accepted"
        )
    return f"the {'holdout' if held == 0 else 'dev'} side would be empty"


def _too_few(groups: Sequence[Counter[str]], folds: Sequence[int]) -> Iterator[str]:
    for fold in sorted(set(folds)):
        sizes = [group.total() for group, number in zip(groups, folds, strict=True) if number == fold]
        if sum(sizes) >= QUESTIONS_THAT_COULD_DECIDE and len(sizes) < FEWEST_GROUPS:
            side = "dev" if fold == 0 else "holdout" if max(folds) == 1 else f"holdout fold {fold}"
            count = counted(len(sizes), "group")
            yield (
                f"{side} would have {sum(sizes)} questions in {count}: intervals are made by "
                f"group, and under {FEWEST_GROUPS} groups no comparison can have a verdict"
            )


def _advice(benchmark: Benchmark, settings: SplitSettings) -> Iterator[str]:
    """Changes that were tried and found to work, as options."""
    base = replace(settings, few_groups=False)
    for linkage in Linkage:
        if linkage is not settings.linkage:
            groups = _groups_of(benchmark, settings, linkage)
            if not _attempt(groups, replace(base, linkage=linkage))[1]:
                largest = counted(max(map(Counter.total, groups)), "question")
                yield f"--linkage {linkage} ({counted(len(groups), 'group')}, the largest {largest})"
    groups = _groups_of(benchmark, settings, settings.linkage)
    n = len(benchmark.queries)
    folds, problem = _attempt(groups, settings)
    held = sum(group.total() for group, fold in zip(groups, folds, strict=True) if fold)
    if problem and 0 < held < n:
        share = round(held / n, 2)
        if 0 < share < 1 and not _attempt(groups, replace(settings, holdout_share=share))[1]:
            yield f"--holdout {share}"
    yield from _as_folds(groups, settings, n)


def _as_folds(groups: Sequence[Counter[str]], settings: SplitSettings, n: int) -> Iterator[str]:
    """The largest group to dev, the others as holdout folds, opened one after another."""
    largest = max(map(Counter.total, groups), default=0)
    share = round(1 - largest / n, 2) if n else 0.0
    for folds in range(min(len(groups) - 1, MOST_FOLDS), 1, -1):
        tried = replace(settings, holdout_share=share, folds=folds, few_groups=True)
        if 0 < share < 1 and not _attempt(groups, tried)[1]:
            yield (
                f"--folds {folds} --holdout {share} --few-groups ({folds} holdout folds, opened one by one, each read "
                "as one case and not as a test)"
            )
            return


def _groups_of(benchmark: Benchmark, settings: SplitSettings, linkage: Linkage) -> list[Counter[str]]:
    return members(benchmark, graph(benchmark, linkage, settings.meaning).groups, settings.stratify)


def form(settings: SplitSettings, near: Mapping[str, object]) -> dict[str, object]:
    """The settings as they stand in the split's file, beside name, seed and share."""
    return {
        "linkage": str(settings.linkage),
        "stratify": list(settings.stratify),
        "tolerance": settings.tolerance,
        "folds": settings.folds,
        "few_groups": settings.few_groups,
        "near": dict(near),
        "meaning": None if settings.meaning is None else asdict(settings.meaning),
    }
