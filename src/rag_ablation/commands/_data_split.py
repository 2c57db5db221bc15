"""`rag-ablation data split`: divide the questions, or let a split grow."""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rag_ablation.core.errors import HoldoutError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.wording import counted
from rag_ablation.data.bundled import PREFIX
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.seen import SeenBefore
from rag_ablation.holdout.seen_split import as_it_stands, seen_by_part, with_seen
from rag_ablation.holdout.split import (
    COSINE,
    STRATA,
    Linkage,
    Meaning,
    Split,
    SplitSettings,
    extend_split,
    make_split,
    write_split,
)

DEFAULTS = SplitSettings()
NO_STRATA, DEV = "none", "dev"
MOST_NAMED = 10
PLAIN_WORD = re.compile(r"[A-Za-z0-9_./:-]+")


def add_split_options(split: argparse.ArgumentParser) -> None:
    """Declare the options of `data split`."""
    which = split.add_mutually_exclusive_group()
    which.add_argument("--name", default=DEFAULTS.name, help="name of the split (default: %(default)s)")
    which.add_argument(
        "--extend",
        metavar="NAME",
        help="let this split grow: every question keeps its side, new questions and groups are placed",
    )
    split.add_argument(
        "--holdout",
        type=float,
        metavar="SHARE",
        help=f"part of the questions kept for the end (default: {DEFAULTS.holdout_share})",
    )
    split.add_argument("--seed", type=int, help=f"same seed, same split (default: {DEFAULTS.seed})")
    split.add_argument(
        "--linkage",
        choices=[str(linkage) for linkage in Linkage],
        help=f"which answer locations join two questions (default: {DEFAULTS.linkage}); primary_gold is weaker",
    )
    split.add_argument(
        "--stratify",
        metavar="FIELDS",
        help=f"what both sides should hold in equal parts: some of {','.join(STRATA)}, or {NO_STRATA} "
        f"(default: {','.join(DEFAULTS.stratify)})",
    )
    split.add_argument(
        "--tolerance",
        type=float,
        metavar="PART",
        help=f"by which part of the questions the holdout may miss its share (default: {DEFAULTS.tolerance})",
    )
    split.add_argument(
        "--folds",
        type=int,
        help=f"divide the holdout into so many parts, each opened once (default: {DEFAULTS.folds})",
    )
    split.add_argument(
        "--embedding",
        metavar="MODEL",
        help="also join questions that this model puts close together: auto, minilm, e5_small, a folder, a hub name",
    )
    split.add_argument(
        "--cosine", type=float, help=f"with --embedding, from where on they are close (default: {COSINE})"
    )
    split.add_argument(
        "--few-groups",
        action="store_true",
        help="accept a side of 30 questions or more in fewer than 6 groups, on which nothing can be decided",
    )


def split_lines(benchmark: Benchmark, folder: Path, root: Path, args: argparse.Namespace) -> list[str]:
    """Make or extend a split, write it, and say where it is and what came of it.

    Raises:
        HoldoutError: it cannot be made, or another split has the name.
    """
    place = Place.of(benchmark, folder, root)
    name = args.extend or args.name
    if args.extend is None:
        split = make_split(benchmark, _settings(args))
    else:
        _refuse_settings(args)
        split = _extended(benchmark, place.split(name))
    _refuse_second(split, [place.split(other) for other in place.splits() if other != name], place)
    there = place.split_file(name)
    seen = seen_by_part(split, benchmark, place)
    split = as_it_stands(split, there) or with_seen(split, seen)
    path = there or place.written_to / f"{name}.json"
    before = b"" if there is None else path.read_bytes()
    write_split(split, path)
    done = "written" if there is None else "already there" if path.read_bytes() == before else "extended"
    lines = [f"{done}: {path}", *side_lines([split]), *audit_lines(split), *seen_lines(seen)]
    return [*lines, f"next: {_next(args, folder, name)}"]


def side_lines(splits: Sequence[Split]) -> list[str]:
    """Per split, nothing but how many questions and groups each side has."""
    lines = []
    for split in splits:
        said = [f"{part} {_size(names, split)}" for part, names in split.parts().items()]
        if split.unassigned:
            said.append(f"{counted(len(split.unassigned), 'question')} set aside")
        lines.append(f"split {split.name}: {'; '.join(said)}")
    return lines


def seen_lines(found: Mapping[str, SeenBefore]) -> Iterator[str]:
    """How many questions of each part have been looked at up to now, and what follows; nothing where none has."""
    if not any(part.seen for part in found.values()):
        return
    counts = "; ".join(f"{name} {len(part.seen)} of {counted(part.n, 'question')}" for name, part in found.items())
    yield f"seen before: {counts}"
    for name, part in found.items():
        if name != DEV and part.too_many:
            yield f"notice: {name}: {part}; it cannot be opened without --spend-again --reason"


def _refuse_second(split: Split, others: Sequence[Split], place: Place) -> None:
    """Two splits of one set look at each other's holdout, so that neither could be run.

    Raises:
        HoldoutError: another split holds out questions of this one's dev side, or the reverse.
    """
    for other in others:
        shared = len(set(split.dev) & set(other.holdout)) + len(set(other.dev) & set(split.holdout))
        if shared:
            file = place.split_file(other.name)
            message = (
                f"no split was written: {counted(shared, 'question')} would stand in dev of one and in the holdout of "
                f"the other of {split.name!r} and {other.name!r}, so that no run could use either. Keep {other.name!r} "
                f"(dataset.split={other.name}, or --extend {other.name}), or remove {file} first: what was looked at "
                "under it is then no longer unseen"
            )
            raise HoldoutError(message)


