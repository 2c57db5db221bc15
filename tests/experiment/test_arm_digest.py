"""Two arms of one digest have the same result; whatever could change it changes the digest."""

from dataclasses import replace

import pytest

from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.visibility import Versions
from rag_ablation.experiment import record
from rag_ablation.experiment.experiment import (
    DatasetSettings,
    Experiment,
    LatencySettings,
    Scoring,
    TrackingSettings,
    VariantSettings,
)
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.record import arm_digest
from rag_ablation.stages.bm25 import Bm25
from rag_ablation.stages.context import TopContext
from tests.builders import evaluation_set, passages, queries

SET = evaluation_set(passages({"p1": "a", "p2": "b"}), queries({"q1": "a"}), {"q1": {"p1": 1}})
SCORING = Scoring(cutoffs=(1, 2), measures=("recall", "mrr"))
ARM = Experiment(
    variant=VariantSettings(name="bm25"),
    pipeline=Pipeline(
        names={"sparse": "bm25", "context": "top"},
        sparse=Bm25(analyser="words", stemmer="english"),
        context=TopContext(),
    ),
    dataset=DatasetSettings(path="x"),
    side="none",
    identity=None,
    as_of=None,
    versions=Versions.ALL,
    scoring=SCORING,
    latency=None,
    tracking=TrackingSettings(),
)


def digest(arm: Experiment = ARM, data: EvalSet = SET, name: str = "A bm25") -> str:
    return arm_digest(arm, data, name)


def test_the_same_arm_has_the_same_digest_wherever_it_is_logged() -> None:
    assert digest() == digest(replace(ARM, tracking=TrackingSettings(experiment="other")))
    assert digest() == digest(replace(ARM, resume=False))


@pytest.mark.parametrize(
    "other",
    [
        replace(ARM, pipeline=replace(ARM.pipeline, sparse=Bm25(analyser="words", stemmer="english", k1=2))),
        replace(ARM, scoring=replace(SCORING, relevant_from=2)),
        replace(ARM, scoring=replace(SCORING, cutoffs=(1, 10))),
        replace(ARM, latency=LatencySettings(questions=20, passes=1)),
        replace(ARM, variant=VariantSettings(name="bm25", parents=("dense",))),
        replace(ARM, dataset=DatasetSettings(path="elsewhere")),
    ],
    ids=["a setting", "the grade that counts", "cutoffs", "times", "parents", "where the data lie"],
)
def test_another_setting_is_another_digest(other: Experiment) -> None:
    assert digest(other) != digest()


@pytest.mark.parametrize("part", ["corpus", "queries", "labels"])
def test_other_data_are_another_digest(part: str) -> None:
    assert digest(data=replace(SET, fingerprints={**SET.fingerprints, part: "changed"})) != digest()


@pytest.mark.parametrize("name", ["package_code", "python_version"])
def test_another_code_or_python_is_another_digest(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest()
    monkeypatch.setattr(record, name, lambda: "changed")
    assert digest() != before


def test_the_code_of_a_stage_that_is_a_plug_in_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest()
    monkeypatch.setattr(record, "stage_code", lambda module: f"changed {module}")
    assert digest() != before


def test_every_library_that_a_stage_names_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not only those that all arms record: the stemmer is one that few use."""
    before, versions = digest(), record.library_versions

    def newer(names: tuple[str, ...]) -> dict[str, str]:
        return {**versions(names), **{name: "newer" for name in names if name == "snowballstemmer"}}

    monkeypatch.setattr(record, "library_versions", newer)
    assert digest() != before
