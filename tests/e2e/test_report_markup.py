"""Text of the data in the report of a study that was run: it is shown as it is, and marks nothing up."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.e2e.marked import MARKUP, TAG, Dress, with_markup, without_markup, write_marked
from tests.e2e.program import rag_ablation
from tests.e2e.studies import write_study
from tests.paths import CASES
from tests.report.study.reading import Element, read

CASE = CASES / "24-html-report-shows-text-as-text"
# One arm finds the passages and the other finds none, so that the question is among those that moved.
FOUND_BY_ONE = (
    {"key": "A", "set": "variant=bm25 sparse.analyser=words"},
    {"key": "B", "set": "variant=bm25 sparse.analyser=jieba", "parents": ["A"]},
)
EVERYWHERE = ("conclusion", "ladder", "types", "lost", "recall", "sweep-1", "flips", "threats", "unjudged", "repeat")


def page_of(root: Path) -> Element:
    done = rag_ablation(root, "study", "run", "tiny")
    assert done.status == 0, done.said
    return read((root / "studies" / "tiny" / "report.html").read_text(encoding="utf-8"))


def elements(page: Element) -> Counter[tuple[str, ...]]:
    """How many elements there are of each tag with its attributes."""
    return Counter((found.tag, *sorted(found.attributes)) for found in page.all())


def dressed(value: Any, dress: Dress) -> Any:
    if isinstance(value, str):
        return dress(value)
    if isinstance(value, list):
        return [dressed(one, dress) for one in value]
    return {key: dressed(one, dress) for key, one in value.items()} if isinstance(value, dict) else value


def case_under(root: Path, dress: Dress) -> Path:
    data = root / "data"
    data.mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl"):
        lines = [json.loads(line) for line in (CASE / name).read_text(encoding="utf-8").splitlines()]
        text = "".join(json.dumps(dressed(line, dress), ensure_ascii=False) + "\n" for line in lines)
        (data / name).write_text(text, encoding="utf-8")
    (data / "qrels.tsv").write_bytes((CASE / "qrels.tsv").read_bytes())
    write_study(root, FOUND_BY_ONE, data=data)
    return root


def test_the_markup_of_a_passage_a_title_and_a_question_is_text(tmp_path: Path) -> None:
    expected = yaml.safe_load((CASE / "case.yaml").read_text(encoding="utf-8"))["expected"]
    page = page_of(case_under(tmp_path / "with", with_markup))
    twin = page_of(case_under(tmp_path / "without", without_markup))
    shown = page.one("body").text("en")
    assert [text for text in expected["visible_text_contains"] if text not in shown] == []
    assert '" onmouseover="alert(3)' in shown
    assert sum((elements(page) - elements(twin)).values()) == expected["elements_from_data"]
    assert len(page.all("tr")) == len(twin.all("tr"))
    assert not [name for found in page.all() for name in found.attributes if name.startswith("on")]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[Dress, Element]:
    """The page of a study in which everything that a person may choose is markup, and of its twin."""
    found: dict[Dress, Element] = {}
    for dress in (with_markup, without_markup):
        root = tmp_path_factory.mktemp(dress.__name__)
        write_marked(root, dress, timed=False)
        found[dress] = page_of(root)
    return found


def test_ids_titles_types_arms_and_names_make_no_element(pages: dict[Dress, Element]) -> None:
    page, twin = pages[with_markup], pages[without_markup]
    assert (elements(page) - elements(twin), elements(twin) - elements(page)) == (Counter(), Counter())
    assert len(page.all("tr")) == len(twin.all("tr")) > 20


def test_ids_titles_types_arms_and_names_are_read_as_they_are(pages: dict[Dress, Element]) -> None:
    page = pages[with_markup]
    for name in EVERYWHERE:
        section = next(found for found in page.all("section") if found.attributes["id"] == name)
        assert TAG in section.text("en"), name
        assert TAG in section.text("zh"), name
    shown = page.one("main").text("en")
    for text in (*(f"{TAG}{name}" for name in ("A", "B", "C", "q03", "p03", "type0", "set")), MARKUP):
        assert text in shown, text
    assert not re.search(r"&(?:lt|gt|quot|amp|#\d+);", shown.replace(MARKUP, ""))
