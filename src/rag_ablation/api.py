"""A study in a notebook: read what was recorded, compare arms, draw figures."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rag_ablation.commands import ROOT_VARIABLE
from rag_ablation.commands._holdout_report import open_holdout_results
from rag_ablation.commands._marks import marks_of_runs
from rag_ablation.commands._plan_notes import with_plans
from rag_ablation.commands._runs import find_run
from rag_ablation.commands._study_folder import open_results
from rag_ablation.commands.compare import compared
from rag_ablation.core.errors import CommandError
from rag_ablation.report.study.content import StudyReport
from rag_ablation.report.study.report import report_of
from rag_ablation.report.study.tables import results_table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class StudyFrames:
    """A study's results as tidy frames; every mean with its n, groups and interval.

    Args:
        name: of the study.
        report: everything its report says, computed.
        table: every figure in long form; see `report.study.tables.results_table`.
    """

    name: str
    report: StudyReport
    table: "pd.DataFrame"

    def __repr__(self) -> str:
        """Its name and size; the frames have their own."""
        said = "".join(f"; {mark}" for mark in self.marks)
        return f"StudyFrames({self.name!r}, {len(self.table)} rows{said})"

    @property
    def marks(self) -> tuple[str, ...]:
        """What must be said of results on a holdout: how often it was opened, and its marks; empty of a study."""
        held = self.report.holdout
        return () if held is None else tuple(said.plain() for said in (held.spent, *held.marks))

    @property
    def verdict(self) -> str | None:
        """What the rule of a plan came to: `adopt`, `do not adopt` or `undecided`; None of a study."""
        return None if self.report.holdout is None else self.report.holdout.decision

    @property
    def means(self) -> "pd.DataFrame":
        """A row for each arm, point and measure: `value`, `low`, `high`, `n`, `n_groups`, `reason` where undefined."""
        return self._rows("mean", ["arm", "point", "measure", "value", "low", "high", "n", "n_groups", "reason"])

    @property
    def steps(self) -> "pd.DataFrame":
        """A row for each step of the ladder, with its adjusted p and its word."""
        columns = ["arm", "parent", "measure", "value", "low", "high", "p", "adjusted_p", "wins", "ties", "losses"]
        return self._rows("step", [*columns, "n", "n_groups", "n_differing", "detectable", "word", "reason"])

    @property
    def types(self) -> "pd.DataFrame":
        """A row for each arm and question type (`part`); exploratory."""
        return self._rows("type", ["arm", "part", "measure", "value", "low", "high", "n", "n_groups"])

    @property
    def sweeps(self) -> "pd.DataFrame":
        """A row for each setting of a sweep: its difference from the best on these questions; exploratory."""
        return self._rows("sweep", ["arm", "part", "parent", "value", "low", "high", "n", "n_groups", "word"])

    @property
    def fates(self) -> "pd.DataFrame":
        """A row for each arm and fate (`part`): the number of relevant units (`value`) of `n`."""
        return self._rows("fate", ["arm", "part", "value", "n"])

    @property
    def questions(self) -> "pd.DataFrame":
        """A row for each arm and question: the primary measure's value, and why it is undefined."""
        return self._rows("question", ["arm", "query_id", "part", "measure", "value", "reason"])

    def _rows(self, name: str, columns: list[str]) -> "pd.DataFrame":
        return self.table.loc[self.table["table"] == name, columns].reset_index(drop=True)


def load_results(study: str, root: str | Path | None = None, *, holdout: str | None = None) -> StudyFrames:
    """Read a study that was run, or one of its plans on the holdout.

    Args:
        study: its name, or its folder of results.
        root: folder under which it was run; None for `RAG_ABLATION_ROOT`, else the current folder.
        holdout: name of a plan that was run on its holdout, `NAME/amended-1` for that on corrected labels; None for
            the study's own results.

    Raises:
        CommandError: it was not run there.
        HoldoutError: the ledger does not say that the holdout was opened.
    """
    place = _root(root)
    results = (
        with_plans(open_results(study, place), place)
        if holdout is None
        else open_holdout_results(study, holdout, place)[1]
    )
    report = report_of(results)
    return StudyFrames(name=results.study.name, report=report, table=results_table(results, report).to_pandas())


def compare(before: str, after: str, root: str | Path | None = None) -> "pd.DataFrame":
    """Two arms question by question: a row for each measure; exploratory.

    Args:
        before: an arm as `STUDY:KEY`, a run folder or a part of its name.
        after: the arm to compare with it.
        root: folder under which they were run; None for `RAG_ABLATION_ROOT`, else the current folder.

    Returns:
        Columns `measure`, `difference` (after − before), `low`, `high`, `n`, `n_groups`, `wins`, `ties`, `losses`, `p`
        (unadjusted) and the ends of the bootstrap interval; of runs on a holdout also `marks`, what must be said of it.

    Raises:
        RagAblationError: there is no such run, or the two do not compare; the message names what differs.
    """
    import pandas as pd  # noqa: PLC0415

    place = _root(root)
    folders = (find_run(before, place, None), find_run(after, place, None))
    marks = marks_of_runs(folders, place)
    found = pd.DataFrame(compared(*folders, marks=marks)["differences"])
    return found.assign(marks="; ".join(marks)) if marks else found


def plot(results: StudyFrames, figure: str, *, language: str = "en") -> "Figure":
    """A figure of the report.

    Args:
        results: what `load_results` gave.
        figure: `ladder`, `differences`, `fates`, `recall`, `sweep` (of the first swept arm; `sweep:KEY` of another) or
            `plane` (quality and latency).
        language: of its words, `en` or `zh`.

    Raises:
        CommandError: no such figure, or the study has nothing to show in it.
    """
    from rag_ablation.report.study.charts import figures  # noqa: PLC0415

    report = results.report
    name, _, key = figure.partition(":")
    curve = next((one for one in report.sweeps if key in ("", one.arm)), None)
    drawn: Mapping[str, tuple[object, Callable[[], Figure]]] = {
        "ladder": (
            [row for row in report.ladder.rows if row.mean is not None],
            lambda: figures.ladder(report.ladder, language),
        ),
        "differences": (report.ladder.shown, lambda: figures.gaps(report.ladder.shown, language)),
        "fates": (report.lost, lambda: figures.fates(_there(report.lost), language)),
        "recall": (report.ceilings, lambda: figures.recall(_there(report.ceilings), language)),
        "sweep": (curve, lambda: figures.sweep(_there(curve), language)),
        "plane": (report.plane, lambda: figures.plane(_there(report.plane), report.ladder.measure, language)),
    }
    if name not in drawn:
        raise CommandError.of("figure", repr(figure), f"one of {', '.join(drawn)}")
    content, draw = drawn[name]
    if not content:
        raise CommandError.of("figure", repr(figure), "a figure that this study has results for")
    return draw()


def _there(content: T | None) -> T:
    if content is None:
        message = "nothing to draw"
        raise TypeError(message)
    return content


def _root(given: str | Path | None) -> Path:
    return Path(given or os.environ.get(ROOT_VARIABLE) or ".").expanduser().absolute()
