"""What may be frozen: arms that have run, on dev, on all of it, as they would run now."""

import json

import pytest

import rag_ablation.commands.run as running
from rag_ablation.commands import _plan_made, freeze
from rag_ablation.tracking.files import read_record
from tests.e2e.holdouts import HELD, STUDY, Bench, replace_in


def test_an_arm_that_was_not_run_is_not_frozen(frozen: Bench) -> None:
    said = frozen.refused(*frozen.freeze(arm="Z", name="v2"))
    assert "--arm: found 'Z', expected an arm of study tiny: A, A2, Oracle" in said


@pytest.mark.parametrize("state", ["skipped", "not_run"])
def test_an_arm_without_a_run_is_not_frozen(tuned: Bench, state: str) -> None:
    manifest = tuned.root / "studies" / STUDY / "study.json"
    form = json.loads(manifest.read_text())
    del form["runs"]["A2"]
    form[state] = {"A2": "no model"}
    manifest.write_text(json.dumps(form))
    said = tuned.refused(*tuned.freeze())
    assert "arm A2 has no finished dev run (no model); run it: rag-ablation study run tiny" in said


def test_an_arm_that_failed_is_not_frozen(tuned: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    real = running.run

    def failing(experiment, data, *more):  # type: ignore[no-untyped-def]
        if dict(experiment.pipeline.filled())["sparse"].b == 0:
            message = "it broke"
            raise RuntimeError(message)
        return real(experiment, data, *more)

    monkeypatch.setattr(running, "run", failing)
    assert tuned.do("study", "run", STUDY, "resume=false").status == 1
    said = tuned.refused(*tuned.freeze())
    assert (
        "arm A2 has no finished dev run: it is failed (RuntimeError: it broke); run it: rag-ablation study run tiny"
        in said
    )


def test_an_arm_of_a_sample_is_not_frozen(tuned: Bench) -> None:
    tuned.well("study", "run", STUDY, "dataset.sample=20")
    said = tuned.refused(*tuned.freeze())
    assert "ran on a sample of 20 dev questions (dataset.sample); run on all" in said


def test_an_arm_of_the_whole_set_is_not_frozen(tuned: Bench) -> None:
    kept = tuned.root / "kept.json"
    tuned.split_file.rename(kept)
    tuned.well("study", "run", STUDY, "split=none")
    kept.rename(tuned.split_file)
    said = tuned.refused(*tuned.freeze())
    assert "ran with split=none: nothing was kept apart, so it cannot be frozen" in said


@pytest.mark.parametrize(
    ("file", "old", "new"), [("corpus.jsonl", "amber", "ember"), ("dataset.yaml", "language: en", "language: zh")]
)
def test_an_arm_of_other_data_is_not_frozen(tuned: Bench, file: str, old: str, new: str) -> None:
    replace_in(tuned.data / file, old, new)
    said = tuned.refused(*tuned.freeze())
    assert "has no finished dev run of what would be frozen:" in said
    assert "changed since; run it again: rag-ablation study run tiny" in said


def test_an_arm_of_other_code_is_not_frozen(tuned: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_plan_made, "package_code", lambda: "0" * 64)
    assert "code changed since; run it again" in tuned.refused(*tuned.freeze())


def test_a_changed_tree_is_not_frozen_unless_it_is_allowed_and_marked(
    tuned: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (freeze, _plan_made):
        monkeypatch.setattr(module, "checkout", lambda: {"commit": "c" * 40, "dirty": True})
    said = tuned.refused(*tuned.freeze())
    assert (
        "src/ or conf/ differ from the commit cccccccccccc: commit first, or go on, marked, with --allow-dirty" in said
    )
    out = tuned.well(*tuned.freeze("--allow-dirty")).out
    assert "mark: frozen from a tree with changes under src/ or conf/ (--allow-dirty)" in out
    assert "mark: frozen from a tree with uncommitted changes" in tuned.well(*tuned.holdout()).out
    assert all(read_record(folder).holdout["marks"] for folder in tuned.runs(HELD))


def test_a_candidate_without_baselines_is_not_frozen(tuned: Bench) -> None:
    said = tuned.refused(*tuned.freeze(arm="A"))
    assert "--baseline: found none for A, expected one or more other arms that the candidate must beat" in said


def test_a_candidate_is_not_its_own_baseline(tuned: Bench) -> None:
    assert "--baseline: found A2 for A2" in tuned.refused(*tuned.freeze("--baseline", "A2"))
    assert "--baseline: found 'Z', expected an arm" in tuned.refused(*tuned.freeze("--baseline", "Z"))


@pytest.mark.parametrize("name", ["../v1", ".v", "", "a/b", "x" * 61, "v 1"])
def test_a_plan_has_a_name_that_can_be_a_files(tuned: Bench, name: str) -> None:
    assert "a plan's name needs letters, digits" in tuned.refused(*tuned.freeze(name=name))
