"""Any native set, there and back: nothing is lost that the format can hold."""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_ablation.data.load import load
from tests.data.exchange.ways import given as exported
from tests.data.exchange.ways import grades, statuses, taken
from tests.data.folders import native, passage, question, table

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.text(LETTERS | st.sampled_from(["\t", "\n", "\r", "\u2028", '"', "\ufeff", "|"]), max_size=20)
WORDS = st.sampled_from(["007", "NA", "1e3", "null", "TRUE", "-1", "id", "text", '"', "#", "文", "\ufeffx"])
PLAIN_IDS = WORDS | st.text(st.characters(categories=["L", "N", "P"]), min_size=1, max_size=6)
ODD_IDS = PLAIN_IDS | st.sampled_from([" a", "a ", "a b", "a\rb", "\u3000"])
FEW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def sets(draw: st.DrawFn, ids: st.SearchStrategy[str]) -> tuple[list[dict[str, object]], list[dict[str, object]], str]:
    """A corpus, questions of every status and their judgements."""
    passages = draw(st.lists(ids, min_size=1, max_size=4, unique=True))
    corpus = [
        passage(name, draw(TEXTS), **draw(st.fixed_dictionaries({}, optional={"doc_id": PLAIN_IDS, "note": TEXTS})))
        | {"title": draw(TEXTS)}
        for name in passages
    ]
    asked, rows = [], []
    for name in draw(st.lists(ids, min_size=1, max_size=4, unique=True)):
        status = draw(st.sampled_from(["reviewed", "no_answer", "unreviewed"]))
        judged = draw(st.lists(st.sampled_from(passages), unique=True, min_size=1 if status == "reviewed" else 0))
        top = 0 if status == "no_answer" else 62
        rows += [(name, unit, draw(st.integers(0, top))) for unit in judged]
        asked.append(question(name, "w" + draw(TEXTS), status=status, answers=draw(st.lists(TEXTS, max_size=2))))
    return corpus, asked, table(*rows)


@FEW
@given(sets(ODD_IDS))
def test_beir_keeps_everything(drawn: tuple[list[dict[str, object]], list[dict[str, object]], str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = native(Path(place) / "n", *drawn, about="name: n\nlanguage: en")
        outcome, target = exported("beir", folder)
        assert load(folder).fingerprints == taken("beir", target)[1].fingerprints
        assert outcome.losses == ()


@FEW
@given(sets(ODD_IDS))
def test_csv_and_parquet_keep_rows_and_judgements(
    drawn: tuple[list[dict[str, object]], list[dict[str, object]], str],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = native(Path(place) / "n", *drawn, about="name: n\nlanguage: en")
        whole = load(folder)
        for name in ("csv", "parquet", "samples"):
            back = taken(name, exported(name, folder)[1])[1]
            assert (back.passages, back.queries, back.labels) == (whole.passages, whole.queries, whole.labels), name
            assert grades(back) == grades(whole)


@FEW
@given(sets(PLAIN_IDS.filter(lambda name: not name.startswith("\ufeff"))))
def test_trec_keeps_ids_titles_texts_and_grades(
    drawn: tuple[list[dict[str, object]], list[dict[str, object]], str],
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = native(Path(place) / "n", *drawn, about="name: n\nlanguage: en")
        whole, back = load(folder), taken("trec", exported("trec", folder)[1])[1]
        rows = [[(row.id, row.title, row.text) for row in side.passages.rows] for side in (whole, back)]
        assert rows[0] == rows[1]
        assert (back.queries.ids, back.queries.texts, grades(back)) == (
            whole.queries.ids,
            whole.queries.texts,
            grades(whole),
        )
        judged = {query for query, _ in grades(whole)}
        assert statuses(back) == {name: "reviewed" if name in judged else "unreviewed" for name in whole.queries.ids}
