"""What is known about models by their name: the prompts they need, and the languages they read."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rag_ablation.core.language import HAN
from rag_ablation.stages._analysers import HAN_SHARE_THAT_NEEDS_SEGMENTATION
from rag_ablation.stages._models import AUTO, LocatedModel

ENGLISH_ONLY = re.compile(
    r"minilm|all-mpnet-|all-distilroberta-|multi-qa-|msmarco-|ms-marco-|bge-(small|base|large)-en|"
    r"gte-(small|base|large)(-en.*)?$|e5-(small|base|large)(-v2)?$|arctic-embed-\w+$"
)
MULTILINGUAL = re.compile(r"multilingual|mmarco|mminilm|[-_]zh|-m3")


class Prompts(NamedTuple):
    """What is put before a text."""

    query: str
    document: str


SEARCH_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: "
BGE_EN = "Represent this sentence for searching relevant passages: "
BGE_ZH = "为这个句子生成表示以用于检索相关文章："

KNOWN_PROMPTS: tuple[tuple[re.Pattern[str], Prompts], ...] = (
    (re.compile(r"e5.*instruct"), Prompts(SEARCH_TASK, "")),
    (re.compile(r"(^|[-_/])e5[-_](small|base|large)"), Prompts("query: ", "passage: ")),
    (re.compile(r"bge-(small|base|large)-zh"), Prompts(BGE_ZH, "")),
    (re.compile(r"bge-(small|base|large)-en"), Prompts(BGE_EN, "")),
    (re.compile(r"mxbai-embed|snowflake-arctic-embed-(xs|s|m|l)$"), Prompts(BGE_EN, "")),
    (re.compile(r"nomic-embed-text"), Prompts("search_query: ", "search_document: ")),
    (re.compile(r"qwen3-embedding"), Prompts(SEARCH_TASK.removesuffix(" "), "")),
)


def language_warning(model: str, corpus_language: str) -> str | None:
    """A sentence where a model known to read English only meets Chinese text, else None.

    Args:
        model: name, hub name or folder.
        corpus_language: language of the dataset.
    """
    name = Path(model).name.lower()
    if corpus_language.lower().split("-")[0] not in {"zh", "mixed"}:
        return None
    if not ENGLISH_ONLY.search(name) or MULTILINGUAL.search(name):
        return None
    return (
        f"language mismatch: the model {name!r} reads English only, and the corpus holds Chinese; what it finds "
        "there is close to chance and pulls a fusion down with it; choose a model that reads Chinese"
    )


def warnings_for_texts(model: LocatedModel, texts: Sequence[str]) -> list[str]:
    """The language warning, by the share of Chinese letters in the texts themselves."""
    letters = sum(1 for text in texts for char in text if char.isalpha())
    han = sum(len(HAN.findall(text)) for text in texts)
    if not letters or han / letters < HAN_SHARE_THAT_NEEDS_SEGMENTATION:
        return []
    warning = language_warning(model.name, "zh")
    return [] if warning is None else [warning]


def prompts_of(model: LocatedModel) -> Prompts:
    """The prompts a model was trained with: those in its own settings, else those known by its name."""
    own: Mapping[str, object] = {}
    settings = model.path / "config_sentence_transformers.json"
    if settings.is_file():
        own = json.loads(settings.read_text(encoding="utf-8")).get("prompts") or {}
    query = str(own.get("query") or "")
    document = str(own.get("document") or own.get("passage") or own.get("corpus") or "")
    if query or document:
        return Prompts(query, document)
    name = model.name.lower()
    return next((known for pattern, known in KNOWN_PROMPTS if pattern.search(name)), Prompts("", ""))


def chosen_prompts(model: LocatedModel, query: str, document: str) -> tuple[Prompts, list[str]]:
    """The prompts in force, and a sentence for each that is empty where the model needs one.

    Args:
        model: the model.
        query: a prompt, or `auto` for the model's own.
        document: the same for passages.
    """
    own = prompts_of(model)
    chosen = Prompts(own.query if query == AUTO else query, own.document if document == AUTO else document)
    warnings = [
        f"{field} is empty, and {model.name} was trained with {needed!r}; {field}=auto sets it"
        for field, given, needed in (
            ("query_prompt", chosen.query, own.query),
            ("document_prompt", chosen.document, own.document),
        )
        if needed and not given
    ]
    return chosen, warnings


def check_prompts(query: object, document: object) -> None:
    """Raise unless both prompts are texts.

    Raises:
        ValueError: otherwise.
    """
    for field, found in (("query_prompt", query), ("document_prompt", document)):
        if not isinstance(found, str):
            message = f"{field}: found {found!r}, expected auto or a text"
            raise ValueError(message)
