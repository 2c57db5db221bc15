"""The words that only the report of a holdout needs."""

from rag_ablation.measures.family import GROUPS_FOR_A_VERDICT
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.words import Text, text


def words_of_a_holdout() -> tuple[tuple[Text, Text], ...]:
    """Word and meaning."""
    return (
        (
            text("holdout", "留出集"),
            text(
                "questions that no setting was chosen on; a plan is run on them once",
                "没有用来选过设置的题；一个计划在其上只运行一次",
            ),
        ),
        (
            text("plan, candidate, baseline", "计划、候选、基线"),
            text(
                "what was frozen before the holdout was opened: the arm that is to be adopted or not, the arms that it "
                "must beat, the rule, and digests of all that must not change",
                "打开留出集之前冻结的内容：要不要采用的方案、它须胜过的方案、规则，以及不得改动的一切的摘要",
            ),
        ),
        (
            text("passes, falls behind", "通过、落后"),
            text(
                "the interval of candidate − baseline lies above 0 and the difference reaches δ; it lies below 0",
                "候选 − 基线的区间高于 0 且差值达到 δ；区间低于 0",
            ),
        ),
        (
            text("stays open", "未定"),
            say(
                "the interval holds 0; it does not say that the two are equal. Under {few} groups nothing is decided",
                "区间含 0；并不是说两者相等。不足 {few} 组则不作判定",
                few=str(GROUPS_FOR_A_VERDICT),
            ),
        ),
        (
            text("dev less holdout", "开发集减留出集"),
            text(
                "the same result on the questions that it was tuned on, less that on those that it was not: two sets "
                "of questions, so an interval for independent means (Welch, by group)",
                "同一结果在调参所用的题上减去在未用过的题上的值：两组不同的题，故用独立均值的区间（Welch，按组）",
            ),
        ),
    )
