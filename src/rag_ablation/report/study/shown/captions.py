"""Captions and notes that hold numbers: how each figure and table is to be read."""

from collections.abc import Sequence

from rag_ablation.core.wording import counted
from rag_ablation.experiment.study import Role
from rag_ablation.report.leaderboard import heading
from rag_ablation.report.study.answers.names import measure_of
from rag_ablation.report.study.content import Ceilings, Curve, Denominators, Ladder, LadderStep, Lost, Plane, SweepCurve
from rag_ablation.report.study.figures import NB, n_of, over, thousands
from rag_ablation.report.study.nouns import gold, unit_noun
from rag_ablation.report.study.prose import say
from rag_ablation.report.study.shown.picks import best_mean, common_count
from rag_ablation.report.study.terms import NO_PROOF
from rag_ablation.report.study.words import Text, code, same, text, whole


def measure_name(measure: str) -> str:
    """`final/ndcg@10` as people write it: `nDCG@10`."""
    _, _, name = measure.rpartition("/")
    return heading(name) if "@" in name else name


def measure_words(column: str) -> Text:
    """A measure as people call it, those of answers in both languages."""
    return measure_of(column) or same(measure_name(column))


def ruled(ladder: Ladder) -> bool:
    """Whether the rule of a plan judged the steps, in place of a family."""
    return any(step.ruled is not None for step in ladder.steps())


def ladder_rows(ladder: Ladder) -> Text:
    """What holds for every row."""
    common = common_count(ladder)
    if common is None:
        return text(
            "Differences are paired by question and rounded from exact values; n stands in each row.",
            "差值按题配对，由未舍入的值算出；n 写在各行。",
        )
    counts = over(*common)
    if not ladder.steps():
        return text(("Every row: ", *counts.en, "."), ("每一行：", *counts.zh, "。"))
    return text(
        ("Every row: ", *counts.en, "; differences are paired by question and rounded from exact values."),
        ("每一行：", *counts.zh, "；差值按题配对，由未舍入的值算出。"),
    )


def ladder_title(ladder: Ladder) -> Text:
    """Over the table of the ladder where it stands alone."""
    rows, name = ladder_rows(ladder), measure_name(ladder.measure)
    if ruled(ladder):
        return text((f"{name}, candidate and baselines. ", *rows.en), (f"候选与基线的 {name}。", *rows.zh))
    return text((f"{name} by step. ", *rows.en), (f"各步的 {name}。", *rows.zh))


def sorted_bars(steps: Sequence[LadderStep]) -> Text:
    """Below the panels of sorted differences."""
    numbers = sorted({len(step.gaps) for step in steps})
    en, zh = (whole(f"n{NB}{mark.join(map(str, numbers))}") for mark in (", ", "、"))
    return text(
        ("One bar per question, from the largest gain to the largest loss; ties have no bar. Each panel: ", en, "."),
        ("每题一条，从增益最大到损失最大；平局无条。每幅 ", zh, "。"),
    )


def steps_summary(ladder: Ladder) -> Text:
    """What opens the table of all numbers."""
    n = len(ladder.steps())
    if ruled(ladder):
        return text(f"All numbers of the {counted(n, 'comparison')}", f"{n} 项比较的全部数值")
    return text(f"All numbers of the {counted(n, 'step')}", f"{n} 步的全部数值")


def steps_caption(ladder: Ladder) -> Text:
    """Above the table of all numbers."""
    compared = [step.comparison for step in ladder.steps() if step.comparison]
    resamples = " / ".join(thousands(n) for n in sorted({found.bootstrap.resamples for found in compared}))
    sampled = sorted({found.test.patterns - 1 for found in compared if not found.test.exact})
    signs, signs_zh = "all patterns", "全部组合"
    if sampled:
        drawn = " / ".join(map(thousands, sampled))
        exact = any(found.test.exact for found in compared)
        signs = f"{'all patterns, or ' if exact else ''}{drawn} sampled"
        signs_zh = f"{'全部组合，或' if exact else ''}抽样 {drawn} 种"
    return say(
        "t: cluster-robust by group · bootstrap: {n} resamples of groups, percentile · sign flips by group: {signs} · "
        "detectable: {planning}",
        "t：按组聚类稳健 t · 自助法：按组重抽 {n} 次，百分位 · 按组翻转符号：{signs} · 可检出：{planning}",
        n=resamples,
        signs=text(signs, signs_zh),
        planning=NO_PROOF,
    )


