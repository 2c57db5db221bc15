"""From text to tokens: part of a sparse retriever's identity."""

import io
import logging
import re
import unicodedata
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from rag_ablation.core.language import HAN
from rag_ablation.stages.base import check_choice

WORD = re.compile(r"\w+")
RUN = re.compile(rf"{HAN.pattern}+|(?:(?!{HAN.pattern})\w)+")
CODE = re.compile(r"[a-z0-9]+(?:[-_./][a-z0-9]+)+")
HAN_SHARE_THAT_NEEDS_SEGMENTATION = 0.2

AnalyserName = Literal["auto", "jieba", "words", "char_bigram"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyser:
    """How text becomes tokens. NFKC and case folding come first, always.

    A code (letters and digits joined by `-`, `_`, `.` or `/`, with at least one digit) is a token of
    its own beside its parts, so that `INV-102` finds `INV-102`.

    Args:
        name: `jieba` segments Chinese into words, `words` takes runs of letters and digits,
            `char_bigram` takes pairs of neighbouring Chinese characters and words elsewhere.
        search_mode: with `jieba`, long words are also given as their parts.
        user_dictionary: with `jieba`, a file of further words; None for none.
        stemmer: language of a Snowball stemmer for words without Chinese characters, None for none.
        stop_words: tokens to leave out, after folding.
        fold_traditional: whether traditional characters are folded to simplified ones.
    """

    name: AnalyserName
    search_mode: bool = False
    user_dictionary: str | None = None
    stemmer: str | None = None
    stop_words: tuple[str, ...] = ()
    fold_traditional: bool = False

    @property
    def libraries(self) -> tuple[str, ...]:
        """Distributions whose version can change the tokens."""
        used = {
            "jieba": self.name == "jieba",
            "snowballstemmer": self.stemmer,
            "opencc": self.fold_traditional,
        }
        return tuple(name for name, in_use in used.items() if in_use)

    def tokens(self, text: str) -> list[str]:
        """Tokens of a text in order; tokens without a letter or digit are dropped."""
        folded = unicodedata.normalize("NFKC", text).casefold()
        if self.fold_traditional:
            folded = simplifier()(folded)
        tokens = [token for token in self._split(folded) if any(char.isalnum() for char in token)]
        tokens += [code for code in CODE.findall(folded) if code not in tokens and any(map(str.isdigit, code))]
        if self.stemmer is not None:
            stem = _stemmer(self.stemmer)
            tokens = [token if HAN.search(token) else stem(token) for token in tokens]
        return [token for token in tokens if token not in self.stop_words] if self.stop_words else tokens

    def _split(self, folded: str) -> Sequence[str]:
        if self.name == "jieba":
            cutter = _jieba(self.user_dictionary)
            return cutter(folded, self.search_mode)
        if self.name == "char_bigram":
            return [piece for word in WORD.findall(folded) for piece in _bigrams(word)]
        return WORD.findall(folded)


def analyser_for(language: str) -> AnalyserName:
    """The default analyser: `words` for a language written with spaces, `jieba` for Chinese and mixed."""
    primary = language.lower().split("-")[0]
    return "jieba" if primary in {"zh", "mixed"} else "words"


def check_stemmer(field: str, language: str | None, *others: str) -> None:
    """Raise unless a stemmer is one of Snowball's languages, or one of some other words; None is no stemmer.

    Raises:
        ValueError: otherwise; the text is `field: found …, expected …`.
    """
    if language is None or language in others:
        return
    import snowballstemmer  # noqa: PLC0415

    check_choice(field, language, (*others, *snowballstemmer.algorithms()))


def segmentation_warning(name: AnalyserName, texts: Sequence[str]) -> str | None:
    """A sentence where Chinese text would be matched by whole clauses, else None."""
    if name != "words":
        return None
    letters = sum(1 for text in texts for char in text if char.isalpha())
    han = sum(len(HAN.findall(text)) for text in texts)
    if not letters or han / letters < HAN_SHARE_THAT_NEEDS_SEGMENTATION:
        return None
    return (
        f"language mismatch: {han / letters:.0%} of the corpus' letters are Chinese, and the analyser 'words' takes "
        "each run of them as one token; set sparse.analyser=jieba or sparse.analyser=char_bigram"
    )


def _bigrams(word: str) -> list[str]:
    """Pairs inside each run of Chinese characters; other runs whole."""
    pieces: list[str] = []
    for run in RUN.findall(word):
        if HAN.match(run):
            pieces += [run[start : start + 2] for start in range(len(run) - 1)] or [run]
        else:
            pieces.append(run)
    return pieces


@lru_cache(maxsize=4)
def _jieba(user_dictionary: str | None) -> Callable[[str, bool], Sequence[str]]:
    """A tokenizer of our own: the library's global one could have been changed by others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba  # noqa: PLC0415
    jieba.setLogLevel(logging.ERROR)
    tokenizer = jieba.Tokenizer()
    tokenizer.initialize()
    if user_dictionary is not None:
        if not Path(user_dictionary).is_file():
            message = f"user_dictionary: found {user_dictionary!r}, expected a file of words, one a line"
            raise ValueError(message)
        tokenizer.load_userdict(io.StringIO(Path(user_dictionary).read_text(encoding="utf-8-sig")))
    return lambda text, search: tokenizer.lcut_for_search(text) if search else tokenizer.lcut(text)


@lru_cache(maxsize=4)
def _stemmer(language: str) -> Callable[[str], str]:
    import snowballstemmer  # noqa: PLC0415

    stemmer: Callable[[str], str] = snowballstemmer.stemmer(language).stemWord
    return stemmer


@lru_cache(maxsize=1)
def simplifier() -> Callable[[str], str]:
    """Folds traditional to simplified characters (OpenCC t2s)."""
    import opencc  # noqa: PLC0415

    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert
