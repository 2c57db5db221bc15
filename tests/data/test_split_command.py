"""`rag-ablation data split` as a person types it."""

import json
import os
import shutil
from pathlib import Path

import pytest

from rag_ablation.cli import main
from rag_ablation.data.load import load
from rag_ablation.holdout.split import read_split
from tests.data.folders import native, passage, question, table

WORDS = "red green blue white black amber coral ivory khaki lilac mauve olive peach beige azure cream"
COLLECTIONS = os.environ.get("RAG_ABLATION_COLLECTIONS")
needs_collections = [
    pytest.mark.collections,
    pytest.mark.skipif(COLLECTIONS is None, reason="RAG_ABLATION_COLLECTIONS names no folder of real collections"),
]


def split(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> tuple[int, str, str]:
    status = main(["--root", str(folder.parent / "root"), "data", "split", str(folder), *words])
    out = capsys.readouterr()
    return status, out.out, out.err


def dataset(folder: Path, count: int, more: list[tuple[str, str]] | None = None) -> Path:
    """Question n on clause n, and more (question, clause)."""
    rows = [(f"q{n:02d}", f"d{n:02d}") for n in range(count)] + (more or [])
    words = WORDS.split()
    return native(
        folder,
        [passage(f"d{n:02d}", f"a clause about {words[n]}", doc_id="D", location=str(n)) for n in range(16)],
        [
            question(name, f"{words[int(name[1:]) % 16]} {name}?", type="a")
            for name in sorted({name for name, _ in rows})
        ],
        table(*((name, unit, 1) for name, unit in rows)),
        "name: tiny\nlanguage: en",
    )


def test_a_grown_dataset_is_refused_then_extended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path / "set", 10)
    assert split(capsys, folder)[0] == 0
    before = json.loads((folder / "splits" / "default.json").read_text())
    shutil.move(folder / "splits", tmp_path / "splits")
    shutil.rmtree(folder)
    grown = dataset(folder, 13, [("q13", before["dev"] and "d" + sorted(before["dev"])[0][1:])])
    shutil.move(tmp_path / "splits", folder / "splits")
    assert main(["--root", str(tmp_path / "root"), "data", "check", str(grown)]) == 0
    assert "rag-ablation data split DIR --extend default" in capsys.readouterr().out
    status, out, _ = split(capsys, grown, "--extend", "default")
    assert status == 0
    assert f"extended: {folder / 'splits' / 'default.json'}" in out
    assert "new questions: 4" in out
    after = read_split(folder / "splits" / "default.json")
    assert set(before["dev"]) <= set(after.dev)
    assert set(before["holdout"]) <= set(after.holdout)
    assert "q13" in after.dev
    assert "already there" in split(capsys, grown, "--extend", "default")[1]


def test_an_extension_takes_no_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path / "set", 10)
    assert split(capsys, folder)[0] == 0
    status, _, err = split(capsys, folder, "--extend", "default", "--seed", "3", "--linkage", "document")
    assert (status, err) == (
        2,
        "rag-ablation: --extend keeps the settings of the split; found --seed, --linkage beside it\n",
    )


def test_folds_are_whole_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path / "set", 10, [(f"q1{n}", f"d0{n}") for n in range(6)])
    status, out, err = split(
        capsys, folder, "--holdout", ".5", "--folds", "2", "--stratify", "none", "--tolerance", ".1"
    )
    assert status == 0, err
    made = read_split(folder / "splits" / "default.json")
    assert made.folds == 2
    assert f"holdout fold 2 {len(made.fold(2))} questions in" in out
    assert set(made.fold(1)) | set(made.fold(2)) == set(made.holdout)
    assert not {made.groups[name] for name in made.fold(1)} & {made.groups[name] for name in made.fold(2)}


def test_an_unknown_stratum_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = split(capsys, dataset(tmp_path / "set", 10), "--stratify", "colour")
    assert (status, err) == (
        2,
        "rag-ablation: stratify: found colour; expected some of type, status, identity\n",
    )


class TestRealCollections:
    pytestmark = needs_collections

    def copy(self, tmp_path: Path, name: str) -> Path:
        return Path(shutil.copytree(Path(str(COLLECTIONS)) / name, tmp_path / name))

    def test_squad_by_document_is_refused_with_what_works(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = self.copy(tmp_path, "squad2_en")
        status, _, err = split(capsys, folder, "--linkage", "document")
        assert status == 2
        assert "dev would have 706 questions in 2 groups" in err
        assert "--linkage any_gold (126 groups, the largest 37 questions)" in err
        assert "--folds 2 --holdout 0.56 --few-groups" in err
        assert not (folder / "splits").exists()
        words = ("--linkage", "document", "--folds", "2", "--holdout", "0.56", "--few-groups")
        status, out, _ = split(capsys, folder, *words)
        assert status == 0
        assert "holdout fold 1 208 questions in 1 group; holdout fold 2 418 questions in 1 group" in out

    def test_hotpotqa_shares_no_gold_across_its_sides(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = self.copy(tmp_path, "hotpotqa_sample_en")
        assert split(capsys, folder)[0] == 0
        made, benchmark = read_split(folder / "splits" / "default.json"), load(folder)
        gold = {
            side: {
                benchmark.passages.ids[unit]
                for query, unit in zip(benchmark.qrels.query_rows, benchmark.qrels.unit_rows, strict=True)
                if benchmark.queries.ids[query] in made.ids(side)
            }
            for side in ("dev", "holdout")
        }
        assert gold["dev"]
        assert gold["holdout"]
        assert not gold["dev"] & gold["holdout"]
        assert made.audit["gold_locations_on_both_sides"] == 0


def test_a_cosine_without_a_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = split(capsys, dataset(tmp_path / "set", 10), "--cosine", ".9")
    assert (status, err) == (2, "rag-ablation: --cosine goes with --embedding MODEL, which is not given\n")
