"""Which generator and judge the answers come from: what must agree before two reports compare on answers."""

from collections.abc import Sequence

from rag_ablation.report.study.answers import read
from rag_ablation.report.study.answers.names import told
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.words import Text, text

Line = tuple[Text, Text]


def lines_of_answers(results: StudyResults) -> tuple[Line, ...]:
    """Generator and judge; where arms differ, each way with its arms. None of a study without answers."""
    arms = read.asked(results)
    if not arms:
        return ()
    judged = [arm for arm in arms if read.JUDGE in arm.record.settings]
    lines = [(text("generator", "生成器"), _ways(arms, read.GENERATE))]
    if judged:
        lines.append((text("judge", "判定"), _ways(judged, read.JUDGE)))
    return tuple(lines)


def _ways(arms: Sequence[ArmResult], slot: str) -> Text:
    ways: dict[Text, list[str]] = {}
    for arm in arms:
        ways.setdefault(told(arm, slot), []).append(arm.key)
    if len(ways) == 1:
        return next(iter(ways))
    each = [say("{arms}: {told}", "{arms}：{told}", arms=", ".join(keys), told=way) for way, keys in ways.items()]
    return joined(each, "; ", "；")
