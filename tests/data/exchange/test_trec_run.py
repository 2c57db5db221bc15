"""TREC run files, read; and the one that a run writes, read back."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_ablation.core.errors import DataError
from rag_ablation.core.rankings import Rankings
from rag_ablation.data.exchange.trec_run import read_run
from rag_ablation.tracking.files import _Lists, _trec_run


def run_file(folder: Path, text: str) -> Path:
    path = folder / "x.trec"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_order_is_score_then_rank_then_line(tmp_path: Path) -> None:
    text = "q Q0 c 3 1.5 t\nq Q0 b 2 2.0 t\nq\tQ0  a 1 2.0 t\nq Q0 e 4 1e0 t\nq Q0 d 4 1.0 t\n"
    run = read_run(run_file(tmp_path, text))
    assert [item.id for item in run.rankings["q"]] == ["a", "b", "c", "e", "d"]
    assert run.tag == "t"
    assert run.notices == ()


def test_ranks_that_contradict_the_scores_are_said(tmp_path: Path) -> None:
    run = read_run(run_file(tmp_path, "q Q0 a 1 1.0 t\nq Q0 b 2 2.0 t\n"))
    assert [item.id for item in run.rankings["q"]] == ["b", "a"]
    assert run.notices == ("1 rankings whose ranks contradict their scores (first: q): the scores count",)


def test_every_problem_is_told(tmp_path: Path) -> None:
    text = "q Q0 a 1 2 t\nq Q0 a 2 1 t\nq Q0 b x 1 t\nq Q0 b 1 nan t\nq Q0 b 1 1\n"
    with pytest.raises(DataError) as caught:
        read_run(run_file(tmp_path, text))
    said = str(caught.value)
    assert "x.trec:2: passage: found 'a' for question 'q', which line 1 has already" in said
    assert "x.trec:3: rank: found 'x'" in said
    assert "x.trec:4: score: found 'nan', expected a finite number" in said
    assert "x.trec:5: columns: found 5" in said


def test_a_missing_file_is_one_problem(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_run(tmp_path / "none.trec")


@given(st.lists(st.permutations(range(5)).map(lambda order: order[:3]), min_size=1, max_size=4))
def test_what_a_run_writes_reads_back_equal(tmp_path_factory: pytest.TempPathFactory, orders: list[list[int]]) -> None:
    rankings = Rankings.from_order(np.array(orders, dtype=np.int32))
    passages = ("007", "1e3", "NA", "文", "d-5")
    queries = tuple(f"q{row}" for row in range(len(orders)))
    path = tmp_path_factory.mktemp("run") / "bm25.trec"
    path.write_bytes(_trec_run((queries, passages), _Lists(rankings.digest(), rankings), "bm25"))
    read = read_run(path)
    assert {name: [item.id for item in row] for name, row in read.rankings.items()} == {
        name: [passages[row] for row in order] for name, order in zip(queries, orders, strict=True) if order
    }
    assert read.notices == ()
