"""Answers that are sentences of the context: no network, no model of language, the same every time."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, Self

from rag_ablation.core.answers import Answer
from rag_ablation.core.corpus import Passages
from rag_ablation.stages._analysers import Analyser, AnalyserName, analyser_for, check_stemmer
from rag_ablation.stages._encoder import LIBRARIES, Encoder
from rag_ablation.stages._models import DENSE, check_model_name, locate, resolve_auto
from rag_ablation.stages._prompts import chosen_prompts
from rag_ablation.stages._sentence_scorers import Scorer, embedding_scorer, overlap_scorer
from rag_ablation.stages._sentences import breaks
from rag_ablation.stages._weights import weights_of
from rag_ablation.stages.answering import Generated, Reading
from rag_ablation.stages.base import Cache, check_choice

SCORERS = ("overlap", "embedding")
NO_STEMMER = "none"


class Scored(NamedTuple):
    """A sentence of a context.

    Args:
        score: how well it fits the question.
        text: the sentence.
        passage: row of its passage.
    """

    score: float
    text: str
    passage: int


@dataclass(frozen=True, kw_only=True)
class ExtractiveGenerator:
    """At most two sentences of the context, those that fit the question best, or a refusal.

    Args:
        scorer: `overlap`, the idf-weighted share of the question's words that a sentence holds, or `embedding`, the
            cosine of a bi-encoder's vectors.
        threshold: the answer is a refusal where the best score lies below it; finite.
        sentences: most sentences of an answer, 1 or 2; the second one, too, must reach the threshold.
        analyser: for `overlap`: `auto` is `jieba` for Chinese and mixed sets, else `words`.
        stemmer: for `overlap`: a Snowball language, `none`, or `auto`, which is English for an English set.
        model: for `embedding`: as `model` of the dense retriever.
    """

    scorer: Literal["overlap", "embedding"] = "overlap"
    threshold: float = 0.0
    sentences: Literal[1, 2] = 2
    analyser: AnalyserName = "auto"
    stemmer: str = "auto"
    model: str = "auto"

    def __post_init__(self) -> None:
        """Check values."""
        check_choice("scorer", self.scorer, SCORERS)
        check_model_name(self.model)
        check_stemmer("stemmer", self.stemmer, "auto", NO_STEMMER)
        if isinstance(self.threshold, bool) or not math.isfinite(self.threshold):
            message = f"threshold: found {self.threshold!r}, expected a finite number"
            raise ValueError(message)
        if self.sentences not in (1, 2):
            message = f"sentences: found {self.sentences!r}, expected 1 or 2"
            raise ValueError(message)

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change the answers."""
        return LIBRARIES if self.scorer == "embedding" else self._analyser.libraries

    @property
    def needs_context(self) -> bool:
        """Without passages there is no sentence to choose."""
        return True

    def resolved(self, language: str) -> Self:
        """The same with what `auto` stands for; settings of the other scorer are left as they are."""
        if self.scorer == "embedding":
            return replace(self, model=resolve_auto(self.model, language))
        english = language.lower().split("-")[0] == "en"
        return replace(
            self,
            analyser=analyser_for(language) if self.analyser == "auto" else self.analyser,
            stemmer=("english" if english else NO_STEMMER) if self.stemmer == "auto" else self.stemmer,
        )

    def fingerprint(self) -> Mapping[str, object]:
        """The bi-encoder, where there is one.

        Raises:
            ModelError: the model cannot be had.
        """
        return locate(self.model, DENSE).fingerprint if self.scorer == "embedding" else {}

    def model_weights(self) -> Mapping[str, str]:
        """Name, kind and digest of the files that are loaded; empty where none are.

        Raises:
            ModelError: the model cannot be had.
        """
        return weights_of(locate(self.model, DENSE)) if self.scorer == "embedding" else {}

    def generate(self, reading: Reading, cache: Cache) -> Generated:
        """Choose the sentences of every answer.

        Args:
            reading: questions and contexts.
            cache: where counts or vectors of the corpus are kept.

        Raises:
            ModelError: the model cannot be had.
        """
        ranked = self.ranked(reading, cache)
        answers = tuple(self.answer(reading.passages, found) for found in ranked)
        return Generated(
            answers=answers,
            facts={
                "scorer": self.scorer,
                "threshold": self.threshold,
                "n_refused": sum(answer.refused for answer in answers),
                "n_empty_context": sum(not context for context in reading.contexts),
            },
        )

    def ranked(self, reading: Reading, cache: Cache) -> list[list[Scored]]:
        """(Q,) sentences of each context, best first: score down, then place in the context.

        Args:
            reading: questions and contexts.
            cache: where counts or vectors of the corpus are kept.
        """
        split = {row: sentences_of(reading.passages.rows[row].text) for row in _shown(reading)}
        score = self._scorer(reading, split, cache)
        found = []
        for question, context in zip(reading.queries.texts, reading.contexts, strict=True):
            places = [(text, row) for row in context for text in split[row]]
            scores = score(question, [text for text, _ in places])
            sentences = [Scored(value, text, row) for value, (text, row) in zip(scores, places, strict=True)]
            found.append(sorted(sentences, key=lambda one: -one.score))
        return found

    def answer(self, passages: Passages, ranked: Sequence[Scored]) -> Answer:
        """The best sentences that reach the threshold, each text once; a refusal where none does.

        Args:
            passages: the corpus.
            ranked: sentences of one context, best first.
        """
        chosen: list[Scored] = []
        for one in ranked:
            if one.score < self.threshold or len(chosen) == self.sentences:
                break
            if one.text not in [other.text for other in chosen]:
                chosen.append(one)
        if not chosen:
            return Answer(text="", refused=True)
        cited = dict.fromkeys(passages.ids[one.passage] for one in chosen)
        return Answer(text="\n".join(one.text for one in chosen), cited=tuple(cited))

    def _scorer(self, reading: Reading, split: Mapping[int, Sequence[str]], cache: Cache) -> Scorer:
        if self.scorer == "overlap":
            return overlap_scorer(reading.passages.texts, self._analyser, cache)
        located = locate(self.model, DENSE)
        prompts, _ = chosen_prompts(located, "auto", "auto")
        encoder = Encoder(model=located, prompts=prompts, max_length=None, batch_size=32, threads=2)
        every = [text for passage in reading.passages.rows for text in sentences_of(passage.text)]
        return embedding_scorer(every, reading.queries.texts, encoder, cache)

    @cached_property
    def _analyser(self) -> Analyser:
        return Analyser(name=self.analyser, stemmer=None if self.stemmer in (NO_STEMMER, "auto") else self.stemmer)


def sentences_of(text: str) -> list[str]:
    """Sentences and table rows of a passage, in order, without white space around them."""
    edges = [0, *breaks(text).sentences, len(text)]
    found = [text[start:end].strip() for start, end in itertools.pairwise(edges)]
    return [sentence for sentence in found if sentence]


def _shown(reading: Reading) -> list[int]:
    return sorted({row for context in reading.contexts for row in context})
