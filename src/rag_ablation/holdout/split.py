"""The split: made once by whole groups, kept beside the dataset, checked at each use."""

from collections.abc import Sequence

import numpy as np

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark, Side
from rag_ablation.core.wording import counted
from rag_ablation.holdout._audit import Sides, audit
from rag_ablation.holdout._extend import extend_split, graph_of
from rag_ablation.holdout._plan import STRATA, SplitSettings, form, planned
from rag_ablation.holdout._splitfile import SIDES, Split, read_split, write_split
from rag_ablation.holdout._taken import take_split
from rag_ablation.holdout.components import Linkage, graph, groups
from rag_ablation.holdout.entry import Question, question_of
from rag_ablation.holdout.likeness import near
from rag_ablation.holdout.meaning import COSINE, Meaning

__all__ = [
    "COSINE",
    "STRATA",
    "Linkage",
    "Meaning",
    "Split",
    "SplitSettings",
    "check_fit",
    "dev_side",
    "extend_split",
    "groups",
    "make_split",
    "questions_of",
    "read_split",
    "side_of",
    "split_notices",
    "take_split",
    "whole",
    "write_split",
]

MOST_NAMED = 5


def make_split(benchmark: Benchmark, settings: SplitSettings) -> Split:
    """Divide the questions into dev and holdout by whole groups.

    The allocation is stratified, and depends on ids and content alone.

    Args:
        benchmark: the whole dataset.
        settings: how.

    Raises:
        HoldoutError: the settings make no sense, one side would be empty, the share is missed by more than
            the tolerance (and more than one question), or a side has too few groups; with what would work.
    """
    folds = planned(benchmark, settings)
    joined = graph(benchmark, settings.linkage, settings.meaning)
    held = folds > 0
    ids = benchmark.queries.ids
    return Split(
        name=settings.name,
        seed=settings.seed,
        holdout_share=float(settings.holdout_share),
        made_by=form(settings, near()),
        dev=tuple(name for name, out in zip(ids, held.tolist(), strict=True) if not out),
        holdout=tuple(name for name, out in zip(ids, held.tolist(), strict=True) if out),
        groups=dict(zip(ids, joined.groups.tolist(), strict=True)),
        fold_of={name: int(fold) for name, fold in zip(ids, folds, strict=True) if fold} if settings.folds > 1 else {},
        fingerprints=benchmark.content_fingerprints,
        audit=audit(benchmark, joined, Sides(~held, held, folds)),
    )


def dev_side(benchmark: Benchmark, split: Split) -> Side:
    """The dev questions, after checking that the split was made for these questions and labels.

    Those that are held out are had through `door.held_out_side` alone.

    Args:
        benchmark: the whole dataset.
        split: its split.

    Raises:
        HoldoutError: see `check_fit`.
    """
    check_fit(benchmark, split)
    return side_of(benchmark, split, "dev", split.dev)


def side_of(benchmark: Benchmark, split: Split, name: str, questions: Sequence[str]) -> Side:
    """Some of a split's questions, with their groups.

    Args:
        benchmark: the whole dataset.
        split: its split.
        name: of the side.
        questions: their ids.
    """
    wanted = set(questions)
    rows = tuple(row for row, known in enumerate(benchmark.queries.ids) if known in wanted)
    numbers = [split.groups[benchmark.queries.ids[row]] for row in rows]
    groups = np.array(numbers, dtype=np.int32)
    return Side(name=name, split=split.name, query_rows=rows, groups=groups, digest=split.digest())


def questions_of(benchmark: Benchmark, split: Split, names: Sequence[str]) -> tuple[Question, ...]:
    """Questions as a ledger names them; those that the dataset has no more are left out.

    Args:
        benchmark: the whole dataset.
        split: its split.
        names: their ids.
    """
    wanted = set(names)
    return tuple(
        question_of(query.id, query.text, split.groups[query.id])
        for query in benchmark.queries.rows
        if query.id in wanted
    )


def check_fit(benchmark: Benchmark, split: Split) -> None:
    """Check that a split was made for these questions and labels; the corpus may differ, `split_notices` says so.

    Args:
        benchmark: the whole dataset.
        split: its split.

    Raises:
        HoldoutError: questions or labels are not those of the split, named with what to do.
    """
    changed = _changed(benchmark, split)
    if changed:
        message = (
            f"the split {split.name!r} was made for other data: {changed}. Bring the files back as they were, or let "
            f"every question keep its side and place the new ones: rag-ablation data split DIR --extend {split.name}"
        )
        raise HoldoutError(message)


def whole(benchmark: Benchmark) -> Side:
    """All questions, for a set that has no split."""
    rows = tuple(range(len(benchmark.queries)))
    return Side(name="none", split=None, query_rows=rows, groups=groups(benchmark), digest=None)


def split_notices(benchmark: Benchmark, split: Split) -> tuple[str, ...]:
    """What a reader should know about a split in use, one sentence each."""
    said: list[str] = []
    if split.unassigned:
        aside = counted(len(split.unassigned), "question")
        said.append(f"{aside} of the split {split.name!r} set aside: each would join both sides")
    parted = split.audit.get("gold_locations_on_both_sides")
    if isinstance(parted, int) and parted:
        said.append(
            f"{counted(parted, 'answer location')} with questions on both sides of the split {split.name!r} "
            f"(linkage {split.made_by.get('linkage')})"
        )
    if split.fingerprints["corpus"] != benchmark.fingerprints["corpus"]:
        said.append(f"the corpus has changed since the split {split.name!r} was made")
        joined = dict(zip(benchmark.queries.ids, graph_of(benchmark, split).groups.tolist(), strict=True))
        dev, holdout = ({joined[name] for name in split.ids(part) if name in joined} for part in SIDES)
        if dev & holdout:
            said.append(f"{counted(len(dev & holdout), 'group')} of questions that belong together now on both sides")
    return tuple(said)


def _changed(benchmark: Benchmark, split: Split) -> str:
    """What of questions and labels is not as it was, in words; empty where nothing is."""
    now, then = set(benchmark.queries.ids), {*split.dev, *split.holdout, *split.unassigned}
    said = []
    for word, names in (("added", sorted(now - then)), ("removed", sorted(then - now))):
        if names:
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            said.append(f"questions {word}: {', '.join(names[:MOST_NAMED])}{more}")
    if not said and split.fingerprints["queries"] != benchmark.fingerprints["queries"]:
        said.append("texts or metadata of questions changed")
    if split.fingerprints["labels"] != benchmark.fingerprints["labels"]:
        said.append("labels changed (judgements, answers or other references)")
    return "; ".join(said)
