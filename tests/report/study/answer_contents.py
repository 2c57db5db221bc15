"""Answers for reports made by hand: settled and open ones, with cost and without, with names full of markup."""

from collections.abc import Sequence
from dataclasses import replace

from rag_ablation.report.study.content import Answers, Flip, GivenAnswer, Lost, StudyReport
from rag_ablation.report.study.report import report_of
from rag_ablation.report.study.words import same
from tests.report.study.answering import OPENAI, ceiling, floor, letters, step
from tests.report.study.build import study

TYPES = ["single_hop"] * 40 + ["exact_code"] * 34 + ["multi_hop"] * 22 + ["permission"] * 20 + ["vague"] * 4


def open_answers(keys: Sequence[str]) -> Answers:
    """Every arm has open verdicts; the closed book is not applicable, and nothing has a cost."""
    arms = [step(key, _said(60 + place, 12, place), types=TYPES) for place, key in enumerate(keys)]
    return _answers(*arms, ceiling(_said(80, 6, 0)), floor("-" * len(TYPES)))


def settled_answers(keys: Sequence[str]) -> Answers:
    """All verdicts are settled, the last arm lies above the ceiling, and every answer has a cost."""
    arms = [
        step(key, _said(50 + 6 * place, 0, place), types=TYPES, generate=OPENAI, cost=0.0004 * 1.7**place)
        for place, key in enumerate(keys)
    ]
    ends = (
        ceiling(_said(44 + 6 * len(keys), 0, 0), generate=OPENAI, cost=0.0003),
        floor(_said(12, 0, 0), generate=OPENAI, cost=0.0001),
    )
    return _answers(*arms, *ends)


def mixed_answers(keys: Sequence[str]) -> Answers:
    """Some arms are open and some settled, on the plane of cost too; one arm has failed answers."""
    arms = [
        step(key, _said(36 + 4 * place, 9 * (place % 2), place), types=TYPES, generate=OPENAI, cost=0.002 / (place + 1))
        for place, key in enumerate(keys)
    ]
    failed = step(f"{keys[0]}f", letters(r=60, f=40, D=15, F=5), types=TYPES, generate=OPENAI, cost=0.0011)
    return _answers(*arms, failed, ceiling(_said(90, 3, 0), generate=OPENAI))


def with_answers(report: StudyReport, answers: Answers) -> StudyReport:
    """The report with answers everywhere that they show: a section, the kept evidence, the questions that moved."""
    lost, flips = report.lost, report.flips
    return replace(
        report,
        answers=answers,
        lost=None if lost is None else _with_kept(lost),
        flips=None if flips is None else replace(flips, questions=tuple(map(_with_given, flips.questions))),
    )


def _answers(*arms: object) -> Answers:
    found = report_of(study(*arms)).answers  # type: ignore[arg-type]
    assert found is not None
    return found


def _said(right: int, waiting: int, refused: int) -> str:
    """100 questions with an answer, 20 without."""
    return letters(
        r=right, o=waiting, d=refused, w=100 - right - waiting - refused, D=14, W=4, O=2 if waiting else 0
    ) + ("" if waiting else "WW")


def _with_kept(lost: Lost) -> Lost:
    became = {}
    for arm in lost.arms[:-1]:
        kept = lost.counts[arm].get("kept", 0)
        became[arm] = {"answer_right": kept // 2, "answer_wrong": kept - kept // 2 - 3, "answer_open": 3}
    return replace(lost, answers=became, answered=same(f"Of those kept in {lost.arms[0]} half is answered right."))


def _with_given(flip: Flip) -> Flip:
    data = flip.question or "an answer\nof two lines"
    said = (
        GivenAnswer(text=data, refused=False, error=None, cited=(data, "p2"), word="correct", reason=f"holds {data}"),
        GivenAnswer(text="", refused=True, error=None, cited=(), word="incorrect", reason="refused"),
        GivenAnswer(text="", refused=False, error=f"no reply: {data}", cited=(), word=None, reason=None),
    )
    columns = [replace(column, answer=given) for column, given in zip(flip.columns, said, strict=False)]
    return replace(flip, columns=tuple(columns))
