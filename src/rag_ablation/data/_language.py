from rag_ablation.core.corpus import Passages
from rag_ablation.core.language import script_language

MOST_CHARS = 1_000_000


def detect_language(passages: Passages) -> str:
    """The language by script alone, from the first million characters in id order."""
    pieces, length = [], 0
    for passage in passages.rows:
        pieces.append(f"{passage.title}\n{passage.text}\n")
        length += len(pieces[-1])
        if length >= MOST_CHARS:
            break
    return script_language("".join(pieces)[:MOST_CHARS])
