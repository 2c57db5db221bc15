"""The split: made once by whole groups, kept beside the dataset, checked at each use."""

import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark, Side
from rag_ablation.holdout._allocate import Target, allocate
from rag_ablation.holdout._splitfile import SIDES, Split, read_split, write_split
from rag_ablation.holdout.components import groups

__all__ = [
    "Split",
    "existing_splits",
    "find_split",
    "groups",
    "make_split",
    "read_split",
    "side",
    "split_notices",
    "splits_folder",
    "splits_folders",
    "whole",
    "write_split",
]

FOLDER = "splits"
DATASETS = "datasets"
SUFFIX = ".json"
PACKAGE = Path(__file__).parent.parent
SHORT_DIGEST = 12
MOST_NAME_CHARS = 60
MOST_NAMED = 5


def make_split(benchmark: Benchmark, *, name: str, holdout_share: float, seed: int) -> Split:
    """Divide the questions into dev and holdout by whole groups.

    The allocation is stratified by type and status, and depends on ids and content alone.

    Args:
        benchmark: the whole dataset.
        name: name of the split; it names the file.
        holdout_share: wanted part of the questions in the holdout, between 0 and 1, both excluded.
        seed: 0 or more; the same seed gives the same split everywhere.

    Raises:
        HoldoutError: the settings make no sense, one side would be empty, or the share is missed by more
            than 5 % of the questions (and more than one question).
    """
    _check_settings(name, holdout_share, seed)
    numbers = groups(benchmark)
    strata = [f"{query.type}\n{query.status}" for query in benchmark.queries.rows]
    members = [Counter[str]() for _ in range(int(numbers.max(initial=-1)) + 1)]
    for number, stratum in zip(numbers.tolist(), strata, strict=True):
        members[number][stratum] += 1
    chosen = allocate(members, holdout_share, seed) if len(members) > 1 else [False] * len(members)
    _check_achieved(members, chosen, Target(holdout_share, sum(members, Counter())))
    ids = benchmark.queries.ids
    held = np.array(chosen, dtype=bool)[numbers]
    return Split(
        name=name,
        seed=seed,
        holdout_share=float(holdout_share),
        dev=tuple(name for name, out in zip(ids, held.tolist(), strict=True) if not out),
        holdout=tuple(name for name, out in zip(ids, held.tolist(), strict=True) if out),
        groups=dict(zip(ids, numbers.tolist(), strict=True)),
        fingerprints=dict(benchmark.fingerprints),
        audit=_audit(benchmark.queries.types, numbers.tolist(), held.tolist()),
    )


def side(benchmark: Benchmark, split: Split, side: str) -> Side:
    """The questions of one side, after checking that the split was made for these questions and labels.

    The corpus may have changed since; `split_notices` says so.

    Args:
        benchmark: the whole dataset.
        split: its split.
        side: `dev` or `holdout`.

    Raises:
        HoldoutError: questions or labels are not those of the split, named with what to do.
    """
    if side not in SIDES:
        message = f"side: found {side!r}, expected one of: {', '.join(SIDES)}"
        raise HoldoutError(message)
    changed = _changed(benchmark, split)
    if changed:
        message = (
            f"the split {split.name!r} was made for other data: {changed}. Bring the files back as they were, or make "
            "a new split under another name: rag-ablation data split DIR --name NEW"
        )
        raise HoldoutError(message)
    wanted = set(split.ids(side))
    rows = tuple(row for row, name in enumerate(benchmark.queries.ids) if name in wanted)
    numbers = [split.groups[benchmark.queries.ids[row]] for row in rows]
    return Side(
        name=side, split=split.name, query_rows=rows, groups=np.array(numbers, dtype=np.int32), digest=split.digest()
    )


def whole(benchmark: Benchmark) -> Side:
    """All questions, for a set that has no split."""
    rows = tuple(range(len(benchmark.queries)))
    return Side(name="none", split=None, query_rows=rows, groups=groups(benchmark), digest=None)


def split_notices(benchmark: Benchmark, split: Split) -> tuple[str, ...]:
    """What a reader should know about a split in use, one sentence each."""
    if split.fingerprints["corpus"] == benchmark.fingerprints["corpus"]:
        return ()
    said = f"the corpus has changed since the split {split.name!r} was made"
    numbers = dict(zip(benchmark.queries.ids, groups(benchmark).tolist(), strict=True))
    dev, holdout = ({numbers[name] for name in split.ids(part) if name in numbers} for part in SIDES)
    if not dev & holdout:
        return (said,)
    return (said, f"{len(dev & holdout)} groups of questions with a common answer location now stand on both sides")


def splits_folder(dataset_path: Path, root: Path, queries_digest: str, name: str) -> Path:
    """Where a new split of a dataset is written.

    Beside the dataset where that is possible; for one that ships in the package, or that cannot be written
    to, under the root.

    Args:
        dataset_path: folder of the dataset.
        root: folder under which everything of ours is written.
        queries_digest: fingerprint of the questions.
        name: name of the dataset, as given.
    """
    beside, under = splits_folders(dataset_path, root, queries_digest, name)
    packaged = dataset_path.resolve().is_relative_to(PACKAGE.resolve())
    return beside if not packaged and _writable(beside if beside.exists() else dataset_path) else under


