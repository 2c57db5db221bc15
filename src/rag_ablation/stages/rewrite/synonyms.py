"""Other words for the same thing, from a file that a person keeps."""

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from rag_ablation.core.language import HAN
from rag_ablation.core.queries import Queries
from rag_ablation.stages._synonym_file import SynonymFile, folded, read_synonyms
from rag_ablation.stages.base import Cache, Rewritten, check_choice, check_whole_number

MODES = ("variants", "append")


class Held(NamedTuple):
    """A term that a question holds.

    Args:
        term: as the file has it.
        places: where it stands, from and to, in order.
    """

    term: str
    places: tuple[tuple[int, int], ...]


@dataclass(frozen=True, kw_only=True)
class Synonyms:
    """Further texts of a question with synonyms in place of its terms, or its text with the synonyms behind it.

    A term is found whatever its case or width, the longest first; no two share a character. Where it begins or ends
    with a letter or digit that is no Chinese character, it is a whole word there; Chinese has no word boundaries.

    Args:
        file: lines of a term and its synonyms, parted by tabs; UTF-8.
        mode: `variants`, the question, and a text for each synonym of each of its terms, in place of that term alone;
            `append`, one text, the question with the synonyms behind it.
        max_variants: most further texts, or most synonyms appended, of one question.
    """

    file: str
    mode: Literal["variants", "append"] = "variants"
    max_variants: int = 4

    def __post_init__(self) -> None:
        """Check values, and read the file.

        Raises:
            ConfigError: lines of the file are wrong.
        """
        check_choice("mode", self.mode, MODES)
        check_whole_number("max_variants", self.max_variants)
        if not Path(self.file).is_file():
            message = f"file: found {self.file!r}, expected a file of lines `term<TAB>synonym`"
            raise ValueError(message)
        _ = self._read

    @property
    def libraries(self) -> tuple[str, ...]:
        """None."""
        return ()

    @property
    def remote(self) -> bool:
        """It asks nobody."""
        return False

    def fingerprint(self) -> Mapping[str, object]:
        """Digest of the file's content, as it was read."""
        return {"synonyms": self._read.digest}

    def rewrite(self, queries: Queries, cache: Cache) -> Rewritten:
        """The question as asked first, then what the mode makes of its terms: the longest term first.

        Args:
            queries: (Q,) questions.
            cache: not used.
        """
        texts: list[tuple[str, ...]] = []
        terms: set[str] = set()
        n_left_out = 0
        for asked in queries.texts:
            plain = unicodedata.normalize("NFKC", asked)
            held = self.held(plain)
            terms.update(one.term for one in held)
            made = list(self._variants(plain, held) if self.mode == "variants" else self._appended(plain, held))
            new = [text for text in dict.fromkeys(made) if text not in (asked, plain)]
            kept = new[: self.max_variants]
            n_left_out += len(new) - len(kept)
            texts.append((asked, *kept) if self.mode == "variants" else (" ".join([asked, *kept]),))
        return Rewritten(
            texts=tuple(texts),
            facts={
                "n_changed": sum(own != (asked,) for own, asked in zip(texts, queries.texts, strict=True)),
                "n_terms": len(self._read.synonyms),
                "n_terms_met": len(terms),
                "n_left_out": n_left_out,
            },
        )

    def held(self, text: str) -> list[Held]:
        """The terms that a text holds, the longest first, then by code point.

        Args:
            text: after NFKC.
        """
        taken: set[int] = set()
        found = []
        near = folded(text)
        for term in self._read.synonyms:
            if folded(term) not in near:
                continue
            places = []
            for match in re.finditer(re.escape(term), text, re.IGNORECASE):
                if taken.isdisjoint(range(*match.span())) and _stands_alone(text, *match.span()):
                    places.append(match.span())
                    taken.update(range(*match.span()))
            if places:
                found.append(Held(term, tuple(places)))
        return found

    @cached_property
    def _read(self) -> SynonymFile:
        return read_synonyms(Path(self.file))

    def _variants(self, text: str, held: Sequence[Held]) -> Iterator[str]:
        for term, places in held:
            edges = [0, *itertools.chain.from_iterable(places), len(text)]
            around = [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]
            yield from (synonym.join(around) for synonym in self._read.synonyms[term])

    def _appended(self, text: str, held: Sequence[Held]) -> Iterator[str]:
        there = folded(text)
        for term, _ in held:
            yield from (synonym for synonym in self._read.synonyms[term] if folded(synonym) not in there)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether no word goes on across either end."""
    return not any(0 < place < len(text) and _one_word(text[place - 1], text[place]) for place in (start, end))


def _one_word(left: str, right: str) -> bool:
    return all((char.isalnum() or char == "_") and not HAN.match(char) for char in (left, right))
