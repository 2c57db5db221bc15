"""The dataset that a plan is about, whole: for digests and for ids, never for values."""

from dataclasses import dataclass
from pathlib import Path

from rag_ablation.core.evalset import Benchmark
from rag_ablation.data.bundled import PREFIX, dataset_path
from rag_ablation.data.load import load
from rag_ablation.holdout.entry import Question
from rag_ablation.holdout.freeze import FrozenPlan
from rag_ablation.holdout.place import Place
from rag_ablation.holdout.split import Split, questions_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The dataset of a plan, whole.

    Args:
        path: as a configuration names it.
        place: where it lies.
        benchmark: all of it.
        split: the split.
    """

    path: str
    place: Place
    benchmark: Benchmark
    split: Split

    def held_out(self, fold: int | None) -> tuple[Question, ...]:
        """The questions of a holdout, or of one of its folds, as a ledger names them."""
        return questions_of(self.benchmark, self.split, self.split.held_out(fold))


def source_of_plan(plan: FrozenPlan, root: Path, dataset: str | None = None) -> Source:
    """Read the dataset of a plan.

    Args:
        plan: the plan.
        root: folder under which everything is written.
        dataset: where it lies now, None for where the plan says.

    Raises:
        RagAblationError: it is gone, or wrong.
    """
    path = dataset or _absolute(plan.dataset["path"], root)
    template = plan.candidate.settings["dataset"]["passage_text"]
    return read_source(path, plan.dataset["qrels"], template, plan.split["name"], root)


def read_source(path: str, qrels: str | None, template: str, split: str, root: Path) -> Source:
    """Read a dataset with one of its splits.

    Args:
        path: of the dataset.
        qrels: for a BEIR folder, which file of `qrels/`.
        template: how a passage becomes the text that stages read.
        split: name of the split.
        root: folder under which everything is written.

    Raises:
        RagAblationError: it is gone, or wrong.
    """
    folder = dataset_path(path)
    benchmark = load(folder, qrels=qrels, template=template)
    place = Place.of(benchmark, folder, root)
    whole = path if path.startswith(PREFIX) else str(folder)
    return Source(path=whole, place=place, benchmark=benchmark, split=place.split(split))


def relative_path(path: str, root: Path) -> str:
    """A path that means the same on another machine, where the dataset lies under the root."""
    if path.startswith(PREFIX) or not Path(path).is_relative_to(root):
        return path
    return Path(path).relative_to(root).as_posix()


def _absolute(path: str, root: Path) -> str:
    return path if path.startswith(PREFIX) or Path(path).is_absolute() else str(root / path)
