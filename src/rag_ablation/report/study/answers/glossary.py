"""The words that only a report with answers needs."""

from collections.abc import Mapping

from rag_ablation.report.study.answers.lost import OPEN, RIGHT, WRONG
from rag_ablation.report.study.answers.read import has_answers
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text, code, text

LEADS: Mapping[str, str] = {
    "right refusals": "right refusal, false refusal",
    "false refusals": "right refusal, false refusal",
    "open verdicts": "open verdict",
    "right answers": "right answer",
    "floor to ceiling": "ceiling and floor of answers",
    "citation precision": "citation precision, supported",
    "supported": "citation precision, supported",
    "failed": "failed answer",
}
"""Which word of the glossary a head of a table leads to."""


WORDS: tuple[tuple[Text, Text], ...] = (
    (
        text("right answer", "答对"),
        text(
            "judged to hold what the reference asks for and nothing that it forbids; a failed answer and a refusal "
            "of a question with an answer are wrong",
            "判定为含有参考答案所要求的内容且没有其所禁止的；失败的答案，以及有答案却拒答，都算错",
        ),
    ),
    (
        text("open verdict", "待定"),
        text(
            "the judge cannot decide and a person has to; until then a share lies between all open ones wrong and "
            "all of them right",
            "判定程序无法决定、须由人判的答案；在此之前，比例落在待定全部计错与全部计对之间",
        ),
    ),
    (
        text("ceiling and floor of answers", "答案的上限与下限"),
        text(
            "the share of right answers of the same generator given the gold alone, and given nothing; the share "
            "of the way between them is (arm − floor) / (ceiling − floor)",
            "同一生成器在只给标注证据时与什么都不给时的答对比例；两者之间的份额为（方案 − 下限）/（上限 − 下限）",
        ),
    ),
    (
        text("right refusal, false refusal", "正确拒答、误拒"),
        say(
            "to decline a question of status {status}, where that is right; to decline one that the corpus answers",
            "对状态为 {status} 的题拒答，这是对的；对语料中有答案的题拒答",
            status=code("no_answer"),
        ),
    ),
    (
        text("citation precision, supported", "引用精确率、有据"),
        text(
            "share of the cited passages that are gold, over answers that cite something; share of given answers "
            "that cite gold and nothing outside their context",
            "所引段落中标注证据的比例，在有引用的答案上计；所给答案中引用了标注证据且没有引用上下文之外的比例",
        ),
    ),
    (
        text("failed answer", "失败的答案"),
        text(
            "no text and no refusal: an error of the generator; it counts as wrong",
            "既无文字也非拒答：生成器出错；按答错计",
        ),
    ),
    (
        text("kept, by answer", "留下者，按答案"),
        say(
            "{right}, {wrong}, {open}: gold kept in the context whose question is answered right, wrong, or waits "
            "for a verdict; kept and wrong is the generator's loss",
            "{right}、{wrong}、{open}：留在上下文的标注证据，对应的题答对、答错或待判定；留下而答错是生成器的损失",
            right=code(RIGHT),
            wrong=code(WRONG),
            open=code(OPEN),
        ),
    ),
)


def words_of_answers(results: StudyResults) -> tuple[tuple[Text, Text], ...]:
    """Word and meaning; none of a study without answers."""
    return WORDS if has_answers(results) else ()
