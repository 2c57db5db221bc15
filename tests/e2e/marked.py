"""A small study whose data are full of markup, and its twin without: the same letters, no character that marks up."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.e2e.studies import write_study

N = 24
# Questions that name no topic, so that their gold is ranked by its place alone.
LOST = (19, 21)
# Without blanks, since it also stands in ids, where ranking files allow none.
TAG = '<img/src=x/onerror="window.ran=1">'
NAME = "<i>name</i>"
MARKUP = f'</td></tr></svg></script><script>window.ran=1</script>{TAG}" onmouseover="window.ran=1\' &lt; {{{{7*7}}}}'
HARMLESS = str.maketrans("<>\"'&{}", "[]..+()")

Dress = Callable[[str], str]


def with_markup(text: str) -> str:
    return text


def without_markup(text: str) -> str:
    return text.translate(HARMLESS)


def write_marked(folder: Path, dress: Dress, *, timed: bool) -> Path:
    """The study over its data; every text and name that a person may choose is dressed.

    Args:
        folder: where the study and its data are written.
        dress: `with_markup` or `without_markup`.
        timed: whether arms are timed; what is said of times is another thing each time.
    """
    first, second, missing = (dress(f"{TAG}{key}") for key in ("A", "B", "C"))
    arms: list[dict[str, Any]] = [
        {"key": first, "set": "variant=bm25", "watch": dress(MARKUP)},
        {"key": second, "set": "variant=bm25 sparse.b=0", "parents": [first], "watch": dress(MARKUP)},
        {
            "key": missing,
            "set": f"variant=dense dense.model='{dress(NAME)}/model'",
            "parents": [first],
            "optional": True,
        },
        {"key": "Oracle", "set": "variant=oracle", "role": "bracket"},
    ]
    return write_study(
        folder,
        arms,
        data=_data(folder / dress("<i>data"), dress),
        question=dress(MARKUP),
        sweeps=[{"arm": first, "set": "sparse.k1=1,1.5,2"}],
        watched=[{"child": second, "parent": first, "type": dress(f"{TAG}type0")}],
        latency={"questions": 20, "passes": 1, "seed": 0} if timed else None,
    )


def _data(folder: Path, dress: Dress) -> Path:
    """Passages of three lengths, so that what length counts for moves questions."""
    folder.mkdir(parents=True)
    passages = [
        {
            "_id": dress(f"{TAG}p{i:02}"),
            "title": dress(f"{MARKUP} title {i}"),
            "text": dress(f"rule about topic{i} and topic{(i + 1) % N} {MARKUP} " + f"topic{i} word " * 9 * (i % 3)),
            "metadata": {"doc_id": dress(f"{TAG}doc{i % 5}"), "location": dress(f"{TAG}{i}"), "version": dress(TAG)},
        }
        for i in range(N)
    ]
    questions = [
        {
            "_id": dress(f"{TAG}q{i:02}"),
            "text": dress(f"what about {f'topic{i}' if i not in LOST else 'it'} {MARKUP}"),
            "metadata": {"type": dress(f"{TAG}type{i % 3}"), "answer": dress(f"{MARKUP} answer")},
        }
        for i in range(N)
    ]
    _write(folder / "corpus.jsonl", passages)
    _write(folder / "queries.jsonl", questions)
    rows = [f"{dress(f'{TAG}q{i:02}')}\t{dress(f'{TAG}p{i:02}')}\t1\n" for i in range(N)]
    (folder / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(rows), encoding="utf-8")
    (folder / "dataset.yaml").write_text(f"name: {json.dumps(dress(f'{TAG}set'))}\nlanguage: en\n", encoding="utf-8")
    return folder


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
