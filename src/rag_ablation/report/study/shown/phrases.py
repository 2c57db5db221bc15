"""Standing words of the report, each in English and in Chinese; what is computed stands in `captions`."""

from collections.abc import Mapping

from rag_ablation.report.study.words import Text, text

PHRASES: Mapping[str, Text] = {
    # head of the page
    "skip": text("To the conclusion", "直接看结论"),
    "in_this_report": text("In this report", "本报告内容"),
    "threats_to_it": text("threats to this conclusion", "本结论面临的威胁"),
    "next": text("What follows", "接下来做什么"),
    "made_by": text(
        "Recall and every measure built on it speak of labelled evidence, not of all that is relevant in the world.",
        "召回率及由它而来的指标只就已标注的证据而言，不代表世上所有相关的内容。",
    ),
    # denominators
    "asked": text("asked", "提问"),
    "scored": text("scored", "计分"),
    "excluded": text("excluded", "排除"),
    "group": text("group", "组"),
    "none_excluded": text("none: every question asked is scored", "无：所提问题全部计分"),
    # verdict on a holdout
    "rule_was": text("The rule was", "规则是"),
    "observed": text("Observed", "观察到"),
    "therefore": text("Therefore", "因此"),
    "marked": text("Marked", "标记"),
    "plans": text("On the holdout", "在留出集上"),
    "tuning": text("How much was tuning", "有多少来自调参"),
    "tuning_caption": text(
        "Dev less holdout, 95 % interval (Welch, by group). The two sides hold different questions, so this also holds "
        "how hard they are; a difference of two arms less so than a mean.",
        "开发集减留出集，95 % 区间（Welch，按组）。两边的题不同，故其中也有题目难易之别；方案之差受此影响小于均值。",
    ),
    "what": text("what", "比较"),
    "on_dev": text("on dev", "开发集"),
    "on_holdout": text("on the holdout", "留出集"),
    "dev_less_holdout": text("dev less holdout", "开发集减留出集"),
    "mean_of_arm": text("mean", "均值"),
    "by_rule": text("by the rule", "按规则"),
    "slice": text("slice", "切片"),
    "slices_caption": text(
        "The primary measure on parts of the questions: mean, 95 % interval (from 6 groups on), n",
        "主要指标在部分题上：均值、95 % 区间（满 6 组才列）、n",
    ),
    "measures_caption": text(
        "Means, and candidate less baseline with its 95 % interval, not adjusted",
        "均值，以及候选减基线与 95 % 区间，未经校正",
    ),
    "measure": text("measure", "指标"),
    "primary_mark": text("the rule's", "规则所看"),
    "measures_numbers": text("All that is shown", "逐项列出"),
    # ladder
    "arm_and_change": text("Arm and its one change", "方案与它的一处改动"),
    "mean": text("mean", "均值"),
    "step": text("step", "步"),
    "difference_interval": text("Difference, 95 % interval", "差值与 95 % 区间"),
    "difference": text("difference", "差值"),
    "adjusted_p": text("adj. p", "校正 p"),
    "wtl": text("W/T/L", "胜/平/负"),
    "verdict": text("verdict", "结论"),
    "better_parent": text("the better of several parents on these questions.", "多个父方案中在本题集上较好的一个。"),
    "undefined": text("undefined", "无定义"),
    "undefined_because": text("undefined: ", "无定义："),
    "remark": text("remark", "说明"),
    "no_step": text("no step", "没有步"),
    # all numbers of the steps
    "t_interval": text("95 % t", "95 % t"),
    "bootstrap": text("95 % bootstrap", "95 % 自助法"),
    "p_flips": text("p, sign flips", "p，符号翻转"),
    "p_t": text("p, t", "p，t 检验"),
    "holm": text("p, Holm", "p，Holm"),
    "differing": text("groups that differ", "有差异的组"),
    "detectable": text("detectable", "可检出"),
    "changes": text("changes", "改动"),
    "n_and_groups": text("n, groups", "n，组"),
    # types
    "exploratory": text("exploratory", "探索性"),
    "type": text("type", "类型"),
    "all_scored": text("all scored", "全部计分题"),
    "types_note": text(
        "Blue: higher, or a gain; rust: a loss; the number is always printed. † under 6 groups: not tinted. "
        "Intervals are not adjusted, and no cell carries a verdict. Types are labels of the dataset.",
        "蓝：较高或增益；赭：损失；数字总会印出。† 不足 6 组：不着色。"
        "区间未经校正，任何一格都不下结论。类型是数据集自带的标签。",
    ),
    "watched": text("Named before the runs, unadjusted, no verdict", "运行前点名，未校正，不下结论"),
    # lost evidence
    "sum_gap": text("gap in points", "差距，百分点"),
    "context_recall": text("context recall, %", "上下文召回，%"),
    "over_questions": text("mean over questions", "各题均值"),
    "the_way": text("The way of the evidence through", "证据的流向，方案"),
    # recall, sweeps, latency
    "numbers": text("The numbers", "具体数值"),
    "point": text("point", "测量点"),
    "ceiling": text("ceiling", "上限"),
    "other_arm": text("final of", "末端排序，方案"),
    "to_best": text("difference to the best, 95 %", "与最佳之差，95 %"),
    "told": text("told from the best", "与最佳"),
    "told_yes": text("told apart", "分得开"),
    "told_no": text("cannot be told", "分不开"),
    "told_best": text("best on these questions", "本题集上最佳"),
    "chosen": text("used in the ladder", "阶梯所用"),
    "by_type_numbers": text("The numbers by type", "各类型的数值"),
    "by_arm_numbers": text("The numbers by arm", "各方案的数值"),
    "by_step_numbers": text("The numbers by step", "各步的数值"),
    "provenance_lines": text("The lines", "逐行列出"),
    "arm": text("arm", "方案"),
    "mean_ms": text("mean", "均值"),
    "front": text("on the front", "在前沿上"),
    # flips
    "reference_answer": text("Reference answer: ", "参考答案："),
    "gold": text("gold", "标注证据"),
    "not_judged": text("not judged", "未判定"),
    "no_text": text("without its text", "没有原文"),
    "no_texts": text(
        "The dataset could not be read again: questions and passages stand here by their ids.",
        "数据集无法重读：这里只列出问题与段落的编号。",
    ),
    "no_rank": text("gold without a recorded rank: ", "没有名次记录的标注证据："),
    "nothing_ranked": text("no passage recorded", "没有段落记录"),
    # answers
    "right_answers": text("right answers", "答对"),
    "way": text("floor to ceiling", "下限至上限"),
    "right_refusals": text("right refusals", "正确拒答"),
    "false_refusals": text("false refusals", "误拒"),
    "citation_precision": text("citation precision", "引用精确率"),
    "supported": text("supported", "有据"),
    "failed_answers": text("failed", "失败"),
    "open_verdicts": text("open verdicts", "待定"),
    "cost_per_question": text("cost per question", "每题成本"),
    "end_ceiling": text("ceiling", "上限"),
    "end_floor": text("floor", "下限"),
    "above_sure": text("above the ceiling", "高于上限"),
    "sum_questions": text("sum, questions", "合计，题"),
    "sum_kept": text("sum, kept", "合计，留下"),
    "answers_by_arm": text("What became of the questions", "各题的结果"),
    "rates_by_arm": text("Rates by arm", "各方案的比例"),
    "answers_by_type": text("Right answers by question type", "按问题类型的答对比例"),
    "quality_and_cost": text("Right answers and cost", "答对与成本"),
    "answered": text("Answered", "作答"),
    "refused_head": text("Refused", "拒答"),
    "no_answer_text": text("No answer", "没有答案"),
    "cites": text("cites", "引用"),
    "cites_nothing": text("cites nothing", "没有引用"),
    "verdict_correct": text("right", "答对"),
    "verdict_incorrect": text("wrong", "答错"),
    "verdict_needs_review": text("waits for review", "待人工判定"),
    "verdict_none": text("not judged", "未判"),
    # threats
    "severity": text("severity", "程度"),
    "threat": text("threat", "威胁"),
    "measured": text("what was measured", "测得什么"),
    "act": text("what to do", "怎么办"),
    # unjudged
    "child": text("child", "子方案"),
    "parent": text("parent", "父方案"),
    "differ_by": text("differ by", "相差"),
    "as_scored": text("difference, none of them relevant (as scored)", "差值：未判定者都不相关（现值）"),
    "all_relevant": text("difference, all of them relevant", "差值：未判定者都相关"),
    "limit": text("limit", "界限"),
    "warning": text("warning", "警告"),
    "within": text("within", "未超过"),
    "two_bounds": text(
        "Two scenarios, no bounds: none of the unjudged passages in either head is relevant, or every one is. If only "
        "those of one arm were, the difference could lie outside both. What is true shows when people have judged.",
        "这是两种设想，不是上下界：两边前列中未判定的段落都不相关，或都相关。若只有一方的相关，差值可能落在两者之外。"
        "实情要等人判过才知道。",
    ),
    # how to repeat, provenance, words
    "closer": text("To look closer:", "想看得更细："),
    "provenance_finding": text(
        "Two reports compare where these lines agree, or where the one that differs is the factor under study.",
        "这些行都一致，或不同的那一行正是所研究的因素时，两份报告才能相比。",
    ),
    "words_finding": text("Each word has one meaning.", "每个词只有一个意思。"),
}

