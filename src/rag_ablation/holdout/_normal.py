"""Question text as the split compares it: what does not change the question is taken away.

NFKC, case, traditional to simplified characters (OpenCC t2s), punctuation and white space, and phrases
of courtesy at either end.
"""

import re
import unicodedata

from rag_ablation.stages._analysers import simplifier
from rag_ablation.stages._courtesies import CHINESE_COURTESIES, ENGLISH_COURTESIES, either

SPACES = re.compile(r"\s+")


def normal_text(text: str) -> str:
    """Words of a text in order, joined by single spaces, without courtesies.

    A text that is nothing but courtesy, or that has no letter and no digit, stays as it is.

    Args:
        text: as asked.
    """
    folded = simplifier()(unicodedata.normalize("NFKC", text).casefold())
    plain = "".join(char if char.isalnum() or unicodedata.category(char)[0] == "M" else " " for char in folded)
    plain = SPACES.sub(" ", plain).strip()
    return _without_courtesy(plain) or plain or SPACES.sub(" ", folded).strip()


def _without_courtesy(text: str) -> str:
    while True:
        shorter = _END.sub("", _START.sub("", text)).strip()
        if shorter == text:
            return text
        text = shorter


# A Chinese phrase stands directly before the next word; an English one ends where a word ends.
_START = re.compile(rf"^(?:{either(CHINESE_COURTESIES)}|(?:{either(ENGLISH_COURTESIES)})(?=\s|$))")
_END = re.compile(rf"(?:{either(CHINESE_COURTESIES)}|(?:^|(?<=\s))(?:{either(ENGLISH_COURTESIES)}))$")