def _size(names: Sequence[str], split: Split) -> str:
    return f"{counted(len(names), 'question')} in {counted(len({split.groups[name] for name in names}), 'group')}"


def _settings(args: argparse.Namespace) -> SplitSettings:
    fields = DEFAULTS.stratify
    if args.stratify is not None:
        words = [word.strip() for word in args.stratify.split(",")]
        fields = () if words == [NO_STRATA] else tuple(words)
    return SplitSettings(
        name=args.name,
        holdout_share=DEFAULTS.holdout_share if args.holdout is None else args.holdout,
        seed=DEFAULTS.seed if args.seed is None else args.seed,
        linkage=DEFAULTS.linkage if args.linkage is None else Linkage(args.linkage),
        stratify=fields,
        tolerance=DEFAULTS.tolerance if args.tolerance is None else args.tolerance,
        folds=DEFAULTS.folds if args.folds is None else args.folds,
        meaning=_meaning(args),
        few_groups=args.few_groups,
    )


def _meaning(args: argparse.Namespace) -> Meaning | None:
    if args.embedding is None:
        if args.cosine is not None:
            message = "--cosine goes with --embedding MODEL, which is not given"
            raise HoldoutError(message)
        return None
    return Meaning(args.embedding, COSINE if args.cosine is None else args.cosine)


def _refuse_settings(args: argparse.Namespace) -> None:
    """A split that grows keeps the settings with which it was made.

    Raises:
        HoldoutError: others were given.
    """
    given = [
        name
        for name in ("holdout", "seed", "linkage", "stratify", "tolerance", "folds", "embedding", "cosine")
        if vars(args)[name] is not None
    ]
    given += ["few-groups"] if args.few_groups else []
    if given:
        message = (
            f"--extend keeps the settings of the split; found {', '.join(f'--{name}' for name in given)} beside it"
        )
        raise HoldoutError(message)


def _extended(benchmark: Benchmark, split: Split) -> Split:
    """The split as it is where nothing has changed, else grown."""
    return split if dict(split.fingerprints) == benchmark.content_fingerprints else extend_split(benchmark, split)


def audit_lines(split: Split) -> Iterator[str]:
    """What came of a split, one line each; no label of a holdout question."""
    found = split.audit
    n = len(split.dev) + len(split.holdout)
    yield f"holdout share: {len(split.holdout) / n:.1%} (asked for {split.holdout_share:.1%})"
    shares = found["share_by_type"]
    if isinstance(shares, Mapping):
        yield "holdout share by type: " + ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
    sizes = found["component_sizes"]
    if isinstance(sizes, Mapping):
        yield "groups by number of questions: " + ", ".join(f"{size} ({many}×)" for size, many in sizes.items())
    yield from _meaning_lines(split)
    yield f"largest group: {found['largest_group']} of {n} questions (linkage {split.made_by['linkage']})"
    yield f"joined by near-equal wording alone: {counted(_number(found, 'joined_by_text_alone'), 'question')}"
    parted = _number(found, "gold_locations_on_both_sides")
    if parted or split.made_by["linkage"] == Linkage.PRIMARY_GOLD:
        weaker = " (weaker linkage)" if split.made_by["linkage"] == Linkage.PRIMARY_GOLD else ""
        yield f"notice: {counted(parted, 'answer location')} with questions on both sides{weaker}"
    for key, said in (
        ("new_questions", "new questions"),
        ("removed_questions", "questions that are gone"),
        ("set_aside_from_dev", "dev questions set aside, since they belong together with the holdout"),
        (
            "groups_on_both_sides",
            "groups that now reach across the sides, by new labels, texts or questions; nothing was moved",
        ),
    ):
        if _number(found, key):
            yield f"{said}: {_number(found, key)}"
    if split.unassigned:
        more = ", …" if len(split.unassigned) > MOST_NAMED else ""
        yield f"set aside, since they would join both sides: {', '.join(split.unassigned[:MOST_NAMED])}{more}"
    yield from _nearest_lines(found)


def _meaning_lines(split: Split) -> Iterator[str]:
    given = split.made_by.get("meaning")
    if isinstance(given, Mapping):
        yield f"questions also joined by meaning: {given['model']}, cosine of {given['cosine']} or more"


def _nearest_lines(found: Mapping[str, object]) -> Iterator[str]:
    """Ids and likeness of the most alike questions across the sides; never a label."""
    pairs = found["nearest_across"]
    listed = [pair for pair in pairs if isinstance(pair, Mapping)] if isinstance(pairs, list) else []
    if not listed:
        yield f"nearest wordings across the sides: none of likeness {found['nearest_from']} or more"
        return
    yield "nearest wordings across the sides (dev ~ holdout, likeness from 0 to 1):"
    for pair in listed:
        yield f"  {pair['dev']} ~ {pair['holdout']}  {pair['likeness']:.2f}"


def _number(found: Mapping[str, object], key: str) -> int:
    value = found.get(key, 0)
    return value if isinstance(value, int) else 0


def _next(args: argparse.Namespace, folder: Path, name: str) -> str:
    """The command that uses the split."""
    words = ["rag-ablation run -m arms=ladder"]
    if args.dataset.startswith(PREFIX):
        words.append(f"dataset={args.dataset.removeprefix(PREFIX)}")
    else:
        path = str(folder)
        words.append("dataset=folder")
        words.append(f"dataset.path={path}" if PLAIN_WORD.fullmatch(path) else f"'dataset.path=\"{path}\"'")
    if args.qrels is not None:
        words.append(f"dataset.qrels={args.qrels}")
    if name != DEFAULTS.name:
        words.append(f"dataset.split={name}")
    return " ".join(words)
