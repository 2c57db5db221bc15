"""Ledgers of a few entries, and processes of their own that add to one."""

import os
import subprocess
import sys
from pathlib import Path

from rag_ablation.holdout.entry import Entry, Kind, Question, question_of
from rag_ablation.holdout.ledger import append, read_ledger
from tests.paths import ROOT

QUERIES = "0123456789abcdef" * 4


def questions(*texts: str) -> list[Question]:
    return [question_of(f"q{number}", text, number) for number, text in enumerate(texts)]


def add(path: Path, word: str, *, start_from: Path | None = None, queries: str = QUERIES) -> Entry:
    """An entry that notes one word."""
    details = {"dataset": "tiny", "queries": queries, "word": word}
    entry = append(path, lambda _: (Kind.IN_USE, questions(word), details), start_from=start_from)[1]
    assert entry is not None
    return entry


def filled(path: Path, *words: str) -> Path:
    for word in words:
        add(path, word)
    return path


def words(path: Path) -> list[str]:
    """What the entries note, in order; an entry that joins is a `+`."""
    return [str(entry.details.get("word", "+")) for entry in read_ledger(path).entries]


def process(code: str, *arguments: str) -> "subprocess.Popen[str]":
    """Python that runs beside the test, with this package."""
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
