"""What an arm changed from its parent, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from rag_ablation.experiment.factors import CHUNKING, RETRIEVERS, change
from rag_ablation.report.study.figures import at_once
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import Filling, joined, listed, say
from rag_ablation.report.study.words import Text, code, same

ARROW = " → "
NONE = "none"
HANDED = {
    "gold": say("gold evidence put straight into the context", "标注证据直接放进上下文"),
    "random": say("passages at random as context", "随机段落作为上下文"),
    "closed_book": say("no context at all", "完全没有上下文"),
}
SHOWN = {
    "bm25": ("idf", "analyser"),
    "sentence_transformers": ("model",),
    "cross_encoder": ("model",),
    "late_interaction": ("model",),
    "rrf": ("rank_constant", "window"),
}
"""Settings that a stage is told by."""

Settings = Mapping[str, Any]


def first_of(arm: ArmResult) -> Text:
    """What an arm without a parent consists of."""
    settings = arm.record.settings
    handed = _handed(settings)
    if handed is not None:
        return handed
    slots = [slot for slot in (CHUNKING, "rewrite", *RETRIEVERS, "fusion", "rerank") if slot in settings]
    return joined([_stage(settings[slot]) for slot in slots], ", ", "，")


def changed_from(child: ArmResult, parents: Sequence[ArmResult]) -> Text:
    """What differs from the parent that differs least; a step of several factors says how many they are.

    Args:
        child: the arm.
        parents: those that it is compared with and whose settings are recorded; none for the first arm.
    """
    if not parents or _handed(child.record.settings) is not None:
        return first_of(child)
    changes = [change(parent.record.settings, child.record.settings) for parent in parents]
    found, parent = min(zip(changes, parents, strict=True), key=lambda pair: len(pair[0].factors))
    if not found.factors:
        return say("the same settings as {parent}", "设置与 {parent} 相同", parent=parent.key)
    words = joined([_factor(factor, child, parent, parents) for factor in found.factors], "; ", "；")
    if not found.confounded:
        return words
    return say("{words} ({all})", "{words}（{all}）", words=words, all=at_once(len(found.factors)))


def _handed(settings: Settings) -> Text | None:
    """What an arm is given in place of a ranking."""
    return None if set(settings) & set(RETRIEVERS) else HANDED.get(settings.get("context", {}).get("name"))


def _factor(factor: str, child: ArmResult, parent: ArmResult, parents: Sequence[ArmResult]) -> Text:
    head, _, after = factor.rpartition(ARROW)
    name, _, before = head.partition(" ")
    settings = child.record.settings
    if name == "retrievers":
        return _retrievers(child, parent, parents)
    if name == "rerank" and before == NONE:
        stage, depth = _stage(settings["rerank"]), str(settings["rerank"].get("depth", ""))
        return say(
            "{parent}, first {depth} to {stage}",
            "{parent} 的前 {depth} 交给 {stage}",
            parent=parent.key,
            depth=depth,
            stage=stage,
        )
    if "." in name:
        old, new = ("null" if value == "None" else value for value in (before, after))
        return say("{name} {old} → {new}", "{name} {old} → {new}", name=code(name), old=old, new=new)
    if before == NONE:
        return say("{name} added: {after}", "加上 {name}：{after}", name=code(name), after=code(after))
    if after == NONE:
        return say("without {name}", "去掉 {name}", name=code(name))
    return say("{after} replaces {before}", "{after} 替换 {before}", after=code(after), before=code(before))


def _retrievers(child: ArmResult, parent: ArmResult, parents: Sequence[ArmResult]) -> Text:
    mine, theirs = child.record.settings, parent.record.settings
    after, before = _slots(mine), _slots(theirs)
    if len(after) < 2:
        if set(after) < set(before):
            return say("{new} alone", "只用 {new}", new=_stages(mine, after))
        new, old = _stages(mine, after), listed([code(theirs[slot]["name"]) for slot in before])
        return say("{new} replaces {old}", "{new} 替换 {old}", new=new, old=old)
    fused = _stage(mine["fusion"]) if "fusion" in mine else same("–")
    sources = {slots[0]: arm.key for arm in parents if len(slots := _slots(arm.record.settings)) == 1}
    if sorted(sources) == sorted(after):
        return say(
            "{sources} fused by {fused}", "{sources} 融合：{fused}", sources=listed(list(sources.values())), fused=fused
        )
    added = _stages(mine, [slot for slot in after if slot not in before])
    return say("{added} added, fused by {fused}", "加上 {added}，融合：{fused}", added=added, fused=fused)


def _slots(settings: Settings) -> list[str]:
    return [slot for slot in RETRIEVERS if slot in settings]


def _stages(settings: Settings, slots: Sequence[str]) -> Text:
    return listed([_stage(settings[slot]) for slot in slots])


def _stage(section: Settings) -> Text:
    """`rrf rank_constant 60, window 100`: a stage and the settings that it is told by."""
    name = str(section["name"])
    told: list[Filling] = [
        code(str(section[key])) if isinstance(section[key], str) else same(f"{key} {section[key]}")
        for key in SHOWN.get(name, ())
        if section.get(key) is not None
    ]
    if not told:
        return same(code(name))
    return say("{name} ({told})", "{name}（{told}）", name=code(name), told=joined(told, ", ", "，"))
