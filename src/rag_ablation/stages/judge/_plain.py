"""One form for all the ways of writing the same characters."""

import re
import unicodedata
from functools import lru_cache

from rag_ablation.core.language import HAN
from rag_ablation.stages._analysers import simplifier
from rag_ablation.stages._prompting import encodable

UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
SPACE = re.compile(r"\s+")
SPACE_BESIDE_HAN = re.compile(rf"(?<={HAN.pattern}) | (?={HAN.pattern})")
ALIKE = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−－", "-"),
        **dict.fromkeys("～〜∼", "~"),
        **dict.fromkeys("‘’‛`´", "'"),
        **dict.fromkeys("「」『』“”„«»《》〈〉", '"'),
        "⁄": "/",
        "円": "日元",
    }
)


@lru_cache(maxsize=4096)
def plain(text: str) -> str:
    """NFKC, lower case, simplified characters, one kind of quotation mark, dash and space.

    White space beside a Chinese character is dropped, elsewhere each run of it is one space. Half a character, which
    JSON lets through, is one that nobody knows.
    """
    folded = unicodedata.normalize("NFKC", UNSEEN.sub("", encodable(text))).casefold().translate(ALIKE)
    spaced = SPACE.sub(" ", simplifier()(folded)).strip()
    return SPACE_BESIDE_HAN.sub("", spaced)
