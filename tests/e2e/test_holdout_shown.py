"""Results of a holdout are shown where the ledger says that it was opened, and nowhere else."""

import json

import pytest

from rag_ablation.core.errors import RagAblationError
from tests.e2e.holdouts import (
    HELD,
    STUDY,
    Bench,
    replace_in,
)


def test_an_opened_holdout_can_be_explained_compared_and_gated(spent: Bench) -> None:
    one, other = (folder.name for folder in spent.runs(HELD))
    held = spent.split.holdout[0]
    assert held in spent.well("explain", one, held).out
    assert json.loads(spent.well("compare", one, other, "--json").out)["side"] == "holdout"
    assert "passed: the interval begins at" in spent.well("gate", other, "--against", one, "--max-drop", "0.5").out


def test_a_run_on_dev_does_not_compare_with_one_on_the_holdout(spent: Bench) -> None:
    held = spent.runs(HELD)[0].name
    assert "not comparable" in spent.refused("compare", f"{STUDY}:A", held)
    assert "not comparable" in spent.refused("gate", held, "--against", f"{STUDY}:A", "--max-drop", "0.1")


@pytest.mark.parametrize("witness", ["removed", "cut"])
def test_runs_on_a_holdout_are_not_shown_where_the_ledger_does_not_know_the_opening(spent: Bench, witness: str) -> None:
    one, other = (folder.name for folder in spent.runs(HELD))
    if witness == "removed":
        spent.ledger.unlink()
    else:
        spent.ledger.write_text(spent.ledger.read_text().splitlines(keepends=True)[0])
    missing = "is of a holdout that the ledger of made does not say was opened"
    for words in (
        ("compare", one, other),
        ("gate", one, "--against", other, "--max-drop", "0.1"),
        ("explain", one, spent.split.holdout[0]),
        ("explain", str(spent.root / "runs" / one), "--fate", "kept"),
    ):
        said = spent.refused(*words)
        assert missing in said
        assert "join the two: rag-ablation holdout join A B" in said


def test_a_run_that_was_made_to_say_dev_is_still_of_a_holdout(spent: Bench) -> None:
    one, other = spent.runs(HELD)
    replace_in(one / "result.json", '"side": "holdout"', '"side": "dev"')
    spent.ledger.unlink()
    for words in (("explain", one.name, spent.split.holdout[0]), ("compare", other.name, one.name)):
        assert "does not say was opened" in spent.refused(*words)


def test_the_api_does_not_show_them_either(spent: Bench) -> None:
    from rag_ablation import api

    one, other = (folder.name for folder in spent.runs(HELD))
    assert len(api.compare(one, other, spent.root))
    spent.ledger.unlink()
    with pytest.raises(RagAblationError, match="does not say was opened"):
        api.compare(one, other, spent.root)


def test_holdout_runs_are_not_smuggled_into_a_study(spent: Bench) -> None:
    one, other = (folder.name for folder in spent.runs(HELD))
    manifest = spent.root / "studies" / STUDY / "study.json"
    form = json.loads(manifest.read_text())
    form["runs"] = {"A": one, "A2": other}
    manifest.write_text(json.dumps(form))
    spent.ledger.unlink()
    for words in (
        ("report", STUDY),
        ("judge", "pool", STUDY),
        spent.freeze(name="v2"),
        ("compare", "tiny:A", "tiny:A2"),
    ):
        assert "does not say was opened" in spent.refused(*words)


def test_results_of_a_holdout_are_not_pooled_for_judging(spent: Bench) -> None:
    one, other = (folder.name for folder in spent.runs(HELD))
    manifest = spent.root / "studies" / STUDY / "study.json"
    form = json.loads(manifest.read_text())
    form["runs"] = {"A": one, "A2": other}
    manifest.write_text(json.dumps(form))
    said = spent.refused("judge", "pool", STUDY)
    assert "study: found runs on the holdout, expected runs on dev" in said
