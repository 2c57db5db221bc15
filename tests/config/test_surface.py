"""What people and their files rely on by name: a change here is a change for them, and belongs in the changelog.

`python -m tests.config.test_surface` writes the list anew.
"""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from rag_ablation import api
from rag_ablation.config.build import PLAIN
from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.experiment.experiment import DatasetSettings, LatencySettings, TrackingSettings, VariantSettings
from rag_ablation.experiment.study import Study, StudyArm, Watched
from rag_ablation.holdout.entry import Entry, Kind
from rag_ablation.holdout.freeze import FrozenArm, FrozenPlan
from rag_ablation.holdout.rule import Decision, Rule
from rag_ablation.holdout.split import Split
from rag_ablation.measures.catalogue import measures
from rag_ablation.measures.family import Word
from rag_ablation.measures.fates import FATES
from rag_ablation.stages.catalogue import BUILT_IN, stage_class

LISTED = Path(__file__).with_name("surface.txt")
SECTIONS = {
    "dataset": DatasetSettings,
    "latency": LatencySettings,
    "tracking": TrackingSettings,
    "variant": VariantSettings,
}
FILES = {
    "result.json": ArmRecord,
    "result.json mean": RecordedMean,
    "study": Study,
    "study.arms": StudyArm,
    "study.watched": Watched,
    "split file": Split,
    "ledger entry": Entry,
    "plan": FrozenPlan,
    "plan arm": FrozenArm,
    "plan rule": Rule,
}


def surface() -> Iterator[str]:
    """Settings, measures, words and fields of files, a line each."""
    yield from (f"setting {name}" for name in PLAIN)
    for section, cls in SECTIONS.items():
        yield from (f"setting {section}.{field.name}" for field in fields(cls))
    for slot, name in BUILT_IN:
        yield from (f"setting {slot}={name} {slot}.{field.name}" for field in fields(stage_class(slot, name)))
    yield from (f"measure {name}" for name in measures())
    for what, words in (("fate", FATES), ("verdict", Word), ("decision", Decision), ("ledger kind", Kind)):
        yield from (f"{what} {word}" for word in words)
    for file, cls in FILES.items():
        yield from (f"{file}: {field.name}" for field in fields(cls))
    own = (name for name, value in vars(api).items() if getattr(value, "__module__", "") == api.__name__)
    yield from (f"api.{name}" for name in own if name[0] != "_" and len(name) > 1)


def test_no_name_that_others_rely_on_has_changed_unseen() -> None:
    listed, there = LISTED.read_text(encoding="utf-8").splitlines(), sorted(surface())
    gone, new = sorted({*listed} - {*there}), sorted({*there} - {*listed})
    meant = "Meant? python -m tests.config.test_surface, and say it in CHANGELOG.md"
    assert (gone, new) == ([], []), meant
    assert listed == sorted(set(listed))


if __name__ == "__main__":
    LISTED.write_text("\n".join(sorted(surface())) + "\n", encoding="utf-8")