def units(lost: Lost, d: Denominators) -> Text:
    """Above the table of fates."""
    noun = unit_noun(d.unit)
    return text(
        f"Gold {noun.many} by fate: counts of {thousands(lost.total)}, from {counted(d.scored, 'question')}",
        f"标注证据的去向：共 {thousands(lost.total)} {noun.zh}，来自 {d.scored} 题",
    )


def bars_of_fates(lost: Lost, d: Denominators) -> Text:
    """Below the stacked bars."""
    return say(
        "Every bar is the same {gold}. From the left: kept (blue), then lost (brown), the latest loss first; the "
        "darker, the earlier it was lost. The table below is the key.",
        "每一条都是同样的 {gold}。自左起：留下（蓝），然后是丢失（棕），丢得晚的在前；越深丢得越早。下表即图例。",
        gold=gold(lost.total, d.unit),
    )


def kept_as(d: Denominators) -> Text:
    """Above the table of what became of the kept evidence."""
    noun = unit_noun(d.unit)
    return text(
        f"Gold {noun.many} that are kept, by what became of the answer to their question; – in an arm without answers",
        f"留下的标注证据（{noun.zh}），按其所属题的答案结果；没有答案的方案为 –",
    )


def points(d: Denominators) -> Text:
    """Above the table of points."""
    return text(
        f"What lies between the context of each arm and all the evidence, in points of recall: mean over "
        f"{counted(d.scored, 'question')}, so that each question weighs the same. 0.0: could occur and did not; "
        "–: cannot occur in this arm.",
        f"各方案的上下文与全部证据之间差在哪里，召回百分点：{d.scored} 题的均值，每题权重相同。"
        "0.0：可能发生而没有发生；–：该方案不可能发生。",
    )


def widths(lost: Lost, d: Denominators) -> Text:
    """Below the flow."""
    noun = unit_noun(d.unit)
    return text(
        f"Width is the number of gold {noun.many}; each level, with what left before it, sums to "
        f"{thousands(lost.total)}. Shares are per {noun.one}: a question with more gold weighs more than in a mean "
        "over questions.",
        f"宽度为标注证据的数目；每一层连同此前离开的，合计 {thousands(lost.total)} {noun.zh}。"
        f"百分比按{noun.zh}计：证据多的题比在各题均值中占得更重。",
    )


def curves_of_recall(ceilings: Ceilings) -> Text:
    """Below the panels of recall."""
    first, last = ceilings.ceiling.cutoffs[0], ceilings.ceiling.cutoffs[-1]
    n = n_of(_n(ceilings.ceiling))
    pool, others = ceilings.pool, tuple(ceilings.others)
    return text(
        (
            "Arm ",
            code(ceilings.arm),
            f", one panel for each measuring point, K from {first} to {last} (log). "
            "Blue: mean recall with its 95 % band, ",
            n,
            ". Dashed: the most that any ranking could reach.",
            *((" Grey, for comparison: ", code("final"), f" of {', '.join(others)}.") if others else ()),
            f" Dotted: depth of the pool, {pool}." if pool else "",
        ),
        (
            "方案 ",
            code(ceilings.arm),
            f"，每个测量点一幅，K 从 {first} 到 {last}（对数）。蓝：召回均值与 95 % 带，",
            n,
            "。虚线：任何排序所能达到的上限。",
            *((f"灰，供对照：方案 {'、'.join(others)} 的 ", code("final"), "。") if others else ()),
            f"点线：候选池深度 {pool}。" if pool else "",
        ),
    )


