"""Sections of made-up reports: types, lost evidence, recall, a sweep, latency, questions that moved, unjudged."""

from collections.abc import Sequence

import numpy as np

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.study import Role
from rag_ablation.measures.fates import Fate
from rag_ablation.measures.uncertainty import Interval
from rag_ablation.report.flow import Cuts, of_ranks
from rag_ablation.report.study.content import (
    Ceilings,
    Cell,
    Curve,
    Flip,
    FlipColumn,
    Flips,
    Ladder,
    Listed,
    Lost,
    Plane,
    Setting,
    SweepCurve,
    Timed,
    TypeRow,
    Types,
    Unjudged,
    UnjudgedStep,
)
from rag_ablation.report.study.words import code, text, whole

TYPES = ("single_hop", "paraphrase", "exact_code", "multi_hop", "table", "conflict", "permission", "vague")
SIZES = (29, 24, 20, 17, 14, 10, 7, 6)
TOTAL = 170


def mean(value: float, half: float = 0.06, n: int = 127) -> RecordedMean:
    return RecordedMean(value=value, n=n, excluded={}, low=value - half, high=min(1.0, value + half), n_groups=57)


def types_of(arms: Sequence[str], labels: Sequence[str], names: Sequence[str] = TYPES) -> Types:
    rng = np.random.default_rng(5)
    sizes = SIZES if len(names) == len(SIZES) else (5,) * len(names)
    rows = [
        type_row(name, n, max(1, n - 1 - n // 3) if n > 6 else 5, arms, labels, rng)
        for name, n in zip(names, sizes, strict=True)
    ]
    rows.append(type_row("", 127, 57, arms, labels, rng))
    reason = text(
        "undefined: no evidence exists, so no ranking measure; 17 in all",
        "无定义：没有证据，因此没有排序指标；共 17 题",
    )
    rows.append(TypeRow(type="no_answer", asked=17, n=0, n_groups=0, means={}, differences={}, undefined=reason))
    return Types(
        finding=text(
            ("C looks worst against A on ", code("exact_code"), ": −0.176 (−0.349 to −0.002), n 20 in 16 groups."),
            ("C 相对 A 看上去最差的是 ", code("exact_code"), "：−0.176（−0.349 至 −0.002），n 20，16 组。"),
        ),
        measure="final/ndcg@10",
        arms=tuple(arms),
        labels=tuple(labels),
        rows=tuple(rows),
        watched=(
            text(
                ("C − A on ", code("exact_code"), ": −0.176 (−0.349 to −0.002), n 20, 16 groups"),
                ("C − A 在 ", code("exact_code"), " 上：−0.176（−0.349 至 −0.002），n 20，16 组"),
            ),
        ),
    )


def type_row(
    name: str, n: int, n_groups: int, arms: Sequence[str], labels: Sequence[str], rng: np.random.Generator
) -> TypeRow:
    def cell(value: float, half: float) -> Cell:
        return Cell(value=value, low=value - half, high=value + half, n=n, n_groups=n_groups)

    return TypeRow(
        type=name,
        asked=n + (1 if name == "permission" else 0),
        n=n,
        n_groups=n_groups,
        means={arm: cell(rng.uniform(0.1, 1.0), 0.08) for arm in arms},
        differences={label: cell(rng.uniform(-0.4, 0.4), 0.15) for label in labels},
        undefined=None,
    )


def lost_of(arms: Sequence[str]) -> Lost:
    """Counts and points of each arm add up."""
    counts, gap, recall = {}, {}, {}
    for place, arm in enumerate(arms):
        if arm == "Oracle":
            counts[arm] = {Fate.KEPT: TOTAL}
            gap[arm], recall[arm] = {"context": 0}, 1000
            continue
        lost = {
            Fate.LOST_IN_CONTEXT: 1 + place % 4,
            Fate.LOST_IN_RERANK: place % 6,
            Fate.NOT_PROMOTED: place % 3,
            Fate.LOST_IN_FUSION: 15 if place == 2 else place % 2,
            Fate.RANKED_LOW: max(3, 31 - 6 * place),
            Fate.NOT_RETRIEVED: max(1, 15 - 2 * place),
        }
        counts[arm] = {Fate.KEPT: TOTAL - sum(lost.values()), **lost}
        gap[arm] = {
            "retrieval": 10 * (lost[Fate.RANKED_LOW] + lost[Fate.NOT_RETRIEVED]) // 2,
            "fusion": 5 * lost[Fate.LOST_IN_FUSION],
            "reranking": 6 * lost[Fate.LOST_IN_RERANK],
            "promotion": 6 * lost[Fate.NOT_PROMOTED],
            "context": 4 * lost[Fate.LOST_IN_CONTEXT],
        }
        recall[arm] = 1000 - sum(gap[arm].values())
    return Lost(
        finding=text(
            ("Of 170 relevant units D keeps most in the context; its largest loss is ", code("lost_in_rerank"), "."),
            ("170 个相关单元中，D 留在上下文的最多；最大的损失是 ", code("lost_in_rerank"), "。"),
        ),
        arms=tuple(arms),
        counts=counts,
        total=TOTAL,
        gap=gap,
        recall=recall,
        flow=of_ranks("D", 127, Cuts(retrievers=("sparse", "dense"), fused=True, reranked=True, window=100, pool=50, depth=8), ways()),
        flow_arm=arms[-1] if arms[-1] != "Oracle" else arms[-2],
        side=(
            text("The pool holds 50 where there is a reranker, else the 8 passages offered to the context.", "有重排器时候选池为 50，否则为提供给上下文的 8 段。"),
            text("Counts are of labelled evidence only.", "只统计已标注的证据。"),
        ),
    )  # fmt: skip


def ways() -> dict[str, list[object]]:
    """The long table of fates of one arm."""
    columns = ("sparse", "dense", "fused", "last", "offered", "context")
    rows = [("kept", (1, 2, 1, 1, 1, 1))] * 138 + [("kept", (30, 20, 18, 4, 4, 4))] * 18
    rows += [("lost_in_rerank", (2, 3, 2, 20, None, None))] * 5 + [("not_promoted", (20, 30, 22, 31, None, None))] * 3
    rows += [("lost_in_fusion", (40, None, 70, 70, None, None))] * 2 + [
        ("ranked_low", (80, 90, 85, 85, None, None))
    ] * 3
    rows += [("not_retrieved", (None, None, None, None, None, None))]
    ranks = {f"rank_{name}": [row[1][place] for row in rows] for place, name in enumerate(columns)}
    return {"fate": [row[0] for row in rows], **ranks}


def ceilings_of(arm: str, *, sparse_only: bool = False, others: Sequence[str] = ("A", "B", "C")) -> Ceilings:
    cutoffs = (1, 3, 5, 10, 20, 50, 100)
    points = ("sparse", "context") if sparse_only else ("sparse", "dense", "fused", "reranked", "context")
    curves = []
    for place, point in enumerate(points):
        reach = cutoffs[:4] if point == "context" else cutoffs
        means = tuple(mean(min(0.99, 0.5 + 0.04 * place + 0.07 * step)) for step in range(len(reach)))
        curves.append(Curve(point=point, cutoffs=reach, means=means))
    top = tuple(mean(value, 0.0) for value in (0.857, 0.98, 1, 1, 1, 1, 1))
    return Ceilings(
        finding=text(
            ("In arm D the pool holds 96.7 % of the evidence; recall@1 goes from ", whole("0.610"), " to ", whole("0.701"), ", under a ceiling of 0.857 (n 127)."),
            "方案 D 的候选池含 96.7 % 的证据；recall@1 由 0.610 到 0.701，上限 0.857（n 127）。",
        ),
        arm=arm,
        points=tuple(curves),
        ceiling=Curve(point="ceiling", cutoffs=cutoffs, means=top),
        pool=None if sparse_only else 50,
        others={key: Curve(point="final", cutoffs=cutoffs, means=tuple(mean(0.4 + 0.08 * step) for step in range(7))) for key in others},
        side=(text("The ceiling is below 1 at K = 1 where a question has more than one relevant unit.", "有的题不止一个相关单元，故 K = 1 处上限低于 1。"),),
    )  # fmt: skip


def rank_constant_sweep(arm: str = "C") -> SweepCurve:
    settings = []
    for window in (20, 100):
        for place, constant in enumerate((1, 2, 5, 10, 20, 60, 200)):
            gap = -0.012 * place - (0.004 if window == 100 else 0.0)
            to_best = (
                None
                if gap == 0
                else Interval(
                    mean=gap,
                    low=gap - 0.02,
                    high=gap + 0.02,
                    standard_error=0.01,
                    n=127,
                    n_groups=57,
                    dropped=0,
                    confidence=0.95,
                )
            )
            key = f"{arm} rank_constant={constant} window={window}"
            settings.append(
                Setting(key=key, values=(constant, window), mean=mean(0.867 + gap), to_best=to_best, told=gap < -0.02)
            )
    return SweepCurve(
        title=text("RRF: rank constant and window", "RRF：秩常数与窗口"),
        finding=text("Best on these questions: constant 1, window 20 (0.867, n 127). 4 of 14 settings cannot be told from it.", "本题集上最佳：秩常数 1、窗口 20（0.867，n 127）。14 个设置中 4 个与它分不开。"),
        arm=arm,
        axes=("fusion.rank_constant", "fusion.window"),
        settings=tuple(settings),
        best=settings[0].key,
        chosen=settings[12].key,
        reference=("B", 0.772),
    )  # fmt: skip


def plane_of(arms: Sequence[str]) -> Plane:
    timed = tuple(
        Timed(
            key=arm,
            role=Role.LADDER,
            p50=5.2 * (place + 1) ** 1.7,
            mean_ms=5.6 * (place + 1) ** 1.7,
            p95=7.1 * (place + 1) ** 1.7,
            p99=None,
            quality=mean(0.67 + 0.02 * place),
            front=place % 2 == 0,
        )
        for place, arm in enumerate(arms)
    )
    return Plane(
        finding=text("D takes 229 ms at p50, C 30 ms (n 60 each) for +0.092 nDCG@10 (n 127).", "D 的 p50 为 229 毫秒，C 为 30 毫秒（各 n 60），换来 nDCG@10 +0.092（n 127）。"),
        arms=timed,
        questions=60,
        passes=3,
        side=(text("p99 is absent (–): it needs 500 questions, 60 were timed.", "p99 缺（–）：需 500 题，只计时 60 题。"),),
    )  # fmt: skip


def listed(rank: int, gold: bool, *, grade: int | None = 0, skipped: int = 0, body: str = "", heading: str = "发票系统操作手册 §7.3") -> Listed:  # fmt: skip
    text_of = (
        body
        or "INV-102：发票号码与税号校验不一致。先核对销方纳税人识别号，再核对发票号码末四位；两项均无误时提交工单。"
    )
    return Listed(rank=rank, passage_id=f"fin#{rank:04d}", heading=heading, body=text_of, grade=2 if gold else grade, gold=gold, skipped=skipped)  # fmt: skip


def flips_of(hostile: str = "", long: str = "") -> Flips:
    body, heading = hostile, hostile + long or "发票系统操作手册 §7.2"
    columns = (
        FlipColumn(
            key=long or "A",
            variant=hostile or "bm25",
            value=1.0,
            passages=(listed(1, True, body=body), listed(2, False), listed(3, False, grade=None)),
            missing=(),
        ),
        FlipColumn(
            key="C",
            variant="rrf",
            value=0.0,
            passages=(listed(1, False, heading=heading), listed(2, False), listed(14, True, skipped=11)),
            missing=(),
        ),
        FlipColumn(
            key="D",
            variant="rerank",
            value=1.0,
            passages=(listed(1, True), listed(2, False)),
            missing=(long or "fin#0099",),
        ),
    )
    first = Flip(
        query_id=long or "zh-021",
        question=hostile or "开票系统报 INV-102 时，应该先核对哪一项？",
        type=hostile or "exact_code",
        label="C − A",
        difference=-1.0,
        why=text("A has it first; fusion puts it at 14.", "A 排第 1；融合后第 14。"),
        answer=hostile or "销方纳税人识别号",
        n_gold=1,
        columns=columns,
    )
    second = Flip(
        query_id="zh-009",
        question="",
        type="paraphrase",
        label="C − B",
        difference=0.369,
        why=None,
        answer=None,
        n_gold=2,
        columns=columns[:2],
    )
    return Flips(finding=text(("From C to D, 32 of 127 questions gain, 20 lose and 75 stay; all are in ", code("results.parquet"), "."), ("从 C 到 D，127 题中 32 题上升，20 题下降，75 题不变；全部见 ", code("results.parquet"), "。")), questions=(first, second))  # fmt: skip


def unjudged_of(ladder: Ladder) -> Unjudged:
    steps = tuple(
        UnjudgedStep(
            label=step.label,
            child=0.92 - 0.02 * place,
            parent=0.95,
            as_scored=step.comparison.interval,
            all_relevant=step.comparison.interval if place else None,
            warned=place > 1,
        )
        for place, step in enumerate(ladder.steps())
        if step.comparison
    )
    return Unjudged(finding=text("Later arms bring passages that nobody has judged; as scored, they count as not relevant.", "靠后的方案带出无人判定的段落；按现值，它们算不相关。"), cutoff=10, n=127, steps=steps, limit=0.05)  # fmt: skip
