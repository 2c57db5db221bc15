"""One configuration, checked: what to run, on what, and how to score it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Literal, Self

from rag_ablation.core.corpus import Unit
from rag_ablation.core.digest import digest_json
from rag_ablation.core.visibility import Versions
from rag_ablation.data.relabel import MAPPING_VERSION
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.stages.base import ASKING_SLOTS, HOW_ASKED


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetSettings:
    """Which questions over which corpus.

    Args:
        path: the folder, or `bundled:NAME` for a collection that ships with the package.
        qrels: for a BEIR folder, which file of `qrels/` to take.
        split: name of the split file.
        sample: number of questions to draw, None for all.
        sample_seed: seed of the draw.
        passage_text: template of what is indexed, embedded and reranked.
    """

    path: str
    qrels: str | None = None
    split: str = "default"
    sample: int | None = None
    sample_seed: int = 0
    passage_text: str = "{title}\n{text}"

    def __post_init__(self) -> None:
        """Check ranges."""
        if self.sample is not None and self.sample < 1:
            message = f"sample: found {self.sample}, expected a whole number of at least 1, or null"
            raise ValueError(message)
        if "{text}" not in self.passage_text:
            message = f"passage_text: found {self.passage_text!r}, expected a template that holds {{text}}"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencySettings:
    """How serving time is measured.

    Args:
        questions: size of the sample.
        passes: timed passes; with several, a question counts with its median.
        seed: seed of the sample.
    """

    questions: int = 20
    passes: int = 1
    seed: int = 0

    def __post_init__(self) -> None:
        """Check ranges."""
        for name in ("questions", "passes"):
            if getattr(self, name) < 1:
                message = f"{name}: found {getattr(self, name)}, expected a whole number of at least 1"
                raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackingSettings:
    """Where a run is logged.

    Args:
        name: `mlflow`, or `files` for the run folder only.
        uri: MLflow tracking URI, None for the default.
        experiment: MLflow experiment, None for the dataset's name.
    """

    name: Literal["mlflow", "files"] = "mlflow"
    uri: str | None = None
    experiment: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantSettings:
    """The preset an arm was made from.

    Args:
        name: name of the preset.
        label: letter in the ladder.
        parents: presets it is compared with.
        watch: what to look at.
    """

    name: str
    label: str = ""
    parents: tuple[str, ...] = ()
    watch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoring:
    """What is measured.

    Args:
        unit: evaluation unit, None for the dataset's own.
        cutoffs: how many results a measure looks at.
        measures: names from the catalogue.
        relevant_from: least grade that is relevant.
        type_weights: weight of each question type in `recall_weighted`, None for none declared.
    """

    unit: Unit | None = None
    cutoffs: tuple[int, ...] = (1, 3, 5, 10, 20, 50, 100)
    measures: tuple[str, ...]
    relevant_from: int = 1
    type_weights: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One arm, ready to run.

    Args:
        variant: the preset.
        pipeline: the stages.
        dataset: which questions over which corpus.
        side: `dev` or `none`.
        identity: who asks.
        as_of: when.
        versions: which versions exist.
        scoring: what is measured.
        latency: how serving time is measured, None for not at all.
        tracking: where it is logged.
        resume: whether a sweep keeps arms that finished before.
    """

    variant: VariantSettings
    pipeline: Pipeline
    dataset: DatasetSettings
    side: str
    identity: str | None
    as_of: date | None
    versions: Versions
    scoring: Scoring
    latency: LatencySettings | None
    tracking: TrackingSettings
    resume: bool = True

    def resolved(self, language: str, unit: Unit | None = None) -> Self:
        """The same with every `auto` replaced.

        Args:
            language: language of the dataset.
            unit: evaluation unit that was chosen where none was given, None for the dataset's own.
        """
        scoring = replace(self.scoring, unit=self.scoring.unit or unit)
        return replace(self, pipeline=self.pipeline.resolved(language), scoring=scoring)

    def effective(self) -> dict[str, object]:
        """The settings that can change the result, unused slots left out; JSON values only."""
        scoring = {**asdict(self.scoring), "unit": None if self.scoring.unit is None else str(self.scoring.unit)}
        return {
            **self.pipeline.settings(),
            "dataset": {name: value for name, value in asdict(self.dataset).items() if name != "path"},
            "access": {
                "split": self.side,
                "identity": self.identity,
                "as_of": None if self.as_of is None else self.as_of.isoformat(),
                "versions": str(self.versions),
            },
            "scoring": {**scoring, "cutoffs": list(self.scoring.cutoffs), "measures": list(self.scoring.measures)},
        }

    def digest(self) -> str:
        """Identity of the effective settings (64 hex characters), without what cannot change a result."""
        effective = {section: _identity(section, settings) for section, settings in self.effective().items()}
        return digest_json(effective if self.pipeline.chunking is None else [effective, MAPPING_VERSION])


def _identity(section: str, settings: object) -> object:
    """Settings of a section without those that cannot change a result."""
    if section not in ASKING_SLOTS or not isinstance(settings, Mapping):
        return settings
    return {name: value for name, value in settings.items() if name not in HOW_ASKED}
