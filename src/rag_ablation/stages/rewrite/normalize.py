"""A question in its plainest form, without a change of its words."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from rag_ablation.core.queries import Queries
from rag_ablation.stages._analysers import simplifier
from rag_ablation.stages._courtesies import without_courtesy
from rag_ablation.stages.base import Cache, Rewritten

SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Normalize:
    """One text a question: compatible forms of characters (NFKC), single spaces, and what the settings say.

    Args:
        fold_case: whether case is folded.
        fold_traditional: whether traditional characters become simplified ones.
        drop_courtesies: whether listed phrases such as "请问" and "could you tell me" go at either end.
    """

    fold_case: bool = False
    fold_traditional: bool = True
    drop_courtesies: bool = True

    @property
    def libraries(self) -> tuple[str, ...]:
        """OpenCC folds the characters."""
        return ("opencc",) if self.fold_traditional else ()

    @property
    def remote(self) -> bool:
        """It asks nobody."""
        return False

    def fingerprint(self) -> Mapping[str, object]:
        """No model."""
        return {}

    def rewrite(self, queries: Queries, cache: Cache) -> Rewritten:
        """One text of each question; a question of which no letter and no digit is left stays as asked.

        Args:
            queries: (Q,) questions.
            cache: not used.
        """
        plain = [self._plain(text) for text in queries.texts]
        kept = [new if any(map(str.isalnum, new)) else asked for new, asked in zip(plain, queries.texts, strict=True)]
        return Rewritten(
            texts=tuple((text,) for text in kept),
            facts={
                "n_changed": sum(new != asked for new, asked in zip(kept, queries.texts, strict=True)),
                "n_nothing_left": sum(new != text for new, text in zip(plain, kept, strict=True)),
            },
        )

    def _plain(self, text: str) -> str:
        text = SPACES.sub(" ", unicodedata.normalize("NFKC", text)).strip()
        if self.fold_case:
            text = text.casefold()
        if self.fold_traditional:
            text = simplifier()(text)
        return without_courtesy(text) if self.drop_courtesies else text
