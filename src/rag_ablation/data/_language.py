from collections.abc import Iterable

from rag_ablation.core.corpus import Passage
from rag_ablation.core.language import script_language

MOST_CHARS = 1_000_000


def detect_language(passages: Iterable[Passage]) -> str:
    """The language by script alone, from the first million characters.

    Args:
        passages: in id order.

    Returns:
        `zh`, `en` or `mixed`; see `script_language`.
    """
    pieces, length = [], 0
    for passage in passages:
        pieces.append(f"{passage.title}\n{passage.text}\n")
        length += len(pieces[-1])
        if length >= MOST_CHARS:
            break
    return script_language("".join(pieces)[:MOST_CHARS])
