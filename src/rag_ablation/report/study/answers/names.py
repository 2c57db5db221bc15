"""What generators, judges and measures of answers are called."""

import json
from collections.abc import Mapping
from typing import Any

from rag_ablation.core.digest import digest_json
from rag_ablation.core.record import RecordedStage
from rag_ablation.measures.answers import (
    CITATION_PRECISION,
    CORRECT,
    CORRECT_HIGH,
    CORRECT_LOW,
    FAILED,
    NEEDS_REVIEW,
    POINT,
    REFUSED_RIGHT,
    REFUSED_WRONG,
    SUPPORTED,
    WRONG_ON_NO_ANSWER,
)
from rag_ablation.report.study.answers.read import GENERATE, JUDGE
from rag_ablation.report.study.content import Became
from rag_ablation.report.study.inputs import ArmResult
from rag_ablation.report.study.prose import Filling, dotted, joined
from rag_ablation.report.study.words import Text, code, same, text

SHORT = 8
PROMPT = "prompt"
NOT_SAID = frozenset(
    {"name", "concurrency", "timeout_s", "retries", "max_requests", "max_cost", "api_key_env", "prices"}
)
"""Settings that change no answer."""

MEASURES: Mapping[str, Text] = {
    CORRECT: text("right answers", "答对"),
    CORRECT_LOW: text("right answers, open ones wrong", "答对，待定计错"),
    CORRECT_HIGH: text("right answers, open ones right", "答对，待定计对"),
    REFUSED_RIGHT: text("right refusals", "正确拒答"),
    REFUSED_WRONG: text("false refusals", "误拒"),
    WRONG_ON_NO_ANSWER: text("answered without an answer", "无答案而作答"),
    CITATION_PRECISION: text("citation precision", "引用精确率"),
    SUPPORTED: text("supported", "有据"),
    FAILED: text("failed", "失败"),
    NEEDS_REVIEW: text("open verdicts", "待定"),
}
"""Measures of answers as people call them."""

BECAME: Mapping[Became, Text] = {
    Became.RIGHT: text("right", "答对"),
    Became.REFUSED_RIGHT: text("refused, rightly", "正确拒答"),
    Became.WRONG: text("answered, wrongly", "答错"),
    Became.REFUSED: text("refused, wrongly", "误拒"),
    Became.FAILED: text("failed", "失败"),
    Became.OPEN: text("waits for review", "待人工判定"),
    Became.NOT_JUDGED: text("answered, not judged", "已答，未判"),
}


def measure_of(column: str) -> Text | None:
    """Name of a measure of answers by its column (`answer/supported`), None for any other."""
    point, _, measure = column.partition("/")
    return MEASURES.get(measure) if point == POINT else None


def stage_of(arm: ArmResult, slot: str) -> RecordedStage | None:
    """The recorded stage of a slot."""
    return next((stage for stage in arm.record.stages if stage.slot == slot), None)


def generator_name(arm: ArmResult) -> str:
    """Generator and model: `openai qwen3:4b`."""
    section = settings_of(arm, GENERATE)
    return " ".join(str(part) for part in (section.get("name", "–"), model_of(arm, GENERATE)) if part)


def judge_name(arm: ArmResult) -> str:
    """Judge with its version and model: `rules 1`; empty for an arm without one."""
    section = settings_of(arm, JUDGE)
    name = section.get("name")
    if name is None:
        return ""
    return " ".join(str(part) for part in (name, version_of(arm), model_of(arm, JUDGE)) if part)


def model_of(arm: ArmResult, slot: str) -> str:
    """Name of the model that a stage used, empty where it used none."""
    used = arm.record.environment.get("models", {}).get(slot, {})
    return str(used.get("name") or used.get("model") or "")


def version_of(arm: ArmResult) -> str:
    """Version of the judge's rules, empty where it records none."""
    stage, section = stage_of(arm, JUDGE), settings_of(arm, JUDGE)
    return "" if stage is None else str(stage.facts.get(str(section.get("name"))) or "")


def reviewed_of(arm: ArmResult) -> tuple[int, int]:
    """Verdicts that a person gave, and those of them that the judge had decided otherwise."""
    stage = stage_of(arm, JUDGE)
    facts = {} if stage is None else stage.facts
    return int(facts.get("n_reviewed") or 0), int(facts.get("n_overruled") or 0)


def failed_of_asked(arm: ArmResult) -> tuple[int, int] | None:
    """Answers that failed and all that were asked for, None where the generator does not count them."""
    stage, asked = stage_of(arm, GENERATE), arm.record.answers.get("asked")
    failed = None if stage is None else stage.facts.get("n_failed")
    return None if failed is None or asked is None else (int(failed), int(asked))


def currency_of(arm: ArmResult) -> str:
    """Of the costs, empty where the generator names none."""
    return str(settings_of(arm, GENERATE).get("currency") or "")


def prompts_of(arm: ArmResult, slot: str) -> Mapping[str, str]:
    """Digest of each prompt of a stage by its setting; empty where it reads none."""
    return {key: digest_json(value)[:SHORT] for key, value in settings_of(arm, slot).items() if PROMPT in key and value}


def settings_of(arm: ArmResult, slot: str) -> Mapping[str, Any]:
    """Settings of a slot, empty where it is."""
    found = arm.record.settings.get(slot)
    return found if isinstance(found, Mapping) else {}


def told(arm: ArmResult, slot: str) -> Text:
    """A stage as a line of provenance: name, version, model, settings, digests of its prompts."""
    section, prompts = settings_of(arm, slot), prompts_of(arm, slot)
    version = version_of(arm) if slot == JUDGE else ""
    parts: list[Filling] = [code(" ".join(filter(None, (str(section.get("name", "–")), version))))]
    parts += [
        code(f"{key} {value if not isinstance(value, Mapping) else json.dumps(value)}")
        for key, value in section.items()
        if key not in {*NOT_SAID, *prompts} and value not in (None, "", "auto", {})
    ]
    if server := arm.record.environment.get("models", {}).get(slot, {}).get("server"):
        parts.append(code(f"server {server}"))
    return dotted(*parts, *[code(f"{key} sha256 {digest}") for key, digest in prompts.items()])


def judges(arms: tuple[ArmResult, ...]) -> Text:
    """Judges of several arms, each once."""
    names = dict.fromkeys(name for arm in arms if (name := judge_name(arm)))
    return joined([code(name) for name in names], ", ", "、") if names else same("–")