def splits_folders(dataset_path: Path, root: Path, queries_digest: str, name: str) -> tuple[Path, Path]:
    """Where splits of a dataset are looked for: beside it, then under the root."""
    safe = "".join(char if char.isalnum() or char in "-_." else "_" for char in name)[:MOST_NAME_CHARS].lstrip(".")
    under = root / DATASETS / f"{safe}-{queries_digest[:SHORT_DIGEST]}" / FOLDER
    return dataset_path / FOLDER, under


def existing_splits(dataset_path: Path, root: Path, queries_digest: str, name: str) -> list[str]:
    """Names of all splits of a dataset, sorted."""
    folders = splits_folders(dataset_path, root, queries_digest, name)
    files = [file for folder in folders if folder.is_dir() for file in folder.glob(f"*{SUFFIX}")]
    return sorted({file.stem for file in files if not file.name.startswith(".")})


def find_split(dataset_path: Path, root: Path, queries_digest: str, name: str, split: str) -> Split:
    """Read a split by name.

    Args:
        dataset_path: folder of the dataset.
        root: folder under which everything of ours is written.
        queries_digest: fingerprint of the questions.
        name: name of the dataset.
        split: name of the split.

    Raises:
        HoldoutError: there is none of that name, with what to do.
        DataError: its file is no split file.
    """
    problem = _name_problem(split)
    if problem:
        raise HoldoutError(problem)
    for folder in splits_folders(dataset_path, root, queries_digest, name):
        if (folder / f"{split}{SUFFIX}").exists():
            return read_split(folder / f"{split}{SUFFIX}")
    others = existing_splits(dataset_path, root, queries_digest, name)
    option = "" if split == "default" else f" --name {split}"
    if others:
        message = (
            f"{name} has no split {split!r}; there are: {', '.join(others)} (dataset.split=NAME). "
            f"Make it with: rag-ablation data split {dataset_path}{option}"
        )
    else:
        message = (
            f"{name} has no split {split!r}. Make one with: rag-ablation data split {dataset_path}{option} "
            "- or run on the whole set, which leaves nothing unseen for a later check, with: split=none"
        )
    raise HoldoutError(message)


def _check_settings(name: str, holdout_share: float, seed: int) -> None:
    problem = _name_problem(name)
    if not problem and not 0 < holdout_share < 1:
        problem = f"the holdout's share must lie between 0 and 1, got {holdout_share}"
    if not problem and seed < 0:
        problem = f"the seed must be 0 or more, got {seed}"
    if problem:
        raise HoldoutError(problem)


def _name_problem(name: str) -> str:
    """Empty, or why a split cannot be called so."""
    good = name and all(char.isalnum() or char in "-_." for char in name) and name[0] != "."
    if good and len(name) <= MOST_NAME_CHARS:
        return ""
    return f"a split's name needs letters, digits, - _ . (at most {MOST_NAME_CHARS}, no . in front), got {name!r}"


def _check_achieved(members: Sequence[Counter[str]], chosen: Sequence[bool], target: Target) -> None:
    sizes = [group.total() for group in members]
    held = sum(size for size, out in zip(sizes, chosen, strict=True) if out)
    if target.met(held):
        return
    n = target.n_questions
    if 0 < held < n:
        what = f"the holdout would get {held} of {n} questions ({held / n:.0%}) where {target.share:.0%} were asked for"
        hint = f"; at most {target.slack:.0f} questions off are accepted. Choose a share near {held / n:.2f}"
    else:
        what, hint = f"the {'holdout' if held == 0 else 'dev'} side would be empty", ". Choose another share"
    if len(members) < 2:
        hint = ". A split needs questions on at least two answer locations"
    message = (
        f"no split was written: {what}. Questions that share an answer location or an explicit group stay together, "
        f"and the largest of {len(members)} groups holds {max(sizes, default=0)} of {n} questions{hint}"
    )
    raise HoldoutError(message)


def _audit(types: Sequence[str], numbers: Sequence[int], held: Sequence[bool]) -> dict[str, object]:
    sizes = Counter(Counter(numbers).values())
    by_type, held_by_type = Counter(types), Counter(t for t, out in zip(types, held, strict=True) if out)
    in_holdout = {number for number, out in zip(numbers, held, strict=True) if out}
    n, n_groups, n_held = len(types), len(set(numbers)), sum(held)
    return {
        "n": n,
        "groups": n_groups,
        "questions_by_side": {"dev": n - n_held, "holdout": n_held},
        "groups_by_side": {"dev": n_groups - len(in_holdout), "holdout": len(in_holdout)},
        "component_sizes": {str(size): sizes[size] for size in sorted(sizes)},
        "share": n_held / n,
        "share_by_type": {t: held_by_type[t] / by_type[t] for t in sorted(by_type)},
    }


def _changed(benchmark: Benchmark, split: Split) -> str:
    """What of questions and labels is not as it was, in words; empty where nothing is."""
    now, then = set(benchmark.queries.ids), set(split.dev) | set(split.holdout)
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


def _writable(folder: Path) -> bool:
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
