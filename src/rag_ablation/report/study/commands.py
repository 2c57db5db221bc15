"""What to type: how to repeat a study, and how to look closer."""

import shlex

import numpy as np

from rag_ablation.report.study.answers.names import settings_of
from rag_ablation.report.study.answers.read import GENERATE, JUDGE, asked
from rag_ablation.report.study.choice import chosen, focus_of
from rag_ablation.report.study.content import Ladder, LadderStep
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.recorded import gaps_of
from rag_ablation.report.study.remedies import largest_fate
from rag_ablation.report.study.words import Text, text

PROGRAM = "rag-ablation"
RULES = "rules"
EMBEDDED = ("extractive", "transformers", RULES)
"""Generators and judges that run here: they say the same again."""
ANSWERING = (GENERATE, JUDGE)
COMMENTS = {
    "data check": text("reads every file and tells every problem", "读取全部文件，报告全部问题"),
    "study plan": text("what the study can show, before anything runs", "运行之前：这项研究能看出什么"),
    "study run": text(
        "finished arms are reused by digest; resume=false runs all of them again",
        "已完成的方案按摘要复用；加 resume=false 则全部重新运行",
    ),
    "latency": text("all arms interleaved, in one process", "各方案在同一进程内交错计时"),
    "report": text("writes this file", "写出本文件"),
    "freeze show": text("what was frozen before the holdout was opened", "打开留出集之前冻结的内容"),
    "holdout --study": text(
        "replays the plan: nothing is opened again, and every ranking is held against what was noted",
        "重放计划：不再打开任何东西，每个排序都与当时所记核对",
    ),
    "holdout status": text("what the ledger says", "账本所记"),
}

Group = tuple[tuple[Text | None, str], ...]


def commands_of(results: StudyResults, ladder: Ladder) -> tuple[Group, ...]:
    """The commands of the study as they are, then those that look closer, with the names of its own runs.

    Args:
        results: the study's arms.
        ladder: every step.

    Returns:
        Groups that are not empty.
    """
    repeat = tuple((_comment(command), command) for command in results.commands)
    closer = (*_compare(results, ladder), *_fate(results, ladder))
    return tuple(group for group in (repeat, closer) if group)


def _comment(command: str) -> Text | None:
    words = command.removeprefix(f"{PROGRAM} ")
    return next((said for start, said in COMMENTS.items() if words.startswith(f"{start} ")), None)


def _compare(results: StudyResults, ladder: Ladder) -> Group:
    """The step of the conclusion, question by question, and the question that moved most in it."""
    concluded = chosen(ladder.rows).steps() or tuple(step for step in ladder.steps() if step.comparison is not None)
    if not concluded:
        return ()
    step = concluded[0]
    child, parent = results.arm(step.child), results.arm(step.parent)
    if child is None or parent is None:
        return ()
    found: list[tuple[Text | None, str]] = [
        (
            text("two arms, question by question", "两个方案逐题比较"),
            _typed("compare", results.name_of(parent.key), results.name_of(child.key)),
        )
    ]
    moved = most_moved(results, step)
    lower = None if moved is None else _lower(results, child, parent, moved)
    if moved is not None and lower is not None and lower.record.evidence:
        said = text(
            "the question that moved most, at every measuring point of the arm that is lower on it",
            "变动最大的题，在得分较低的方案的每个测量点",
        )
        found.append((said, _typed("explain", results.name_of(lower.key), moved)))
    return tuple(found)


def most_moved(results: StudyResults, step: LadderStep) -> str | None:
    """Id of the question with the largest difference of a step, the first of equals; None where none moved."""
    child, parent = results.arm(step.child), results.arm(step.parent)
    if child is None or parent is None:
        return None
    gaps = np.abs(gaps_of(child, parent, results.study.primary))
    if not np.nansum(gaps):
        return None
    return child.query_ids[int(np.nanargmax(gaps))]


def _lower(results: StudyResults, child: ArmResult, parent: ArmResult, query: str) -> ArmResult:
    """The arm in which the evidence of a question was lost."""
    row, primary = list(child.query_ids).index(query), results.study.primary
    return child if child.values[primary][row] < parent.values[primary][row] else parent


def repeats(results: StudyResults) -> Text:
    """How far the numbers can be had again; code that was never committed cannot be."""
    if any(arm.record.environment.get("dirty") for arm in results.arms):
        return text(
            "The runs were made with changes that were not committed, so the commit alone does not give these numbers "
            "again; latency never repeats exactly.",
            "运行时的代码有未提交的改动，仅凭提交号未必能复现这些数值；延迟从不能精确复现。",
        )
    if any(settings_of(arm, slot).get("name", RULES) not in EMBEDDED for arm in asked(results) for slot in ANSWERING):
        return text(
            "On the same machine with the same libraries the figures of retrieval repeat to the last bit, and answers "
            "come from the store; a server that is asked again may answer otherwise. Latency does not repeat.",
            "同一台机器、同样的库，检索的数值可逐位复现，答案取自存储；再次询问服务器，回答可能不同。延迟不能复现。",
        )
    return text(
        "On the same machine with the same libraries quality repeats to the last bit; latency does not.",
        "同一台机器、同样的库，质量数值可逐位复现；延迟不能。",
    )


def _fate(results: StudyResults, ladder: Ladder) -> Group:
    """The questions of the largest loss of the arm in focus."""
    key = focus_of(ladder.rows)
    arm = None if key is None else results.arm(key)
    fate = None if arm is None else largest_fate(arm)
    if arm is None or fate is None:
        return ()
    said = text("the questions of one fate, worst first", "某一去向的题，最差在前")
    return ((said, _typed("explain", results.name_of(arm.key), "--fate", fate)),)


def _typed(*words: str) -> str:
    return " ".join([PROGRAM, *map(shlex.quote, words)])
