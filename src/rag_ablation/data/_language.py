import re
from collections.abc import Iterable

from rag_ablation.core.corpus import Passage

HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
MOST_CHARS = 1_000_000
MUCH_HAN = 0.1


def detect_language(passages: Iterable[Passage]) -> str:
    """The language by script alone, from the first million characters.

    Args:
        passages: in id order.

    Returns:
        `zh` where more than half of the letters are Han; `en` where more than half are Latin and at most a
        tenth are Han, since one Han character weighs as much as several Latin ones; else `mixed`.
    """
    pieces, length = [], 0
    for passage in passages:
        pieces.append(f"{passage.title}\n{passage.text}\n")
        length += len(pieces[-1])
        if length >= MOST_CHARS:
            break
    text = "".join(pieces)[:MOST_CHARS]
    letters = sum(map(str.isalpha, text))
    han, latin = len(HAN.findall(text)), len(LATIN.findall(text))
    if 2 * han > letters:
        return "zh"
    return "en" if 2 * latin > letters and han <= MUCH_HAN * letters else "mixed"
