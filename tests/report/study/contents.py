"""Reports made by hand: a usual study, and what a page must survive."""

from dataclasses import replace
from functools import cache

from rag_ablation.core.record import RecordedMean
from rag_ablation.experiment.factors import Change
from rag_ablation.experiment.study import Role
from rag_ablation.measures.family import Word
from rag_ablation.report.study.content import (
    Conclusion,
    Denominators,
    Ladder,
    LadderRow,
    LadderStep,
    Said,
    StudyReport,
)
from rag_ablation.report.study.words import Kind, Piece, Text, code, same, text, whole
from tests.report.study.answer_contents import mixed_answers, open_answers, settled_answers, with_answers
from tests.report.study.closing import COMMANDS, GLOSSARY, PROVENANCE, REPEATS, threats
from tests.report.study.ladders import EIGHT, MEASURE, QUESTIONS, Made, ladder_of, undecided
from tests.report.study.sections import (
    ceilings_of,
    flips_of,
    lost_of,
    plane_of,
    rank_constant_sweep,
    types_of,
    unjudged_of,
)

MARKUP = "<script>alert('x')</script><b data-hostile>bold</b> \"&amp;' {{ 7 * 7 }} <img src=x onerror=alert(1)>"
KEYS = ("A", "B", "C", "A+D", "B+D", "D′", "D")
LONG = "very_long_identifier_without_any_place_to_break_" * 3


@cache
def eight_arms() -> StudyReport:
    """A usual study: seven arms of a ladder, two brackets, everything measured."""
    ladder = ladder_of()
    arms = tuple(made.key for made in EIGHT)
    return StudyReport(
        study="ladder_zh",
        side="dev",
        date="2026-03-14",
        conclusion=conclusion(
            Said(sentence=better("D", "C", 0.788, 0.880), figures=figures("+0.092", "+0.026", "+0.157")),
            Said(sentence=not_told("C", "B"), figures=figures("+0.016", "−0.044", "+0.076")),
        ),
        ladder=ladder,
        types=types_of(arms, tuple(step.label for step in ladder.shown)),
        lost=lost_of((*arms, "Oracle")),
        ceilings=ceilings_of("D"),
        sweeps=(rank_constant_sweep(),),
        plane=plane_of(arms),
        flips=flips_of(),
        threats=threats(),
        unjudged=unjudged_of(ladder),
        commands=COMMANDS,
        provenance=PROVENANCE,
        glossary=GLOSSARY,
        repeats=REPEATS,
    )


@cache
def one_arm() -> StudyReport:
    """Nothing to compare: one sentence, no step, no differences."""
    only = replace(
        ladder_of(EIGHT[:1]),
        finding=text("One arm; there is no step to compare.", "只有一个方案；没有可比的步骤。"),
        side=(),
    )
    single = Ladder(finding=only.finding, measure=MEASURE, rows=only.rows[:1], shown=(), remark=None, side=())
    said = Said(
        sentence=text("A reaches a mean nDCG@10 of 0.672.", "A 的 nDCG@10 均值为 0.672。"),
        figures=text("0.607–0.737 · n 127, 57 groups", "0.607–0.737 · n 127，57 组"),
    )
    return replace(
        bare(single, said), types=types_of(("A",), ()), lost=lost_of(("A",)), ceilings=ceilings_of("A", sparse_only=True)
    )  # fmt: skip


@cache
def nothing_decided() -> StudyReport:
    """Four groups only: no verdict at all."""
    ladder = ladder_of(EIGHT[:3], n=12, n_groups=4)
    said = Said(
        sentence=text(
            ("No step is decided: ", Piece("no verdict on these 12 questions (4 groups)", Kind.UNDECIDED), "."),
            ("没有一步有结论：", Piece("在这 12 题（4 组）上不下结论", Kind.UNDECIDED), "。"),
        ),
        figures=text("under 6 groups p cannot reach .05", "不足 6 组，p 不可能到 .05"),
    )
    assert {step.comparison.word for step in ladder.steps() if step.comparison} == {Word.NO_VERDICT}
    few = counts(asked=12, scored=12, groups=4, excluded={"no_answer": 0, "unreviewed": 0})
    found = bare(ladder, said)
    return replace(found, conclusion=replace(found.conclusion, denominators=few))


