"""One character of any id, text, grade, label or setting is a change of the dataset of a plan; the spelling is none."""

import json
import random
from collections.abc import Callable

import pytest

from rag_ablation.commands._plan_check import changed_since
from rag_ablation.commands._plan_source import source_of_plan
from rag_ablation.core.errors import RagAblationError
from tests.e2e.holdouts import Bench, secret

FILES = ("corpus.jsonl", "queries.jsonl", "qrels.tsv")


def found(bench: Bench) -> list[str]:
    return changed_since(bench.plan, source_of_plan(bench.plan, bench.root))


def test_what_was_frozen_holds(frozen: Bench) -> None:
    assert found(frozen) == []


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(
    "spelt",
    [
        pytest.param(lambda text: "\ufeff" + text, id="bom"),
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="crlf"),
        pytest.param(lambda text: text.replace("\n", "\n\n"), id="blank lines"),
        pytest.param(lambda text: text.rstrip("\n"), id="no last line end"),
    ],
)
def test_the_spelling_of_a_file_is_no_change(frozen: Bench, file: str, spelt: Callable[[str], str]) -> None:
    path = frozen.data / file
    path.write_text(spelt(path.read_text(encoding="utf-8")), encoding="utf-8", newline="")
    assert found(frozen) == []


@pytest.mark.parametrize("seed", range(4))
def test_the_order_of_lines_is_no_change(frozen: Bench, seed: int) -> None:
    for file in FILES:
        path = frozen.data / file
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        head = 1 if file == "qrels.tsv" else 0
        rest = lines[head:]
        random.Random(seed).shuffle(rest)
        path.write_text("".join(lines[:head] + rest), encoding="utf-8")
    assert found(frozen) == []


@pytest.mark.parametrize("side", ["dev", "holdout"])
@pytest.mark.parametrize("kind", ["answer", "keypoint", "text"])
def test_any_character_of_a_label_or_text_is(frozen: Bench, kind: str, side: str) -> None:
    path, drawn = frozen.data / "queries.jsonl", random.Random(5)
    text = path.read_text(encoding="utf-8")
    for name in drawn.sample(frozen.split.ids(side), 3):
        word = secret(kind, name)
        at = text.index(word) + drawn.randrange(len(word))
        path.write_text(text[:at] + "_" + text[at + 1 :], encoding="utf-8")
        (said, *_) = [line for line in found(frozen) if "arm " not in line]
        assert said.startswith("queries: " if kind == "text" else "labels: ")


def test_any_character_of_the_corpus_is(frozen: Bench) -> None:
    path, drawn = frozen.data / "corpus.jsonl", random.Random(6)
    lines = path.read_text(encoding="utf-8").splitlines()
    for number in drawn.sample(range(len(lines)), 4):
        for field in ("text", "doc_id", "location", "title"):
            form = json.loads(lines[number])
            holder = form if field in form else form["metadata"]
            holder[field] += "x"
            edited = [*lines[:number], json.dumps(form), *lines[number + 1 :]]
            path.write_text("\n".join(edited) + "\n", encoding="utf-8")
            assert any(said.startswith("corpus: ") for said in found(frozen)), (field, number)


def test_any_id_is(frozen: Bench) -> None:
    """An id by itself leaves the files at odds; with its judgements it is another question."""
    name = frozen.split.holdout[0]
    queries, qrels = frozen.data / "queries.jsonl", frozen.data / "qrels.tsv"
    queries.write_text(queries.read_text().replace(f'"_id": "{name}"', f'"_id": "{name}x"'))
    with pytest.raises(RagAblationError, match=f"no row of '{name}x' in qrels.tsv"):
        found(frozen)
    qrels.write_text(qrels.read_text().replace(f"\n{name}\t", f"\n{name}x\t"))
    assert [said.partition(":")[0] for said in found(frozen)] == ["queries", "labels"]


@pytest.mark.parametrize("side", ["dev", "holdout"])
def test_any_grade_and_any_row_is(frozen: Bench, side: str) -> None:
    path, drawn = frozen.data / "qrels.tsv", random.Random(8)
    text = path.read_text()
    for name in drawn.sample(frozen.split.ids(side), 3):
        row = next(line for line in text.splitlines() if line.startswith(f"{name}\t") and line.endswith("\t2"))
        for new in (row[:-1] + "1", row + f"\n{name}\tp39\t0"):
            path.write_text(text.replace(row, new))
            assert [said.partition(":")[0] for said in found(frozen)] == ["labels"]


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("language: en", "language: zh", "about"),
        ("language: en", "language: en\nunit: document\nlabel_unit: passage", "about"),
        ("language: en", "language: en\nidentities:\n  boss: [hr]", "about"),
    ],
)
def test_any_setting_of_the_dataset_is(frozen: Bench, old: str, new: str, part: str) -> None:
    path = frozen.data / "dataset.yaml"
    path.write_text(path.read_text().replace(old, new))
    assert [said.partition(":")[0] for said in found(frozen)] == [part]


def test_labels_may_differ_where_they_are_amended_and_nothing_else(frozen: Bench) -> None:
    path = frozen.data / "queries.jsonl"
    path.write_text(path.read_text().replace(secret("answer", frozen.split.holdout[0]), "other"))
    source = source_of_plan(frozen.plan, frozen.root)
    assert [said.partition(":")[0] for said in changed_since(frozen.plan, source)] == ["labels"]
    assert changed_since(frozen.plan, source, labels=False) == []