def recall_table(ceilings: Ceilings) -> Text:
    """Above the numbers of recall."""
    n = n_of(_n(ceilings.ceiling))
    return text(
        (
            "Recall@K of arm ",
            code(ceilings.arm),
            ", mean and 95 % interval, ",
            n,
            ". A t interval is not cut off at 0 or 1; the drawing is.",
        ),
        ("方案 ", code(ceilings.arm), " 的 recall@K，均值与 95 % 区间，", n, "。t 区间不在 0 或 1 处截断；图中截断。"),
    )


def band(curve: SweepCurve, measure: str) -> Text:
    """Below a sweep."""
    best = best_mean(curve)
    counts = over(best.n, best.n_groups)
    name = measure_name(measure)
    return text(
        (
            f"{name} against ",
            code(curve.axes[0]),
            ". Dashed: the best setting. Band: 95 % interval of the paired difference to it, drawn about the curve; "
            "where it reaches the dashed line (filled dots, black bar) the setting cannot be told from the best. ",
            *counts.en,
            ".",
        ),
        (
            f"{name} 随 ",
            code(curve.axes[0]),
            " 的变化。虚线：最佳设置。带：与最佳的成对差值的 95 % 区间，画在曲线周围；"
            "触及虚线处（实心点、黑条）与最佳分不开。",
            *counts.zh,
            "。",
        ),
    )


def dots(plane: Plane, measure: str) -> Text:
    """Below the plane: what is drawn there, and no more."""
    name, times = measure_name(measure), plane.passes
    shown = [arm for arm in plane.arms if arm.p50 and arm.quality.value is not None]
    own = [arm for arm in shown if arm.role is not Role.SWEEP]
    swept, tails = len(own) < len(shown), any(arm.p95 is not None for arm in own)
    front = sum(arm.front for arm in shown) > 1
    en = [
        f"Black dot: p50 and mean {name} of an arm; upright line: 95 % interval of the mean",
        "; line to the right: p95" if tails else "",
        "; small grey dot: a member of a sweep" if swept else "",
        ". Dashed: front of the point estimates; arms that are not told apart may change places" if front else "",
        f". {counted(plane.questions, 'question')} timed, {times} {'pass' if times == 1 else 'passes'}.",
    ]
    zh = [
        f"黑点：方案的 p50 与 {name} 均值；竖线：均值的 95 % 区间",
        "；向右的线：p95" if tails else "",
        "；小灰点：扫描中的设置" if swept else "",
        "。虚线：点估计的前沿，分不开的方案可能互换" if front else "",
        f"。计时 {plane.questions} 题，{times} 遍。",
    ]
    return text("".join(en), "".join(zh))


def settings(curve: SweepCurve, measure: str) -> Text:
    """Above the numbers of a sweep."""
    best = best_mean(curve)
    counts = over(best.n, best.n_groups)
    name, tried = measure_name(measure), len(curve.settings)
    return text(
        (f"{counted(tried, 'setting')} of arm ", code(curve.arm), f": mean {name} and 95 % interval, ", *counts.en),
        ("方案 ", code(curve.arm), f" 的 {tried} 个设置：{name} 均值与 95 % 区间，", *counts.zh),
    )


def timed(plane: Plane) -> Text:
    """Above the table of times."""
    return text(
        f"End to end, milliseconds, {counted(plane.questions, 'question')} timed in each row; · on the front",
        f"端到端，毫秒，每行计时 {plane.questions} 题；· 在前沿上",
    )


def by_type(measure: str) -> Text:
    """Caption of the tables of types."""
    return text(f"{measure_name(measure)} by question type", f"按问题类型的 {measure_name(measure)}")


def judged_share(cutoff: int, n: int) -> Text:
    """Above the table of unjudged passages."""
    return text(
        f"judged@{cutoff}: share of the first {cutoff} results that somebody has judged, "
        f"mean over {counted(n, 'question')}. Differences are rounded from exact values.",
        f"judged@{cutoff}：前 {cutoff} 个结果中有人判定过的比例，{n} 题均值。相差由未舍入的值算出。",
    )


def _n(curve: Curve) -> int:
    return max((mean.n for mean in curve.means), default=0)
