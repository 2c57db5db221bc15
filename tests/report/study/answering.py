"""Arms with answers by hand: one letter for each question says what became of it.

    answered(arm("A", [0.5] * 4), "rwod")

is an arm with a right and a wrong answer, one that waits for review, and a refusal. Capital letters are questions
without an answer in the corpus. The measures come from `measures.answers`, as for any run.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rag_ablation.core.answers import Word
from rag_ablation.core.record import RecordedStage
from rag_ablation.core.results import Mean
from rag_ablation.experiment.means import recorded
from rag_ablation.experiment.study import Role
from rag_ablation.measures.answers import FINAL_AFTER_REVIEW, Outcome, answer_measures, with_open
from rag_ablation.measures.ranking import slices
from rag_ablation.report.study.inputs import ArmResult
from tests.report.study.build import GOLD, SHARED, arm

RIGHT, WRONG, OPEN = Word.CORRECT, Word.INCORRECT, Word.NEEDS_REVIEW
LETTERS: Mapping[str, Outcome | str] = {
    "r": Outcome(answerable=True, refused=False, failed=False, word=RIGHT, citation_precision=1.0, supported=1.0),
    "w": Outcome(answerable=True, refused=False, failed=False, word=WRONG, citation_precision=0.5, supported=0.0),
    "o": Outcome(answerable=True, refused=False, failed=False, word=OPEN, citation_precision=1.0, supported=1.0),
    "d": Outcome(answerable=True, refused=True, failed=False, word=WRONG),
    "f": Outcome(answerable=True, refused=False, failed=True, word=WRONG),
    "a": Outcome(answerable=True, refused=False, failed=False, word=None, supported=1.0),
    "D": Outcome(answerable=False, refused=True, failed=False, word=RIGHT),
    "W": Outcome(answerable=False, refused=False, failed=False, word=WRONG),
    "O": Outcome(answerable=False, refused=False, failed=False, word=OPEN),
    "F": Outcome(answerable=False, refused=False, failed=True, word=WRONG),
    "R": Outcome(answerable=False, refused=True, failed=False, word=WRONG),
    "u": "unreviewed",
    "n": "no_reference",
    "-": "not_applicable",
}
EXTRACTIVE: Mapping[str, Any] = {"name": "extractive", "scorer": "overlap", "threshold": 0.2}
OPENAI: Mapping[str, Any] = {
    "name": "openai",
    "model": "small",
    "currency": "USD",
    "retries": 4,
    "prompt": {"en": {"system": "Answer.", "user": "{passages} {question}"}},
}
RULES: Mapping[str, Any] = {"name": "rules", "tolerance": 0.0}
CLOSED_BOOK = {"context": {"name": "closed_book", "depth": 10}}
NOT_APPLICABLE = "generate=extractive: a closed book is not applicable"


def answered(
    made: ArmResult,
    said: str,
    *,
    generate: Mapping[str, Any] = EXTRACTIVE,
    judge: Mapping[str, Any] | None = RULES,
    version: str = "1",
    cost: float | None = None,
    tokens: Mapping[str, int] | None = None,
    kept: tuple[int, int, int] | None = None,
    rows: Mapping[str, Mapping[str, Any]] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> ArmResult:
    """The same arm with answers.

    Args:
        made: an arm on as many questions.
        said: a letter of `LETTERS` for each question.
        generate: settings of the generator.
        judge: settings of the judge, None without one.
        version: of the judge's rules.
        cost: of every question asked, None where the generator has none.
        tokens: in all, by kind.
        kept: kept units whose question is answered right, wrong, and not judged yet.
        rows: of the table `answers`, by question; what is not given is made up.
        facts: more that the judge recorded.
    """
    record, asked = made.record, not set(said) <= {"-"}
    found = answer_measures([LETTERS[letter] for letter in said])
    groups = made.groups.astype(np.int32)
    points = {name: recorded(name, one.mean, one.values, groups) for name, one in found.items()}
    settings = {**record.settings, "generate": generate} | ({} if judge is None else {"judge": judge})
    answers: dict[str, Any] = {"absent": NOT_APPLICABLE}
    if asked:
        priced = len(said) if cost is not None else 0
        total = None if cost is None else cost * priced
        answers = {"asked": len(said), "tokens": tokens or {}, "cost": total, "n_priced": priced}
    stages = [_stage("generate", generate, {})] if asked else []
    stages += [_stage("judge", judge, {"rules": version, **(facts or {})})] if asked and judge is not None else []
    evidence = dict(record.evidence)
    if kept is not None:
        evidence["answers"] = dict(zip(("answer_right", "answer_wrong", "answer_open"), kept, strict=True))
    return replace(
        made,
        record=replace(
            record,
            settings=settings,
            answers=answers,
            points={**record.points, "answer": points},
            slices={**record.slices, "type": _by_type(made, said)},
            stages=(*record.stages, *stages),
            evidence=evidence,
        ),
        values={**made.values, **{f"answer/{name}": one.values for name, one in found.items()}},
        rows=_with_rows(made, said, rows or {}),
    )


def ceiling(said: str, key: str = "Oracle", **given: Any) -> ArmResult:
    """An arm that is given the gold."""
    return answered(_bracket(key, said, GOLD), said, **given)


def floor(said: str, key: str = "Floor", **given: Any) -> ArmResult:
    """An arm that is given no context."""
    return answered(_bracket(key, said, CLOSED_BOOK), said, **given)


def step(key: str, said: str, *, parents: Sequence[str] = (), quality: float = 0.5, **given: Any) -> ArmResult:
    """An arm of the ladder; questions without an answer are not scored."""
    about = {name: given.pop(name) for name in ("settings", "types", "groups", "evidence", "tables") if name in given}
    values = [quality if letter.islower() and letter != "u" else None for letter in said]
    return answered(arm(key, values, parents=parents, **about), said, **given)


def _bracket(key: str, said: str, settings: Mapping[str, Any]) -> ArmResult:
    made = arm(key, [1.0] * len(said), role=Role.BRACKET, settings={**SHARED, **settings}, final=None)
    return replace(made, record=replace(made.record, points={}), values={})


def _stage(slot: str, section: Mapping[str, Any], facts: Mapping[str, Any]) -> RecordedStage:
    return RecordedStage(
        slot=slot,
        name=str(section["name"]),
        point="answer" if slot == "generate" else "verdict",
        seconds=1.0,
        reused=False,
        digest=slot,
        facts=facts,
    )


def _by_type(made: ArmResult, said: str) -> dict[str, dict[str, Any]]:
    """The measures of answers by question type, as a run records them."""
    found = answer_measures([LETTERS[letter] for letter in said])
    types = np.array(made.types, dtype=object)
    by_type: dict[str, dict[str, Any]] = {kind: {} for kind in sorted(set(made.types))}
    for name, one in found.items():
        for kind, mean in slices(one.values, list(made.types), one.status).items():
            rows = np.flatnonzero(types == kind)
            told: Mean = (
                with_open(mean, [one.status[row] for row in rows.tolist()]) if name in FINAL_AFTER_REVIEW else mean
            )
            by_type[kind][f"answer/{name}"] = recorded(name, told, one.values[rows], made.groups[rows].astype(np.int32))
    return by_type


def _with_rows(made: ArmResult, said: str, given: Mapping[str, Mapping[str, Any]]) -> Any:
    table = [
        {
            "query_id": query,
            "asked": letter != "-",
            "answer": "" if letter in "dDRfF" else f"answer to {query}",
            "refused": letter in "dDR",
            "cited": [] if letter in "dDRfF" else ["p1"],
            "finish": "error" if letter in "fF" else "stop",
            "error": "no reply" if letter in "fF" else None,
            "verdict": _word(letter),
            "reason": "as made up",
        }
        | dict(given.get(query, {}))
        for query, letter in zip(made.query_ids, said, strict=True)
    ]

    def rows(name: str, query: str | None) -> Sequence[Mapping[str, Any]]:
        if name != "answers":
            return made.rows(name, query)
        return [row for row in table if query in (None, row["query_id"])]

    return rows


def _word(letter: str) -> str | None:
    outcome = LETTERS[letter]
    return None if isinstance(outcome, str) or outcome.word is None else str(outcome.word)


def letters(**counts: int) -> str:
    """`letters(r=3, w=1)` is `rrrw`."""
    return "".join(letter * n for letter, n in counts.items())


def counted(said: str) -> Counter[str]:
    """How often each letter stands in it."""
    return Counter(said)
