"""From contexts to answers, verdicts and their measures.

Legend: Q questions.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple, TypedDict

from rag_ablation.core.answers import Answer, Reference, Verdict, Word, reference_of
from rag_ablation.core.digest import digest_json
from rag_ablation.core.errors import DataError, StageError
from rag_ablation.core.evalset import EvalSet
from rag_ablation.core.qrels import Qrels
from rag_ablation.core.queries import Status
from rag_ablation.core.rankings import Rankings
from rag_ablation.core.record import RecordedStage
from rag_ablation.core.results import SCORED, Answered, Evidence, PointValues
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.reviewing import Reviewed, reviewed
from rag_ablation.experiment.timed import timed
from rag_ablation.measures.answers import Outcome, answer_measures, citation_precision, supported
from rag_ablation.measures.fates import Fate
from rag_ablation.stages.answering import Judging, Reading
from rag_ablation.stages.base import Cache

NO_CUTOFF = 0
NO_REFERENCE = "no_reference"
NOT_APPLICABLE = "not_applicable"
RIGHT, WRONG, OPEN = "answer_right", "answer_wrong", "answer_open"
KEPT_AS = (RIGHT, WRONG, OPEN)
NEEDS_PASSAGES = "a closed book is not applicable to a generator that takes its answers from the context"


def answered(
    pipeline: Pipeline, evalset: EvalSet, context: Rankings, gold: tuple[Qrels, Sequence[str]], cache: Cache
) -> Answered | None:
    """Answer every question from its context and judge the answers; None for an arm without a generator.

    Args:
        pipeline: the arm, without `auto`.
        evalset: the questions, with their labels.
        context: (Q,) passages shown for each question.
        gold: relevant passages, and (Q,) whether each question is scored, or why not.
        cache: where responses and arrays are kept.

    Raises:
        StageError: the generator or the judge failed as a whole.
        ModelError: a model cannot be had.
    """
    generator = pipeline.generate
    if generator is None:
        return None
    name = pipeline.names["generate"]
    if generator.needs_context and not context.lengths.any():
        return _not_applicable(evalset, name)
    contexts = tuple(tuple(row for row in shown if row >= 0) for shown in context.passages.tolist())
    reading = Reading(queries=evalset.queries, contexts=contexts, passages=evalset.passages, language=evalset.language)
    generated, seconds = timed("generate", lambda: generator.generate(reading, cache))
    _check(generated.answers, evalset)
    answers, references = generated.answers, references_of(evalset, gold[1])
    judged, after, by = _judged(pipeline, evalset, (answers, references, contexts), cache)
    return Answered(
        answers=answers,
        verdicts=after.verdicts,
        references=tuple(one if isinstance(one, Reference) else None for one in references),
        stages=(_stage("generate", name, answers, generated.facts, seconds), *by),
        judged=judged,
        **_measured(_outcomes(evalset, answers, after.verdicts, references, (contexts, gold[0]))),
    )


def with_answers(evidence: Evidence, evalset: EvalSet, found: Answered) -> Evidence:
    """The fates with what became of each kept unit: its question answered right, wrong, or not decided yet.

    Args:
        evidence: of the arm.
        evalset: what it ran on.
        found: its answers.
    """
    said = dict(zip(evalset.queries.ids, map(_kept_as, found.verdicts), strict=True))
    table = evidence.tables["fates"]
    kept = [
        said[str(query)] if fate == Fate.KEPT else None
        for query, fate in zip(table["query_id"], table["fate"], strict=True)
    ]
    counts = Counter(word for word in kept if word is not None)
    return replace(
        evidence,
        answers={word: counts.get(word, 0) for word in KEPT_AS},
        tables={**evidence.tables, "fates": {**table, "answer": kept}},
    )


def _kept_as(verdict: Verdict | None) -> str:
    if verdict is None or verdict.word is Word.NEEDS_REVIEW:
        return OPEN
    return RIGHT if verdict.word is Word.CORRECT else WRONG


class _Measured(TypedDict):
    values: PointValues
    status: Mapping[str, tuple[str, ...]]


def _measured(outcomes: Sequence[Outcome | str]) -> _Measured:
    """The measures of answers as those of a measuring point without cutoffs."""
    found = answer_measures(outcomes)
    values = PointValues(
        per_query={(name, NO_CUTOFF): counted.values for name, counted in found.items()},
        means={(name, NO_CUTOFF): counted.mean for name, counted in found.items()},
    )
    return {"values": values, "status": {name: counted.status for name, counted in found.items()}}


def _not_applicable(evalset: EvalSet, name: str) -> Answered:
    n = len(evalset.queries)
    return Answered(
        answers=(None,) * n,
        verdicts=(None,) * n,
        references=(None,) * n,
        stages=(),
        **_measured([NOT_APPLICABLE] * n),
        absent=f"generate={name}: {NEEDS_PASSAGES}",
    )


def references_of(evalset: EvalSet, status: Sequence[str]) -> list[Reference | str]:
    """(Q,) what would have been right, or why the question is not judged.

    Args:
        evalset: the questions, with their labels.
        status: (Q,) `scored`, or why a question is not.

    Raises:
        DataError: a label of another form.
    """
    found: list[Reference | str] = []
    for query, labels, word in zip(evalset.queries.rows, evalset.labels, status, strict=True):
        if word != SCORED and query.status is not Status.NO_ANSWER:
            found.append(word)
            continue
        try:
            reference = reference_of(labels, query.status)
        except DataError as error:
            raise StageError("judge", str(error), query.id) from error
        found.append(reference or NO_REFERENCE)
    return found


_Given = tuple[Sequence[Answer], Sequence[Reference | str], Sequence[Sequence[int]]]
"""(Q,) answers, references or why there is none, and contexts."""


class _Judged(NamedTuple):
    """(Q,) what the judge said, what stands after people looked, and the stage, if there is a judge."""

    judged: tuple[Verdict | None, ...]
    after: Reviewed
    stages: tuple[RecordedStage, ...]


def _judged(pipeline: Pipeline, evalset: EvalSet, given: _Given, cache: Cache) -> _Judged:
    answers, references, contexts = given
    verdicts: list[Verdict | None] = [None] * len(answers)
    judge = pipeline.judge
    if judge is None:
        return _Judged(tuple(verdicts), Reviewed(tuple(verdicts), {}), ())
    rows = [row for row, reference in enumerate(references) if isinstance(reference, Reference)]
    judging = _judging(evalset, answers, references, contexts, rows)
    found, seconds = timed("judge", lambda: judge.judge_all(judging, cache))
    if len(found.verdicts) != len(rows):
        raise StageError("judge", f"{len(found.verdicts)} verdicts on {len(rows)} answers")
    for row, verdict in zip(rows, found.verdicts, strict=True):
        verdicts[row] = verdict
    after = reviewed(evalset, answers, references, verdicts)
    facts = {**found.facts, **after.facts}
    return _Judged(tuple(verdicts), after, (_stage("judge", pipeline.names["judge"], found.verdicts, facts, seconds),))


def _judging(
    evalset: EvalSet,
    answers: Sequence[Answer],
    references: Sequence[Reference | str],
    contexts: Sequence[Sequence[int]],
    rows: Sequence[int],
) -> Judging:
    passages = evalset.passages
    return Judging(
        questions=tuple(evalset.queries.texts[row] for row in rows),
        answers=tuple(answers[row] for row in rows),
        references=tuple(one for row in rows if isinstance(one := references[row], Reference)),
        contexts=tuple(tuple((passages.ids[one], passages.text(one)) for one in contexts[row]) for row in rows),
        language=evalset.language,
    )


def _outcomes(
    evalset: EvalSet,
    answers: Sequence[Answer],
    verdicts: Sequence[Verdict | None],
    references: Sequence[Reference | str],
    shown: tuple[Sequence[Sequence[int]], Qrels],
) -> list[Outcome | str]:
    contexts, gold = shown
    ids = evalset.passages.ids
    relevant: list[list[str]] = [[] for _ in answers]
    for query, passage in zip(gold.query_rows.tolist(), gold.unit_rows.tolist(), strict=True):
        relevant[query].append(ids[passage])
    found: list[Outcome | str] = []
    for row, answer in enumerate(answers):
        reference, verdict = references[row], verdicts[row]
        if isinstance(reference, str):
            found.append(reference)
            continue
        found.append(
            Outcome(
                answerable=reference.answerable,
                refused=answer.refused and not answer.failed,
                failed=answer.failed,
                word=None if verdict is None else verdict.word,
                citation_precision=citation_precision(answer.cited, relevant[row]),
                supported=supported(answer.cited, [ids[one] for one in contexts[row]], relevant[row]),
            )
        )
    return found


def _check(answers: Sequence[Answer], evalset: EvalSet) -> None:
    if len(answers) != len(evalset.queries):
        raise StageError("generate", f"{len(answers)} answers to {len(evalset.queries)} questions")


def _stage(
    slot: str, name: str, said: Sequence[Answer | Verdict], facts: Mapping[str, object], seconds: float
) -> RecordedStage:
    return RecordedStage(
        slot=slot,
        name=name,
        point="answer" if slot == "generate" else "verdict",
        seconds=seconds,
        reused=False,
        digest=digest_json([asdict(one) for one in said]),
        facts=dict(facts),
    )


def shown_gold(gold: Qrels, relevant_from: int) -> Qrels:
    """The judgements of at least this grade."""
    return gold.without(gold.grades < relevant_from)


def answer_table(evalset: EvalSet, found: Answered) -> dict[str, Sequence[object]]:
    """Long-form columns: what was read, said, cited and decided, one row for each question.

    `verdict` and `reason` are what stands after review, `judged` and `judge_reason` what the judge said.
    """
    answers, verdicts, judged = found.answers, found.verdicts, found.judged
    said = [one or Answer(text="") for one in answers]
    return {
        "query_id": list(evalset.queries.ids),
        "asked": [one is not None for one in answers],
        "answer": [one.text for one in said],
        "refused": [one.refused for one in said],
        "cited": [list(one.cited) for one in said],
        "finish": [one.finish for one in said],
        "error": [one.error for one in said],
        "prompt_tokens": [one.tokens.get("prompt") for one in said],
        "completion_tokens": [one.tokens.get("completion") for one in said],
        "cost": [one.cost for one in said],
        "prompt": [one.prompt for one in said],
        "verdict": [None if one is None else str(one.word) for one in verdicts],
        "reason": [None if one is None else one.reason for one in verdicts],
        "evidence": [[] if one is None else list(one.evidence) for one in verdicts],
        "judged": [None if one is None else str(one.word) for one in judged],
        "judge_reason": [None if one is None else one.reason for one in judged],
    }
