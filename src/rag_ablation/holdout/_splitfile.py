import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import DataError, HoldoutError, Problem
from rag_ablation.core.evalset import FINGERPRINTS
from rag_ablation.data.jsonl import parse_json

FORMAT = 2
SIDES = ("dev", "holdout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Which questions are tuned on (dev) and which are kept for the end (holdout).

    Args:
        name: name of the split, and of its file.
        seed: seed of the allocation.
        holdout_share: wanted part of the questions.
        made_by: the other settings: `linkage`, `stratify`, `tolerance`, `folds`, and what counts as near.
        dev: ids, in code-point order.
        holdout: ids, in code-point order.
        fold_of: number of the holdout fold of each id, from 1; empty where the holdout is one.
        unassigned: ids that are on neither side, since they would join both.
        groups: number of the group of each id on a side; a group is on one side, and in one fold.
        fingerprints: digests of corpus, queries and labels when the split was made.
        audit: what came of it; see `docs/data-formats.md`.
        extends: digests of the forms that this split had before it was extended, the oldest first.
    """

    name: str
    seed: int
    holdout_share: float
    made_by: Mapping[str, object]
    dev: tuple[str, ...]
    holdout: tuple[str, ...]
    groups: Mapping[str, int]
    fingerprints: Mapping[str, str]
    audit: Mapping[str, object]
    fold_of: Mapping[str, int] = field(default_factory=dict)
    unassigned: tuple[str, ...] = ()
    extends: tuple[str, ...] = ()

    def ids(self, side: str) -> tuple[str, ...]:
        """The questions of one side, `dev` or `holdout`."""
        return self.holdout if side == "holdout" else self.dev

    def fold(self, number: int) -> tuple[str, ...]:
        """The questions of one holdout fold, from 1."""
        return tuple(name for name in self.holdout if self.fold_of.get(name, 1) == number)

    def held_out(self, fold: int | None) -> tuple[str, ...]:
        """The questions of a holdout fold, from 1; None for the whole holdout."""
        return self.holdout if fold is None else self.fold(fold)

    def parts(self) -> dict[str, tuple[str, ...]]:
        """The questions of what is looked at on its own: `dev`, `holdout`, or `holdout fold 1` …."""
        if self.folds == 1:
            return {"dev": self.dev, "holdout": self.holdout}
        return {"dev": self.dev, **{f"holdout fold {n}": self.fold(n) for n in range(1, self.folds + 1)}}

    @property
    def folds(self) -> int:
        """Number of holdout folds."""
        return max(self.fold_of.values(), default=1)

    def form(self) -> dict[str, object]:
        """As it stands in the file."""
        return {
            "format": FORMAT,
            "name": self.name,
            "seed": self.seed,
            "holdout_share": self.holdout_share,
            "made_by": dict(self.made_by),
            "fingerprints": dict(self.fingerprints),
            "extends": list(self.extends),
            "audit": dict(self.audit),
            **{side: {name: self.groups[name] for name in self.ids(side)} for side in SIDES},
            "fold_of": dict(self.fold_of),
            "unassigned": list(self.unassigned),
        }

    def digest(self) -> str:
        """Content digest."""
        return digest_json(self.form())


def write_split(split: Split, path: Path) -> None:
    """Write a split aside, then move it into place. Writing the same split again changes nothing.

    Args:
        split: what to write; it may extend the one that stands there.
        path: the file; its folder is made where it is missing.

    Raises:
        HoldoutError: another split stands there already, or the file cannot be written.
    """
    there = _digest(path) if path.exists() else None
    if there == split.digest():
        return
    if path.exists() and (there is None or there not in split.extends[-1:]):
        message = (
            f"{path} holds a different split, which stays as it is: use it, let it grow (rag-ablation data split DIR "
            f"--extend {split.name}), or remove the file first"
        )
        raise HoldoutError(message)
    aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with aside.open("w", encoding="utf-8", newline="\n") as handle:
            json.dump({**split.form(), "digest": split.digest()}, handle, ensure_ascii=False, indent=2, allow_nan=False)
            handle.write("\n")
            handle.flush()
            os.fsync(handle.fileno())
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        message = f"{path} cannot be written: {error.strerror}; choose a root that can (--root DIR)"
        raise HoldoutError(message) from error


def read_split(path: Path) -> Split:
    """Read a split file and check its form.

    Raises:
        DataError: it is no split file, with every problem found.
    """
    try:
        form: Any = parse_json(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise _error(path, [("file", str(error.strerror), "a file that can be read")]) from error
    except (ValueError, RecursionError) as error:
        raise _error(path, [("file", f"no valid JSON ({error})", "a file written by data split")]) from error
    wrong = _wrong(form, path) if isinstance(form, dict) else [("file", type(form).__name__, "an object")]
    if wrong:
        raise _error(path, wrong)
    split = Split(
        name=form["name"],
        seed=form["seed"],
        holdout_share=float(form["holdout_share"]),
        made_by=form["made_by"],
        dev=tuple(sorted(form["dev"])),
        holdout=tuple(sorted(form["holdout"])),
        groups=form["dev"] | form["holdout"],
        fingerprints=form["fingerprints"],
        audit=form["audit"],
        fold_of=form["fold_of"],
        unassigned=tuple(form["unassigned"]),
        extends=tuple(form["extends"]),
    )
    if form.get("digest") != split.digest():
        found = str(form.get("digest"))[:12]
        expected = f"{split.digest()[:12]}…, the digest of the content: the file was edited after it was written"
        raise _error(path, [("digest", found, expected)])
    return split


def _wrong(form: dict[str, object], path: Path) -> list[tuple[str, str, str]]:
    """Field, found, expected of everything wrong."""
    checks = {
        "format": (form.get("format") == FORMAT, f"{FORMAT}, the form that this version reads"),
        "name": (form.get("name") == path.stem, f"{path.stem!r}, the name of the file"),
        "seed": (_whole(form.get("seed")), "a whole number"),
        "holdout_share": (_part(form.get("holdout_share")), "a number between 0 and 1"),
        "fingerprints": (_digests(form.get("fingerprints")), f"digests of {', '.join(FINGERPRINTS)}"),
        "audit": (isinstance(form.get("audit"), dict), "an object"),
        "made_by": (isinstance(form.get("made_by"), dict), "an object"),
        "fold_of": (
            _folds(form.get("fold_of"), form.get("holdout")),
            "the number of a fold, from 1, of each holdout id",
        ),
        **{name: (_texts(form.get(name)), "a list of strings") for name in ("unassigned", "extends")},
        **{side: (_numbered(form.get(side)), "question ids with the numbers of their groups") for side in SIDES},
    }
    wrong = [(field, repr(form.get(field))[:80], expected) for field, (good, expected) in checks.items() if not good]
    dev, holdout = form.get("dev"), form.get("holdout")
    if isinstance(dev, dict) and isinstance(holdout, dict) and not wrong:
        both = sorted(dev.keys() & holdout.keys())
        if both:
            wrong.append(("holdout", f"{both[0]!r} on both sides", "each question on one side"))
        parted = sorted(set(dev.values()) & set(holdout.values()))
        else_where = sorted({str(name) for name in _list(form["unassigned"]) if name in dev or name in holdout})
        if else_where:
            wrong.append(("unassigned", f"{else_where[0]!r}, which is on a side", "questions of neither side"))
        if parted:
            wrong.append(("holdout", f"group {parted[0]} on both sides", "each group on one side"))
    return wrong


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _part(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1


def _digests(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(part), str) for part in FINGERPRINTS)


def _numbered(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(_whole(number) for number in value.values())


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _folds(value: object, holdout: object) -> bool:
    """Empty, or a fold for each holdout question, and no group in two folds."""
    if not isinstance(value, dict) or not isinstance(holdout, dict) or not value:
        return value == {}
    whole = all(_whole(number) and number > 0 for number in value.values())
    if not whole or value.keys() != holdout.keys() or len(set(value.values())) != max(value.values()):
        return False
    return len({(holdout[name], fold) for name, fold in value.items()}) == len(set(map(str, holdout.values())))


def _digest(path: Path) -> str | None:
    try:
        return read_split(path).digest()
    except DataError:
        return None


def _error(path: Path, wrong: list[tuple[str, str, str]]) -> DataError:
    problems = [Problem(file=path.name, field=field, found=found, expected=what) for field, found, what in wrong]
    return DataError(f"{path} is no usable split file", problems)