@cache
def nothing_scored() -> StudyReport:
    """Every question excluded: means are undefined with a reason, steps cannot be."""
    nothing = RecordedMean(value=None, n=0, excluded={"unreviewed": 148}, reason="unreviewed")
    whole_ladder = ladder_of(EIGHT[:3])
    rows = tuple(
        replace(row, mean=nothing, steps=tuple(refused(step, "no question is scored") for step in row.steps))
        for row in whole_ladder.rows
        if row.role is Role.LADDER
    )
    ladder = replace(
        whole_ladder,
        rows=rows,
        shown=(),
        remark=None,
        finding=text("No question is scored, so nothing is compared.", "没有一题计分，无从比较。"),
    )
    said = Said(
        sentence=text("Nothing can be said: no question is scored.", "什么也不能说：没有一题计分。"),
        figures=text("148 asked, 148 excluded", "提问 148，排除 148"),
    )
    found = bare(ladder, said)
    none = counts(asked=148, scored=0, groups=0, excluded={"unreviewed": 148, "no_answer": 0})
    return replace(found, conclusion=replace(found.conclusion, denominators=none, next=()))


@cache
def failed_and_skipped() -> StudyReport:
    """One arm failed, one was skipped; the steps that needed them say so."""
    ladder = ladder_of(EIGHT[:4])
    failed = text("failed: the model could not be loaded", "失败：模型无法加载")
    rows = list(ladder.rows)
    rows[1] = replace(rows[1], mean=None, steps=(), note=failed)
    rows[2] = replace(rows[2], steps=(rows[2].steps[0], refused(rows[2].steps[1], "B failed")))
    skipped = LadderRow(
        key="E",
        variant="llm_rerank",
        role=Role.LADDER,
        changed=text("C, reranked by a language model", "C，由语言模型重排"),
        mean=None,
        steps=(),
        note=text("skipped: its model cannot be had here", "跳过：此处得不到其模型"),
    )
    found = bare(replace(ladder, rows=(*rows, skipped)), eight_arms().conclusion.sentences[0])
    alone = text(
        "1 of 5 arms failed and 1 was skipped; the steps that need them are missing.",
        "5 个方案中 1 个失败、1 个跳过；依赖它们的步骤缺。",
    )
    return replace(found, conclusion=replace(found.conclusion, alone=alone))  # fmt: skip


@cache
def twelve_hostile_arms() -> StudyReport:
    """Twelve arms with very long keys, and markup in every text that comes from data."""
    made = tuple(
        Made(
            key=f"{LONG}{number}" if number else MARKUP,
            variant=MARKUP,
            quality=0.5 + number / 30,
            parents=(f"{LONG}{number - 1}" if number > 1 else MARKUP,) if number else (),
            change=(f"dense.model {MARKUP} → {LONG}",) * (1 + number % 2),
            changed=same(Piece(MARKUP + LONG)),
        )
        for number in range(12)
    )
    arms = tuple(arm.key for arm in made)
    ladder = ladder_of(made)
    sentence = same(Piece(MARKUP + LONG, Kind.BETTER))
    found = bare(ladder, Said(sentence=sentence, figures=same(whole(LONG + MARKUP))))
    labels = tuple(step.label for step in ladder.steps())
    hostile = replace(
        found,
        study=MARKUP,
        conclusion=replace(found.conclusion, title=same(MARKUP), next=(same(code(LONG + MARKUP)),)),
        types=types_of(arms, labels, names=tuple(f"{MARKUP}{number}" for number in range(25))),
        lost=lost_of(arms),
        ceilings=ceilings_of(arms[1], others=arms[2:]),
        sweeps=(rank_constant_sweep(arm=MARKUP),),
        plane=plane_of(arms),
        flips=flips_of(hostile=MARKUP, long=LONG),
        threats=threats(extra=MARKUP + LONG),
        unjudged=unjudged_of(ladder),
        commands=(((same(MARKUP), f'rag-ablation explain "{MARKUP}" {LONG}'),),),
        provenance=((same(MARKUP), same(code(LONG + LONG))),),
        glossary=((same(LONG), same(MARKUP)),),
        repeats=REPEATS,
    )
    return with_answers(hostile, mixed_answers(arms))


@cache
def answered_and_open() -> StudyReport:
    """Answers that wait for review, under a ceiling, without a floor."""
    return with_answers(eight_arms(), open_answers(KEYS))


