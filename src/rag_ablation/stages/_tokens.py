"""How long a text is, in the tokens of a named tokenizer or in characters; no model is loaded for it."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from rag_ablation.core.digest import digest_file
from rag_ablation.core.errors import ModelError
from rag_ablation.stages._e5_small import converted
from rag_ablation.stages._hub import snapshot
from rag_ablation.stages._models import DENSE, HUB_NAME, PACKAGES, locate

CHARACTERS = "characters"
FILE = "tokenizer.json"

Counter = Callable[[Sequence[str]], list[int]]


def token_counter(name: str) -> Counter:
    """Counts the tokens of texts, without those that a model adds at the ends.

    Args:
        name: `characters` (code points), `minilm`, `e5_small`, a folder with a tokenizer.json, or a hub name.

    Raises:
        ModelError: there is no such tokenizer.
    """
    if name == CHARACTERS:
        return lambda texts: [len(text) for text in texts]
    tokenizer = _tokenizer(_file(name))
    return lambda texts: [len(found.ids) for found in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def tokenizer_fingerprint(name: str) -> Mapping[str, object]:
    """Name and digest of the tokenizer's file; nothing for characters.

    Raises:
        ModelError: there is no such tokenizer.
    """
    return {} if name == CHARACTERS else {"tokenizer": Path(name).name, "tokenizer_file": digest_file(_file(name))}


def _file(name: str) -> Path:
    folder = Path(name).expanduser()
    if name in PACKAGES:
        model = locate(name, DENSE)
        folder = model.path
        if name == "e5_small":
            folder = converted(model.path, model.fingerprint["weights"], model.fingerprint["converter"])
    elif not folder.is_dir() and HUB_NAME.fullmatch(name):
        folder = _snapshot(name)
    if not (folder / FILE).is_file():
        message = (
            f"context.tokenizer: found {name!r}, which is no folder with a {FILE}; expected {CHARACTERS}, "
            f"{', '.join(PACKAGES)}, such a folder, or a hub name (owner/name)"
        )
        raise ModelError(message)
    return folder / FILE


def _snapshot(name: str) -> Path:
    try:
        return snapshot(name)
    except Exception as error:  # the hub's client raises its own kinds, the operating system's and those of httpx
        reason = " ".join(str(error).split())[:200]
        message = (
            f"context.tokenizer: found {name!r}, which is neither a folder nor in the local cache, and the hub does "
            f"not give it ({type(error).__name__}: {reason}); expected {CHARACTERS} or a folder with a {FILE}"
        )
        raise ModelError(message) from error


@lru_cache(maxsize=4)
def _tokenizer(file: Path):  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer  # noqa: PLC0415

    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
