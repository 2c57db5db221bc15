"""The bundled collections keep what they promise, and the checks can fail."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest

from rag_ablation.data.load import load
from rag_ablation.holdout.split import dev_side, read_split, split_notices
from tests.handbooks.promises import Handbook, broken_promises, read
from tests.handbooks.words import content_words
from tests.paths import ROOT

FOLDERS = {name: ROOT / "data" / name for name in ("handbook_zh", "handbook_en")}


@pytest.fixture(scope="module", params=sorted(FOLDERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def book(name: str) -> Handbook:
    return read(FOLDERS[name])


def test_every_promise_holds(book: Handbook) -> None:
    assert list(broken_promises(book)) == []


def test_the_shipped_split_fits_and_holds_out_at_least_30_percent_of_the_groups(name: str) -> None:
    benchmark = load(FOLDERS[name])
    split = read_split(FOLDERS[name] / "splits" / "default.json")
    assert dev_side(benchmark, split).query_rows
    assert split_notices(benchmark, split) == ()
    groups = {part: len({split.groups[query] for query in split.ids(part)}) for part in ("dev", "holdout")}
    assert groups["holdout"] >= 0.3 * sum(groups.values())
    assert benchmark.notices == ()


def spoiled(book: Handbook, part: str, row: str, change: Callable[[dict[str, Any]], None]) -> Handbook:
    rows = deepcopy(dict(getattr(book, part)))
    change(rows[row])
    return replace(book, **{part: rows})


def first(book: Handbook, kind: str, status: str = "reviewed") -> str:
    return next(
        query
        for query, row in book.queries.items()
        if row["metadata"]["type"] == kind and row["metadata"]["status"] == status
    )


def test_a_paraphrase_that_borrows_a_word_is_found(book: Handbook) -> None:
    query = first(book, "paraphrase")
    clause = book.corpus[book.gold(query, 2)[0]]["text"]
    word = max(content_words(clause, book.language), key=len) if book.language == "zh" else clause.split()[1]
    bad = spoiled(book, "queries", query, lambda row: row.update(text=f"{row['text']} {word} {clause[:40]}"))
    assert any(said.startswith(f"{query} (paraphrase): shares") for said in broken_promises(bad))


def test_an_answer_that_stands_nowhere_is_found(book: Handbook) -> None:
    query = first(book, "single_hop")
    bad = spoiled(book, "queries", query, lambda row: row["metadata"].update(answers=["no such words"], keypoints=[]))
    assert any(said.startswith(f"{query} (single_hop): none of the answers") for said in broken_promises(bad))


def test_a_question_without_an_answer_that_has_one_is_found(book: Handbook) -> None:
    query = first(book, "no_answer", "no_answer")
    word = book.queries[query]["metadata"]["absent_keywords"][0]
    passage = next(iter(book.corpus))
    bad = spoiled(book, "corpus", passage, lambda row: row.update(text=f"{row['text']} {word}"))
    assert any(said.startswith(f"{query} (no_answer): keyword {word!r}") for said in broken_promises(bad))


def test_gold_that_its_asker_may_not_see_is_found(book: Handbook) -> None:
    query = first(book, "permission")
    bad = spoiled(book, "queries", query, lambda row: row["metadata"].update(identity="employee"))
    assert any(said.startswith(f"{query} (permission): employee may not see") for said in broken_promises(bad))


def test_a_sentence_twice_is_found(book: Handbook) -> None:
    one, other = list(book.corpus)[:2]
    text = book.corpus[one]["text"]
    bad = spoiled(book, "corpus", other, lambda row: row.update(text=text))
    assert any(said.startswith(f"{other}: a sentence of {one} again") for said in broken_promises(bad))
