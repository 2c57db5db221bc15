"""The judged answers of a run or of all arms of a study, read from what was recorded."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag_ablation.commands._marks import marks_of_run
from rag_ablation.commands._recorded import recorded_benchmark
from rag_ablation.commands._runs import find_run
from rag_ablation.commands._study_folder import MANIFEST, STUDIES, Manifest, has_results, read_manifest, refuse_damaged
from rag_ablation.commands.run import RUNS
from rag_ablation.core.answers import Answer, Reference, Word, reference_of
from rag_ablation.core.digest import canonical_json
from rag_ablation.core.errors import CommandError
from rag_ablation.core.evalset import Benchmark
from rag_ablation.core.queries import Query
from rag_ablation.core.record import ArmRecord, RecordedMean
from rag_ablation.core.results import SCORED
from rag_ablation.core.reviews import Key, Review, Reviews
from rag_ablation.data.answer_sheet import AnswerRow, reference_words
from rag_ablation.experiment.answering import NO_REFERENCE
from rag_ablation.experiment.reviewing import rates
from rag_ablation.measures.answers import Outcome
from rag_ablation.tracking.files import RESULT, read_record, read_table

NO_ANSWERS = "without answers"
HELD_OUT = "held out by now"
Asked = Mapping[str, tuple[Query, Mapping[str, object]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedAnswer:
    """One answer that a person can look at.

    Args:
        key: what a verdict on it is about.
        row: as it is shown.
        judged: what the judge said.
        reason: why.
        group: of the question.
    """

    key: Key
    row: AnswerRow
    judged: Word
    reason: str
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What an arm's answers come to, with what people made of them.

    Args:
        means: the measures of answers.
        n_open: verdicts that wait for review.
        n_reviewed: answers that a person has settled.
        n_overruled: those of them that the judge had decided otherwise.
    """

    means: Mapping[str, RecordedMean]
    n_open: int
    n_reviewed: int
    n_overruled: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedArm:
    """One arm with its answers.

    Args:
        name: by which a person knows it.
        record: of its run.
        answers: (Q,) None where nobody judged, or there is nothing to look at.
        outcomes: (Q,) by the judge alone, or why a question is in no measure.
        groups: (Q,) group of each question.
    """

    name: str
    record: ArmRecord
    answers: tuple[JudgedAnswer | None, ...]
    outcomes: tuple[Outcome | str, ...]
    groups: NDArray[np.int32]

    def rates(self, reviews: Reviews) -> Rates:
        """What the answers come to under the reviews in effect."""
        found = [None if one is None else reviews.latest.get(one.key) for one in self.answers]
        outcomes = [_settled(one, review) for one, review in zip(self.outcomes, found, strict=True)]
        pairs = [(one, review) for one, review in zip(self.answers, found, strict=True) if one and review]
        return Rates(
            means=rates(outcomes, self.groups),
            n_open=sum(not isinstance(one, str) and one.word is Word.NEEDS_REVIEW for one in outcomes),
            n_reviewed=len(pairs),
            n_overruled=sum(one.judged not in (Word.NEEDS_REVIEW, review.word) for one, review in pairs),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewable:
    """What a person can look at: the answers of one run, or of a study.

    Args:
        name: of the study, or of the run's folder.
        arms: with judged answers.
        left_out: other arms, and why; what else was left out.
        command: what records the rates of these runs anew; None where it is not known.
        marks: what must be said of runs on a holdout.
    """

    name: str
    arms: tuple[JudgedArm, ...]
    left_out: tuple[str, ...]
    command: str | None
    marks: tuple[str, ...]
    answers: Mapping[str, JudgedAnswer] = field(init=False)
    """Each distinct one once, by its id; of several arms the first."""

    def __post_init__(self) -> None:
        """Gather the answers of all arms."""
        found: dict[str, JudgedAnswer] = {}
        for one in self._all():
            found.setdefault(one.row.id, one)
        object.__setattr__(self, "answers", found)

    @property
    def on_holdout(self) -> bool:
        """Whether the run is of a holdout, whose record stays as it was."""
        return any(arm.record.on_holdout for arm in self.arms)

    @property
    def judges(self) -> tuple[str, ...]:
        """Settings of the judges, each once."""
        return tuple(dict.fromkeys(canonical_json(arm.record.settings["judge"]) for arm in self.arms))

    @property
    def n_at_odds(self) -> int:
        """Answers of which the judge said different things in different arms."""
        return len({one.row.id for one in self._all() if one.judged is not self.answers[one.row.id].judged})

    def waiting(self, reviews: Reviews) -> list[JudgedAnswer]:
        """Answers that some arm's judge left open and that nobody has settled, by question."""
        found = {one.row.id: one for one in reversed([*self._all()]) if one.judged is Word.NEEDS_REVIEW}
        return sorted(
            (one for one in found.values() if one.key not in reviews.latest),
            key=lambda one: (one.row.query_id, one.row.id),
        )

    def _all(self) -> Iterator[JudgedAnswer]:
        return (one for arm in self.arms for one in arm.answers if one is not None)


def reviewable(name: str, root: Path, tracking_uri: str | None) -> Reviewable:
    """The answers of a run, or of the finished arms of a study.

    Args:
        name: of either; a run also by folder, a part of its name, or MLflow id.
        root: folder under which everything is written.
        tracking_uri: where MLflow run ids are looked up.

    Raises:
        RagAblationError: there is no such run, its dataset has changed, its holdout was not opened, or no arm has
            answers that were judged.
    """
    if has_results(name, root) and not (Path(name) / RESULT).is_file():
        manifest = read_manifest(name, root)
        refuse_damaged(manifest, root)
        folders = {key: root / RUNS / run for key, run in manifest.runs.items()}
        return _of(manifest.study.name, folders, _typed(manifest), root)
    folder = find_run(name, root, tracking_uri)
    record = read_record(folder)
    return _of(record.id, {record.arm: folder}, _command_of(record.id, root), root)


def _of(name: str, folders: Mapping[str, Path], command: str | None, root: Path) -> Reviewable:
    records = {key: read_record(folder) for key, folder in folders.items()}
    left_out = {key: reason for key, record in records.items() if (reason := _unjudged(record)) is not None}
    arms, gone = [], 0
    read: dict[str, Benchmark] = {}
    for key, record in records.items():
        if key in left_out:
            continue
        source = canonical_json([record.source, record.settings["dataset"], dict(record.digests)["labels"]])
        if source not in read:
            read[source] = recorded_benchmark(record, root)
        arm, n_gone = _arm(key, record, folders[key], _asked(read[source]))
        arms.append(arm)
        gone = max(gone, n_gone)
    if not arms:
        found = "; ".join(f"{key}: {reason}" for key, reason in left_out.items()) or "no arm that has run"
        raise CommandError.of("run", f"{name}, {found}", "a run with answers and a judge (generate=… judge=…)")
    said = [f"{key}: {reason}" for key, reason in left_out.items()]
    return Reviewable(
        name=name,
        arms=tuple(arms),
        left_out=(*said, *([f"{gone} questions that are {HELD_OUT}"] if gone else [])),
        command=command,
        marks=tuple(dict.fromkeys(mark for record in records.values() for mark in marks_of_run(record, root))),
    )


def _unjudged(record: ArmRecord) -> str | None:
    """Why there is nothing to look at, None where there is."""
    if record.status != "finished":
        return f"which is {record.status}"
    if "generate" not in record.settings:
        return NO_ANSWERS
    if "absent" in record.answers:
        return f"{NO_ANSWERS}: {record.answers['absent']}"
    return None if "judge" in record.settings else "without a judge"


def _asked(benchmark: Benchmark) -> Asked:
    rows = zip(benchmark.queries.rows, benchmark.labels, strict=True)
    return {query.id: (query, labels) for query, labels in rows}


def _arm(name: str, record: ArmRecord, folder: Path, asked: Asked) -> tuple[JudgedArm, int]:
    """An arm's answers, and how many of its questions cannot be shown any more."""
    said = {row["query_id"]: row for row in read_table(folder, "answers")}
    questions = read_table(folder, "per_question", columns=("query_id", "group", "status"))
    answers: list[JudgedAnswer | None] = []
    outcomes: list[Outcome | str] = []
    gone = 0
    for question in questions:
        row = said[question["query_id"]]
        there = asked.get(question["query_id"])
        gone += there is None
        if row["judged"] is None or there is None:
            word = question["status"] if there is not None else HELD_OUT
            answers.append(None)
            outcomes.append(NO_REFERENCE if word == SCORED else word)
            continue
        answer = Answer(text=row["answer"], refused=row["refused"], finish=row["finish"], error=row["error"])
        reference = reference_of(there[1], there[0].status)
        answers.append(None if answer.failed else _answer(there[0], answer, reference, (row, question["group"])))
        outcomes.append(_outcome(answer, reference, Word(row["judged"])))
    groups = np.array([question["group"] for question in questions], dtype=np.int32)
    return JudgedArm(name=name, record=record, answers=tuple(answers), outcomes=tuple(outcomes), groups=groups), gone


def _answer(query: Query, answer: Answer, reference: Reference, found: tuple[Mapping[str, Any], int]) -> JudgedAnswer:
    row, group = found
    key = Key.of(query.text, answer, reference)
    shown = AnswerRow(
        id=key.short,
        query_id=query.id,
        question=query.text,
        answer=answer.text,
        declines=answer.refused,
        reference=reference_words(reference),
        reason=row["judge_reason"],
    )
    return JudgedAnswer(key=key, row=shown, judged=Word(row["judged"]), reason=row["judge_reason"], group=group)


def _outcome(answer: Answer, reference: Reference, word: Word) -> Outcome:
    return Outcome(
        answerable=reference.answerable,
        refused=answer.refused and not answer.failed,
        failed=answer.failed,
        word=word,
    )


def _settled(outcome: Outcome | str, review: Review | None) -> Outcome | str:
    if isinstance(outcome, str) or review is None:
        return outcome
    return Outcome(answerable=outcome.answerable, refused=outcome.refused, failed=outcome.failed, word=review.word)


def _typed(manifest: Manifest) -> str | None:
    """What runs a study again."""
    start = "rag-ablation study run "
    return next((command for command in manifest.commands if command.startswith(start)), None)


def _command_of(run: str, root: Path) -> str | None:
    """What runs the study again that a run belongs to."""
    for path in sorted((root / STUDIES).glob(f"*/{MANIFEST}")):
        with suppress(CommandError):  # another study, which is damaged
            manifest = read_manifest(path.parent.name, root)
            if run in manifest.runs.values():
                return _typed(manifest)
    return None
