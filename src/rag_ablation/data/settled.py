"""The file of what people made of answers, `reviews.jsonl` under the root: a line for each verdict, only added to.

Of several lines on one answer the last counts. Each addition writes the whole file aside and moves it into place, in
turn with other processes, so that none is lost and a process that is killed leaves the file as it was.
"""

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from rag_ablation.core.answers import Word
from rag_ablation.core.errors import DataError, SystemRefusalError
from rag_ablation.core.locks import in_turn
from rag_ablation.core.replacing import replacing
from rag_ablation.core.reviews import SETTLED, Key, Review, Reviews

REVIEWS = "reviews.jsonl"
FIELDS = ("question", "answer", "reference", "verdict", "note", "time", "by")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Added(NamedTuple):
    """What became of verdicts that were handed over.

    Args:
        new: of answers that nobody had looked at.
        changed: that say another word than the one before.
        repeated: that say the same word, with another note or of another person.
        known: that are there already, and were not written again.
    """

    new: int
    changed: int
    repeated: int
    known: int


def read_reviews(path: Path, before: str | None = None) -> Reviews:
    """The reviews in effect.

    Args:
        path: the file; none is an empty one.
        before: a moment; what was taken over from then on is left out. None for all.

    Raises:
        DataError: a line is not as it was written.
        SystemRefusalError: it cannot be read.
    """
    lines = _lines(path, _content(path))
    if before is not None:
        moment = datetime.fromisoformat(before)
        lines = [review for review in lines if datetime.fromisoformat(review.time) < moment]
    return Reviews.of(lines)


def add_reviews(path: Path, given: Sequence[Review]) -> Added:
    """Add verdicts, after those of any other process that is adding some; each gets the time of now.

    Args:
        path: the file.
        given: in order; what is there already is not added again.

    Raises:
        DataError: a line of the file is not as it was written; nothing is added.
        SystemRefusalError: it cannot be written; it is as it was.
    """
    try:
        with in_turn(path.with_name(f".{path.name}.lock")):
            content = _content(path)
            there = dict(Reviews.of(_lines(path, content)).latest)
            counts = dict.fromkeys(Added._fields, 0)
            added = []
            for review in given:
                kind = _kind(there.get(review.key), review)
                counts[kind] += 1
                if kind != "known":
                    there[review.key] = review
                    added.append(_line(review))
            if added:
                _write(path, content + b"".join(added))
    except OSError as error:
        raise SystemRefusalError.of(error) from error
    return Added(**counts)


def _kind(earlier: Review | None, review: Review) -> str:
    if earlier is None:
        return "new"
    if earlier.says_the_same(review):
        return "known"
    return "changed" if earlier.word is not review.word else "repeated"


def _line(review: Review) -> bytes:
    values = {**review.key._asdict(), "verdict": str(review.word), "note": review.note}
    values |= {"time": datetime.now(UTC).isoformat(timespec="microseconds"), "by": review.by}
    return (json.dumps(values, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def _content(path: Path) -> bytes:
    """What the file holds, ending where a line begins."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise SystemRefusalError.of(error) from error
    return content if content.endswith(b"\n") or not content else content + b"\n"


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as aside:
        with aside.open("wb") as handle:
            handle.write(content)
            handle.flush()
            os.fsync(handle.fileno())
        if path.exists():
            shutil.copymode(path, aside)


def _lines(path: Path, content: bytes) -> list[Review]:
    return [_review(path, line, text) for line, text in enumerate(content.split(b"\n"), start=1) if text.strip()]


def _review(path: Path, line: int, text: bytes) -> Review:
    """A line of the file.

    Raises:
        DataError: it is not as it was written.
    """

    def wrong(field: str, found: object, expected: str) -> DataError:
        return DataError.of(field, repr(found), expected, file=str(path), line=line)

    try:
        values = json.loads(text.decode("utf-8", "surrogatepass"))
    except ValueError as error:
        message = "a line of JSON as review import wrote it: bring the file back, or take the line out"
        raise wrong("line", str(error), message) from error
    if not isinstance(values, Mapping) or set(values) != set(FIELDS):
        raise wrong("line", values, f"an object with {', '.join(FIELDS)}")
    for name in Key._fields:
        if not (isinstance(values[name], str) and _DIGEST.fullmatch(values[name])):
            raise wrong(name, values[name], "a digest of 64 hex characters")
    if values["verdict"] not in SETTLED:
        raise wrong("verdict", values["verdict"], " or ".join(SETTLED))
    if not isinstance(values["note"], str) or not isinstance(values["by"], str | None):
        raise wrong("note, by", (values["note"], values["by"]), "texts")
    return Review(
        key=Key(*(values[name] for name in Key._fields)),
        word=Word(values["verdict"]),
        note=values["note"],
        time=_moment(values["time"], wrong("time", values["time"], "a moment with its offset from UTC")),
        by=values["by"],
    )


def _moment(value: object, otherwise: DataError) -> str:
    try:
        if isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None:
            return value
    except ValueError:
        pass
    raise otherwise
