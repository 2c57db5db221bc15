"""Who was asked, who was scored, who was left out and why."""

from collections import Counter

import numpy as np

from rag_ablation.core.corpus import Unit
from rag_ablation.core.results import SCORED
from rag_ablation.measures.family import ALPHA
from rag_ablation.report.study.asked import Primary, reference, scored_rows
from rag_ablation.report.study.content import Denominators
from rag_ablation.report.study.figures import counted, counted_steps, short
from rag_ablation.report.study.inputs import ArmResult, StudyResults
from rag_ablation.report.study.nouns import name_of_unit
from rag_ablation.report.study.prose import dotted, joined, say
from rag_ablation.report.study.recorded import least_grade, unit_of
from rag_ablation.report.study.terms import REASONS
from rag_ablation.report.study.words import Text, code, same, text

ALWAYS_NAMED = ("no_answer", "unreviewed", "no_relevant", "not_visible")


def denominators_of(results: StudyResults, family: int) -> Denominators:
    """Count the questions, groups and gold of the study, on the arm whose questions are its own.

    Args:
        results: the study's arms.
        family: number of steps judged together.
    """
    arm = reference(results)
    if arm is None:
        return Denominators(
            asked=len(results.source.questions),
            asked_groups=0,
            scored=0,
            scored_groups=0,
            gold=0,
            unit="passage",
            excluded={},
            passages=0,
            documents=results.source.n_documents,
            setup=same(results.study.primary),
        )
    scored, passages = scored_rows(arm), arm.record.counts.get("passages", 0)
    return Denominators(
        asked=len(arm.query_ids),
        asked_groups=int(np.unique(arm.groups).size),
        scored=int(scored.sum()),
        scored_groups=int(np.unique(arm.groups[scored]).size),
        gold=gold_of(arm),
        unit=name_of_unit(arm.record),
        excluded=_excluded(arm),
        passages=passages,
        documents=results.source.n_documents,
        setup=_setup(results, arm, family, passages),
    )


def reason(name: str) -> Text:
    """`no_answer (no gold by design)`."""
    known = REASONS.get(name)
    return same(code(name)) if known is None else say("{name} ({why})", "{name}（{why}）", name=code(name), why=known)


def gold_of(arm: ArmResult) -> int:
    """Relevant units of an arm's scored questions: those whose fates were recorded, else those judged so."""
    counts = arm.record.evidence.get("counts")
    if counts:
        return sum(counts.values())
    least = least_grade(arm.record)
    judged = arm.judged()
    scored = [query for query, status in zip(arm.query_ids, arm.statuses, strict=True) if status == SCORED]
    return sum(grade >= least for query in scored for grade in judged.get(query, {}).values())


def _excluded(arm: ArmResult) -> dict[str, int]:
    found = Counter(status for status in arm.statuses if status != SCORED)
    return {name: found[name] for name in dict.fromkeys((*ALWAYS_NAMED, *sorted(found)))}


def _setup(results: StudyResults, arm: ArmResult, family: int, passages: int) -> Text:
    primary = Primary.of(results)
    measure = say(
        "measure {name} at {k}, unit {unit}, relevant from grade {grade}",
        "指标 {name}，K = {k}，单位 {unit}，{grade} 级起为相关",
        name=code(f"{primary.point}/{primary.measure.partition('@')[0]}"),
        k=str(primary.cutoff),
        unit=code(unit_of(arm.record) or Unit.PASSAGE),
        grade=str(least_grade(arm.record)),
    )
    interval = say("interval: cluster-robust t by group", "区间：按组聚类稳健 t")
    weights = say("every question weighs the same", "每题权重相同")
    tested = say(
        "family: {m}, Holm at {alpha}", "检验族：{m}，Holm，水平 {alpha}", m=counted_steps(family), alpha=short(ALPHA)
    )
    if results.holdout is not None:
        tested = text("each comparison by the rule, not adjusted", "每项比较按规则判定，不校正")
    corpus = counted(passages, "passage", "passages", "段")
    documents = results.source.n_documents
    if documents is not None:
        of = counted(documents, "document", "documents", "份文档")
        corpus = joined([say("{p} of {d}", "{d}，{p}", p=corpus, d=of)], "", "")
    return dotted(measure, weights, interval, tested, corpus)
