"""What real files hold that is no error and that somebody should know: one notice for each kind, with a count.

Places are lines; what a label says is never repeated.
"""

from array import array
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from rag_ablation.data._checks import QUERIES, Files
from rag_ablation.data._folder import CORPUS
from rag_ablation.data.native import PassageLine

MOST_PLACES = 5
TEXT_DIGEST_BYTES = 8


class Places:
    """Lines where something was found: how many, and the first of them."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[int] = []

    def add(self, line: int) -> None:
        """One more."""
        self.count += 1
        if len(self.first) < MOST_PLACES:
            self.first.append(line)

    def said(self, file: str, one: str, many: str) -> list[str]:
        """The notice; nothing where there is nothing to say."""
        if not self.count:
            return []
        lines = ", ".join(map(str, self.first)) + (", …" if self.count > len(self.first) else "")
        word = "line" if self.count == 1 else "lines"
        return [f"{file}: {self.count} {one if self.count == 1 else many} ({word} {lines})"]


class PassageTally:
    """What is counted while passages go by; of a text only eight bytes of its digest are kept.

    That two different texts of a million passages share these has a chance of 3 in 100 million.
    """

    def __init__(self) -> None:
        self.blank_ends = Places()
        self._texts = array("Q")

    def add(self, row: PassageLine) -> None:
        """The next passage."""
        if row.passage.id != row.passage.id.strip():
            self.blank_ends.add(row.line)
        if row.passage.text.strip():
            digest = blake2b(row.passage.text.encode(), digest_size=TEXT_DIGEST_BYTES).digest()
            self._texts.append(int.from_bytes(digest, "little"))

    def notices(self) -> list[str]:
        """Ids with blanks at their ends, and texts that occur more than once."""
        said = self.blank_ends.said(CORPUS, "id with blanks at its ends", "ids with blanks at their ends")
        _, counts = np.unique(np.frombuffer(self._texts, dtype=np.uint64), return_counts=True)
        return said + _repeated(CORPUS, "passages", "id", counts[counts > 1].tolist())


def question_notices(files: Files) -> list[str]:
    """Blanks in questions, questions asked twice, and ids that stand for a question and a passage."""
    ids, texts, both = Places(), Places(), Places()
    asked: Counter[tuple[object, ...]] = Counter()
    for row in sorted(files.queries.rows, key=lambda row: row.line):
        query = row.query
        if query.id != query.id.strip():
            ids.add(row.line)
        if query.text != query.text.strip():
            texts.add(row.line)
        if query.id in files.corpus.line_of:
            both.add(row.line)
        if query.text.strip():
            asked[query.text.strip(), query.identity, query.as_of] += 1
    return [
        *ids.said(QUERIES, "id with blanks at its ends", "ids with blanks at their ends"),
        *texts.said(QUERIES, "question text with blanks at its ends", "question texts with blanks at their ends"),
        *both.said(QUERIES, "id that is also the id of a passage", "ids that are also ids of passages"),
        *_repeated(QUERIES, "questions (same identity and date)", "id", [n for n in asked.values() if n > 1]),
    ]


def _repeated(file: str, what: str, key: str, counts: Iterable[int]) -> list[str]:
    sizes = list(counts)
    if not sizes:
        return []
    texts = f"{len(sizes)} text{'s' if len(sizes) != 1 else ''}"
    return [f"{file}: {texts} under more than one {key} ({sum(sizes)} {what})"]
