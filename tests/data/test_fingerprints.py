"""Any edit is seen, and the order of lines is not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.data.load import load
from tests.data.folders import native, passage, question, table

BASE: dict[str, object] = {
    "corpus": [passage("d1", "one", doc_id="D"), passage("d2", "two")],
    "queries": [question("q1", "what", answer="a"), question("q2", "who", type="t")],
    "qrels": table(("q1", "d1", 1), ("q2", "d2", 1)),
}


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        ({"corpus": [passage("d1", "One", doc_id="D"), passage("d2", "two")]}, {"corpus"}),
        ({"corpus": [passage("d1", "one", doc_id="D", x=1), passage("d2", "two")]}, {"corpus"}),
        ({"corpus": [passage("d1", "one", doc_id="E"), passage("d2", "two")]}, {"corpus"}),
        ({"queries": [question("q1", "what", answer="b"), question("q2", "who", type="t")]}, {"labels"}),
        ({"queries": [question("q1", "what", answer="a"), question("q2", "who", type="u")]}, {"queries"}),
        ({"queries": [question("q1", "what?", answer="a"), question("q2", "who", type="t")]}, {"queries"}),
        ({"qrels": table(("q1", "d1", 2), ("q2", "d2", 1))}, {"labels"}),
        ({"qrels": table(("q1", "d1", 1), ("q2", "d2", 1), ("q2", "d1", 0))}, {"labels"}),
        ({"about": "description: other"}, set()),
    ],
)
def test_any_edit_changes_the_fingerprint_of_its_part(
    tmp_path: Path, edit: dict[str, object], changed: set[str]
) -> None:
    before = load(native(tmp_path / "before", **BASE)).fingerprints  # type: ignore[arg-type]
    after = load(native(tmp_path / "after", **(BASE | edit))).fingerprints  # type: ignore[arg-type]
    assert {part for part in before if before[part] != after[part]} == changed


@given(st.permutations(range(5)), st.permutations(range(4)), st.permutations(range(6)))
def test_the_order_of_lines_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, corpus: list[int], queries: list[int], rows: list[int]
) -> None:
    pairs = [(f"q{n % 4}", f"d{n % 5}", n) for n in range(6)]

    def folder(corpus: list[int], queries: list[int], rows: list[int]) -> Path:
        return native(
            tmp_path_factory.mktemp("set", numbered=True),
            [passage(f"d{n}", f"text {n}") for n in corpus],
            [question(f"q{n}", f"what {n}", answer=str(n)) for n in queries],
            table(*(pairs[n] for n in rows)),
        )

    plain = load(folder(list(range(5)), list(range(4)), list(range(6))), name="a")
    mixed = load(folder(corpus, queries, rows), name="a")
    assert mixed.fingerprints == plain.fingerprints
    assert mixed.passages.ids == plain.passages.ids
    assert mixed.qrels.keys.tolist() == plain.qrels.keys.tolist()
    assert mixed.labels == plain.labels
