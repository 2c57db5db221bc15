"""What a handbook promises of itself, checked from its files alone: no tool of ours reads them here.

`python -m tests.handbooks FOLDER` prints every broken promise and every count.
"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.handbooks.words import content_words

SENTENCE_END = re.compile(r"[。；？！\n]|(?<=[a-z\)])[.;?!](?=\s|$)")
SHORTEST_SENTENCE = 12
GRADES = {0, 1, 2}
AT_LEAST = {
    "zh": {
        "documents": 30,
        "passages": 320,
        "document families with a 2025 and a 2026 version": 6,
        "passages with a table": 15,
        "passages limited to roles": 40,
        "questions": 280,
        "single_hop": 55,
        "paraphrase": 40,
        "exact_code": 25,
        "multi_hop": 30,
        "table": 20,
        "conflict": 18,
        "permission": 16,
        "vague": 10,
        "status no_answer": 26,
        "further wordings": 30,
        "unreviewed": 10,
    },
    "en": {
        "documents": 8,
        "passages": 80,
        "document families with a 2025 and a 2026 version": 2,
        "passages with a table": 4,
        "passages limited to roles": 8,
        "questions": 60,
        "single_hop": 10,
        "paraphrase": 8,
        "exact_code": 5,
        "multi_hop": 6,
        "table": 4,
        "conflict": 4,
        "permission": 4,
        "vague": 3,
        "status no_answer": 6,
        "further wordings": 6,
        "unreviewed": 2,
    },
}


@dataclass(frozen=True)
class Handbook:
    """The files of a handbook, as they are."""

    about: Mapping[str, Any]
    corpus: Mapping[str, Mapping[str, Any]]
    queries: Mapping[str, Mapping[str, Any]]
    grades: Mapping[str, Mapping[str, int]]

    @property
    def language(self) -> str:
        """`zh` or `en`."""
        return str(self.about["language"])

    def gold(self, query: str, grade: int = 1) -> list[str]:
        """Ids of the passages of at least this grade."""
        return [passage for passage, value in self.grades.get(query, {}).items() if value >= grade]


def read(folder: Path) -> Handbook:
    """Read the four files."""
    corpus, queries = (
        [json.loads(line) for line in _lines(folder / f"{name}.jsonl")] for name in ("corpus", "queries")
    )
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for line in _lines(folder / "qrels.tsv")[1:]:
        query, passage, grade = line.split("\t")
        if passage in grades[query]:
            raise ValueError(f"{query} {passage}: judged twice")
        grades[query][passage] = int(grade)
    for rows in (corpus, queries):
        if len({row["_id"] for row in rows}) != len(rows):
            raise ValueError(f"an id twice in {folder}")
    about = yaml.safe_load((folder / "dataset.yaml").read_text(encoding="utf-8"))
    return Handbook(about, {row["_id"]: row for row in corpus}, {row["_id"]: row for row in queries}, grades)


def counts(book: Handbook) -> dict[str, int]:
    """What the plan counts."""
    metadata = [passage["metadata"] for passage in book.corpus.values()]
    types = Counter(query["metadata"]["type"] for query in book.queries.values())
    statuses = Counter(query["metadata"]["status"] for query in book.queries.values())
    return {
        "documents": len({m["doc_id"] for m in metadata}),
        "passages": len(book.corpus),
        "document families with a 2025 and a 2026 version": len(_in_both_years(book)),
        "passages with a table": sum("|---" in passage["text"] for passage in book.corpus.values()),
        "passages limited to roles": sum("acl" in m for m in metadata),
        "questions": len(book.queries),
        **types,
        "status no_answer": statuses["no_answer"],
        "further wordings": sum("wording_of" in query["metadata"] for query in book.queries.values()),
        "unreviewed": statuses["unreviewed"],
    }


def broken_promises(book: Handbook) -> Iterator[str]:
    """One sentence for each promise that does not hold."""
    found = counts(book)
    for name, least in AT_LEAST[book.language].items():
        if found.get(name, 0) < least:
            yield f"{name}: {found.get(name, 0)}, promised at least {least}"
    yield from _corpus_promises(book)
    yield from _uniqueness(book)
    for query in book.queries:
        for said in _question_promises(book, query):
            yield f"{query} ({book.queries[query]['metadata']['type']}): {said}"
    yield from _permission_pairs(book)


def _corpus_promises(book: Handbook) -> Iterator[str]:
    roles = {role for held in book.about["identities"].values() for role in held}
    by_document: defaultdict[str, set[str | None]] = defaultdict(set)
    for name, passage in book.corpus.items():
        m = passage["metadata"]
        if name != f"{m['doc_id']}-{m['location']}":
            yield f"{name}: its id is not doc_id-location"
        if not set(m.get("acl", [])) <= roles:
            yield f"{name}: limited to {m['acl']}, a role that nobody holds"
        by_document[m["doc_id"]].add(m.get("version"))
        if (m.get("effective_to") or "9") < (m.get("effective_from") or "0"):
            yield f"{name}: ends before it begins"
    for document, versions in by_document.items():
        if len(versions) != 1:
            yield f"{document}: several versions {versions}"
    for family, documents in _in_both_years(book).items():
        texts = [{p["text"] for p in book.corpus.values() if p["metadata"]["doc_id"] == name} for name in documents]
        if texts[0] & texts[1]:
            yield f"{family}: the two versions share a clause word for word"


def _in_both_years(book: Handbook) -> dict[str, tuple[str, str]]:
    documents = {p["metadata"]["doc_id"] for p in book.corpus.values()}
    return {
        name[: -len("-2025")]: (name, f"{name[: -len('-2025')]}-2026")
        for name in sorted(documents)
        if name.endswith("-2025") and f"{name[: -len('-2025')]}-2026" in documents
    }


def _uniqueness(book: Handbook) -> Iterator[str]:
    seen: dict[str, str] = {}
    for name, row in [*book.corpus.items(), *book.queries.items()]:
        text = re.sub(r"^\d+\.\d+ |^\|.*\n(?=\|---)", "", row["text"], flags=re.MULTILINE)
        for sentence in SENTENCE_END.split(text):
            plain = _folded(sentence)
            if len(plain) < SHORTEST_SENTENCE or "---" in plain:
                continue
            if seen.setdefault(plain, name) != name:
                yield f"{name}: a sentence of {seen[plain]} again: {sentence.strip()!r}"


def _question_promises(book: Handbook, query: str) -> Iterator[str]:
    row = book.queries[query]
    m, gold = row["metadata"], book.gold(query)
    judged = book.grades.get(query, {})
    unknown = [name for name in judged if name not in book.corpus]
    if unknown:
        yield f"judges {unknown}, not in the corpus"
        return
    if not set(judged.values()) <= GRADES:
        yield f"grades {sorted(set(judged.values()))}"
    if m["status"] == "reviewed":
        yield from _reviewed(book, query)
    elif gold:
        yield f"status {m['status']} with gold {gold}"
    if m["status"] == "no_answer":
        yield from _absent(book, query)
    if m["status"] == "unreviewed" and judged:
        yield "unreviewed, and judged"
    original = m.get("wording_of")
    if original is not None:
        yield from _wording(book, query, original)
    if m["type"] == "no_answer" and m["status"] != "no_answer":
        yield f"status {m['status']}"


def _reviewed(book: Handbook, query: str) -> Iterator[str]:
    m, gold = book.queries[query]["metadata"], book.gold(query)
    text = _folded("\n".join(book.corpus[name]["text"] for name in book.gold(query)))
    if not book.gold(query, 2):
        yield "no passage of grade 2"
    for key in ("answer", "answers"):
        if not m.get(key):
            yield f"no {key}"
    answers, points = m.get("answers", []), m.get("keypoints", [])
    if not m.get("computed"):
        if not points and not any(_folded(answer) in text for answer in answers):
            yield f"none of the answers {answers} stands in its gold"
        for point in points:
            if _folded(point) not in text:
                yield f"key point {point!r} does not stand in its gold"
    for name in gold:
        yield from _sees(book, query, name)
    groups = m.get("evidence_groups")
    if m["type"] == "multi_hop" and "wording_of" not in m and (groups is None or len(groups) < 2):
        yield "multi_hop without two evidence groups"
    for name in {name for group in groups or [] for name in group}:
        if name not in gold:
            yield f"evidence {name} has no grade above 0"
    for group in groups or []:
        if not any(book.grades[query].get(name) == 2 for name in group):
            yield f"no member of the needed evidence {group} has grade 2"
    if m["type"] == "table" and not any("|---" in book.corpus[name]["text"] for name in book.gold(query, 2)):
        yield "no gold passage holds a table"
    if m["type"] == "paraphrase":
        for name in book.gold(query, 2):
            own = content_words(book.queries[query]["text"], book.language)
            shared = own & content_words(book.corpus[name]["text"], book.language)
            if shared:
                yield f"shares {sorted(shared)} with {name}"
    if m["type"] == "conflict" and not _two_versions(book, query):
        yield "no second version of its evidence is judged"


def _two_versions(book: Handbook, query: str) -> bool:
    """Whether a passage outside the gold, or beside it, says otherwise: the other version, or a circular."""
    judged = {name: book.corpus[name]["metadata"] for name in book.grades[query]}
    return len({m["doc_id"] for m in judged.values()}) > 1


def _sees(book: Handbook, query: str, name: str) -> Iterator[str]:
    m, passage = book.queries[query]["metadata"], book.corpus[name]["metadata"]
    if m.get("identity") is not None and "acl" in passage:
        held = set(book.about["identities"][m["identity"]])
        if not held & set(passage["acl"]):
            yield f"{m['identity']} may not see {name}"
    if "acl" in passage and m.get("identity") is None:
        yield f"nobody is named who may see {name}, limited to {passage['acl']}"
    day = m.get("as_of")
    if day is not None and not (passage.get("effective_from") or "0") <= day <= (passage.get("effective_to") or "9"):
        yield f"{name} is not in force on {day}"


def _absent(book: Handbook, query: str) -> Iterator[str]:
    """A question without an answer: words that stand nowhere, or a passage that its asker may not see."""
    m = book.queries[query]["metadata"]
    about, keywords = m.get("asked_about"), m.get("absent_keywords", [])
    if about is not None and about not in book.corpus:
        yield f"asked about {about}, not in the corpus"
        return
    if m["type"] == "permission":
        held = set(book.about["identities"].get(m.get("identity"), []))
        if about is None or held & set(book.corpus[about]["metadata"].get("acl", held)):
            yield f"{m.get('identity')} may see {about}, which it was asked about"
        return
    if not keywords:
        yield "no absent_keywords, the words whose absence shows that nothing answers"
    for keyword in keywords:
        holders = [name for name, p in book.corpus.items() if _folded(keyword) in _folded(p["title"] + p["text"])]
        if holders:
            yield f"keyword {keyword!r} stands in {holders[:3]}"


def _wording(book: Handbook, query: str, original: str) -> Iterator[str]:
    first = book.queries.get(original)
    if first is None:
        yield f"a wording of {original}, which does not exist"
        return
    m, own = first["metadata"], book.queries[query]["metadata"]
    for key in ("type", "status", "identity", "as_of"):
        if m.get(key) != own.get(key):
            yield f"{key} is not that of {original}"
    if book.grades.get(query, {}) != book.grades.get(original, {}):
        yield f"labels are not those of {original}"
    if m["status"] == "no_answer" and not (own.get("group") and own.get("group") == m.get("group")):
        yield f"no common explicit group with {original}"


def _permission_pairs(book: Handbook) -> Iterator[str]:
    asked = {q: r["metadata"] for q, r in book.queries.items() if r["metadata"]["type"] == "permission"}
    may = {q: set(book.gold(q)) for q, m in asked.items() if m["status"] == "reviewed"}
    may_not = {q: m.get("asked_about") for q, m in asked.items() if m["status"] == "no_answer"}
    for query, m in asked.items():
        if m.get("identity") is None:
            yield f"{query} (permission): names no identity"
    for query, gold in may.items():
        if not any(about in gold for about in may_not.values()):
            yield f"{query} (permission): no counterpart is refused what it may see"
        if not any("acl" in book.corpus[name]["metadata"] for name in gold):
            yield f"{query} (permission): its evidence is limited to nobody"
    for query, about in may_not.items():
        if not any(about in gold for gold in may.values()):
            yield f"{query} (permission): no counterpart may see {about}"


def _folded(text: str) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text).casefold())


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").split("\n") if line]