@cache
def answered_and_settled() -> StudyReport:
    """Answers that are all settled, between floor and ceiling, each with its cost."""
    return with_answers(eight_arms(), settled_answers(KEYS))


@cache
def answered_by_one() -> StudyReport:
    """One arm with answers, and nothing to read them under."""
    return with_answers(one_arm(), mixed_answers(("A",)))


def bare(ladder: Ladder, *sentences: Said) -> StudyReport:
    """A report with its ladder and what every report has."""
    return StudyReport(
        study="ladder_zh",
        side="dev",
        date="2026-03-14",
        conclusion=conclusion(*sentences),
        ladder=ladder,
        types=None,
        lost=None,
        ceilings=None,
        sweeps=(),
        plane=None,
        flips=None,
        threats=threats(),
        unjudged=None,
        commands=COMMANDS,
        provenance=PROVENANCE,
        glossary=GLOSSARY,
        repeats=REPEATS,
    )


def conclusion(*sentences: Said) -> Conclusion:
    return Conclusion(
        title=text("Do fusion and reranking pay on the Chinese handbook?", "在中文员工手册上，融合与重排值得吗？"),
        sentences=sentences,
        denominators=counts(),
        next=(
            text(
                ("Take ", code("B+D"), " unless fusion proves itself: one retriever fewer, 214 ms against 229 ms at p50 (n 60)."),
                ("融合证明自己之前先用 ", code("B+D"), "：少一个检索器，p50 为 214 毫秒，而非 229 毫秒（n 60）。"),
            ),
            text("Have the unjudged passages judged before believing C against B.", "相信 C 与 B 的比较之前，先补判。"),
        ),
        alone=None,
    )  # fmt: skip


def counts(
    *, asked: int = 148, scored: int = QUESTIONS, groups: int = 57, excluded: dict[str, int] | None = None
) -> Denominators:
    return Denominators(
        asked=asked,
        asked_groups=max(groups, 1) + 4,
        scored=scored,
        scored_groups=groups,
        gold=170 if scored else 0,
        unit="passage",
        excluded={"no_answer": 17, "unreviewed": 4, "no_relevant": 0, "not_visible": 0} if excluded is None else excluded,
        passages=1284,
        documents=46,
        setup=text(
            ("Measure: ", code(MEASURE), ", unit passage, relevant from grade 1 · interval: cluster-robust t by group · 1,284 passages of 46 documents"),
            ("指标：", code(MEASURE), "，单位 passage，1 级起为相关 · 区间：按组稳健 t · 46 份文档，1,284 段"),
        ),
    )  # fmt: skip


def better(child: str, parent: str, before: float, after: float) -> Text:
    return text(
        (f"A cross-encoder after fusion ({child}) is ", Piece("better", Kind.BETTER), f" than fusion alone ({parent}): mean nDCG@10 goes from ", whole(f"{before:.3f}"), " to ", whole(f"{after:.3f}"), "."),
        (f"融合之后再重排（{child}）", Piece("优于", Kind.BETTER), f"只做融合（{parent}）：nDCG@10 均值由 ", whole(f"{before:.3f}"), " 升到 ", whole(f"{after:.3f}"), "。"),
    )  # fmt: skip


def not_told(child: str, parent: str) -> Text:
    said = undecided("not distinguishable on these 127 questions (57 groups)", "在这 127 题（57 组）上无法区分")
    return text(
        (f"Fusion itself ({child}) is ", *said.en, f" from dense retrieval alone ({parent}), its better parent."),
        (f"融合本身（{child}）与较好的来源稠密检索（{parent}）", *said.zh, "。"),
    )


def figures(difference: str, low: str, high: str) -> Text:
    return text(
        f"{difference} ({low} to {high}) · adjusted p = 0.046 · 32 wins, 75 ties, 20 losses · n 127, 57 groups",
        f"{difference}（{low} 至 {high}）· 校正 p = 0.046 · 32 胜 75 平 20 负 · n 127，57 组",
    )


def refused(step: LadderStep, why: str) -> LadderStep:
    return replace(step, comparison=None, refused=why, gaps=(), change=Change(()))


CASES = {
    "eight": eight_arms,
    "one": one_arm,
    "undecided": nothing_decided,
    "unscored": nothing_scored,
    "failed": failed_and_skipped,
    "hostile": twelve_hostile_arms,
    "open": answered_and_open,
    "settled": answered_and_settled,
    "lone": answered_by_one,
}
