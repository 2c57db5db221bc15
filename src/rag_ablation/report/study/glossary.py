"""The words of a report, one meaning each."""

from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import ALPHA, GROUPS_FOR_A_VERDICT
from rag_ablation.measures.planning import POWER
from rag_ablation.report.study.answers.glossary import words_of_answers
from rag_ablation.report.study.arms import described
from rag_ablation.report.study.figures import percent_of, short
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.prose import joined, say
from rag_ablation.report.study.terms import FATES, GROUP, NO_PROOF
from rag_ablation.report.study.verdict.glossary import words_of_a_holdout
from rag_ablation.report.study.words import Text, code, same, text

ADJUSTED = (
    text("adjusted p", "校正 p"),
    text(
        "p of the sign-flip test after Holm: the chance of even one false claim among all declared steps stays "
        "at the level",
        "符号翻转检验的 p 经 Holm 校正：全部声明的步骤中哪怕误判一步的机会也不超过水平",
    ),
)
GROUP_WORD = (text("group", "组"), GROUP)


def glossary(results: StudyResults) -> tuple[tuple[Text, Text], ...]:
    """Word and meaning: the arms of this study, then the words that the first screen needs first.

    Args:
        results: the study's arms.
    """
    verdicts = _verdicts() if results.holdout is None else (*words_of_a_holdout(), GROUP_WORD)
    return (
        *_arms(results),
        *verdicts,
        *_exploratory(),
        *_statistics(results),
        *_measuring(),
        *_evidence(),
        *words_of_answers(results),
    )


def _arms(results: StudyResults) -> tuple[tuple[Text, Text], ...]:
    """What each key of the ladder and each bracket stands for."""
    arms = [arm for role in (Role.LADDER, Role.BRACKET) for arm in results.study.arms if arm.role is role]
    each = [say("{key} = {what}", "{key} = {what}", key=code(arm.key), what=described(results, arm)) for arm in arms]
    return ((text("arms", "方案"), joined(each, "; ", "；")),) if each else ()


def _verdicts() -> tuple[tuple[Text, Text], ...]:
    return (
        (
            text("better, worse", "更好、更差"),
            say(
                "the interval excludes 0 and the adjusted p is {alpha} or less; of declared steps only",
                "区间不含 0 且校正 p 不大于 {alpha}；只用于声明的步骤",
                alpha=short(ALPHA),
            ),
        ),
        (
            text("not distinguishable", "无法区分"),
            text("the data cannot tell; it does not say that the two are equal", "数据分辨不出；并不是说两者相等"),
        ),
        (
            text("no verdict", "不下结论"),
            say(
                "under {few} groups, where no p can be small enough",
                "不足 {few} 组，p 不可能足够小",
                few=str(GROUPS_FOR_A_VERDICT),
            ),
        ),
        GROUP_WORD,
    )


def _exploratory() -> tuple[tuple[Text, Text], ...]:
    return (
        (
            text("exploratory", "探索性"),
            text(
                "outside what was declared to be judged: intervals that are not adjusted, no verdict",
                "在声明要判定的之外：区间未经校正，不下结论",
            ),
        ),
        (
            text("named before the runs", "运行前点名"),
            text(
                "a difference on one question type that the study asked for before anything ran; outside the family "
                "too, so unadjusted and without a verdict",
                "研究在运行之前就指定要看的、某一问题类型上的差异；同样在检验族之外，故未校正，不下结论",
            ),
        ),
        (
            text("parent, child", "父方案、子方案"),
            text(
                "an arm, and one that changes it: a step is child − parent",
                "一个方案，与由它改动而来的方案：一步即子方案 − 父方案",
            ),
        ),
    )


def _statistics(results: StudyResults) -> tuple[tuple[Text, Text], ...]:
    return (
        (
            text("95 % interval", "95 % 区间"),
            text(
                "cluster-robust t over groups; read a difference by its own interval, not by whether two intervals of "
                "means overlap",
                "按组聚类稳健 t；看差值自己的区间，不看两个均值区间是否重叠",
            ),
        ),
        (
            text("sign-flip test", "符号翻转检验"),
            text(
                "how often differences as large arise when each group's sign is a coin toss",
                "若每组差值的正负全凭抛硬币，出现同样大差异的比例",
            ),
        ),
        *(() if results.holdout is not None else (ADJUSTED,)),
        (
            text("detectable difference", "可检出差异"),
            say(
                "smallest difference that was likely to show ({power} power); {planning}",
                "大概率（功效 {power}）能检出的最小差异；{planning}",
                power=percent_of(POWER),
                planning=NO_PROOF,
            ),
        ),
        (
            text("confounded", "混杂"),
            text(
                "a step that changes several factors at once: the difference cannot be put down to one of them",
                "一步同时改动几个因素：差异不能归于其中任何一个",
            ),
        ),
    )


def _measuring() -> tuple[tuple[Text, Text], ...]:
    points = joined([code(name) for name in ("sparse", "dense", "fused", "reranked", "context")], ", ", "、")
    return (
        (
            text("measuring point", "测量点"),
            say(
                "where ordered ids are recorded and scored: {points}; {final} is the last ranking",
                "记录并计分有序编号之处：{points}；{final} 为最后一个排序",
                points=points,
                final=code("final"),
            ),
        ),
        (
            text("window, pool", "窗口、候选池"),
            text(
                "how deep fusion looks into each list; how many first passages the next stage reads, the reranker or, "
                "without one, the context",
                "融合看每个列表多深；下一阶段（重排器，没有时为上下文）读前多少段",
            ),
        ),
        (
            text("ceiling", "上限"),
            text(
                "of recall at K: what a perfect ranking would reach, below 1 where a question has more gold passages "
                "than K",
                "K 处召回的上限：完美排序所能达到的值；标注证据多于 K 段的题使之低于 1",
            ),
        ),
        (
            same("–"),
            text("undefined or absent, with the reason beside it; never 0", "无定义或缺失，理由在旁；绝不写作 0"),
        ),
    )


def _evidence() -> tuple[tuple[Text, Text], ...]:
    each = [say("{name} {what}", "{name} {what}", name=code(name), what=what) for name, what in FATES.items()]
    return (
        (
            text("gold passage, judged", "标注证据、已判定"),
            text("labelled relevant; labelled at all, relevant or not", "标为相关；有标注，无论相关与否"),
        ),
        (text("fate", "去向"), joined(each, "; ", "；")),
    )