HEADINGS: Mapping[str, tuple[Text, Text]] = {
    "ladder": (text("Ladder", "阶梯"), text("The ladder: every change and what it did", "阶梯：每处改动及其效果")),
    "baselines": (
        text("Candidate, baselines", "候选与基线"),
        text("The candidate against its baselines", "候选与各基线"),
    ),
    "measures": (
        text("Other measures", "其他指标"),
        text("Other measures and slices", "其他指标与切片"),
    ),
    "types": (text("Question types", "问题类型"), text("By question type", "按问题类型看")),
    "lost": (text("Lost evidence", "丢失的证据"), text("Where evidence is lost", "证据丢在哪里")),
    "recall": (text("Recall and ceiling", "召回与上限"), text("Recall by K under its ceiling", "随 K 的召回与上限")),
    "latency": (text("Quality and latency", "质量与延迟"), text("Quality and latency", "质量与延迟")),
    "flips": (text("Questions that moved", "变动的题"), text("Which questions moved", "哪些题变了")),
    "answers": (
        text("Answers", "答案"),
        text("Answers between floor and ceiling", "答案：下限与上限之间"),
    ),
    "threats": (text("Threats", "威胁"), text("What threatens the conclusion", "什么会动摇结论")),
    "unjudged": (text("Unjudged passages", "未判定的段落"), text("Unjudged passages", "未判定的段落")),
    "repeat": (text("How to repeat", "如何复现"), text("How to repeat it", "如何复现")),
    "provenance": (text("Provenance", "溯源"), text("Provenance", "溯源")),
    "words": (text("Words", "用词"), text("Words", "用词")),
}
