"""How long a text is, in the tokens of a named tokenizer or in characters; no model is loaded for it."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from rag_ablation.core.errors import ModelError
from rag_ablation.stages._model_folder import file_digest
from rag_ablation.stages._models import HUB_NAME, PACKAGES, TOKENIZER, hub_folder, locate
from rag_ablation.stages._weights import loading_folder

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
    file = _file(name)
    tokenizer = _tokenizer(file, file_digest(file))
    return lambda texts: [len(found.ids) for found in tokenizer.encode_batch(list(texts), add_special_tokens=False)]


def tokenizer_fingerprint(name: str) -> Mapping[str, object]:
    """Name and digest of the tokenizer's file; nothing for characters.

    Raises:
        ModelError: there is no such tokenizer.
    """
    return {} if name == CHARACTERS else {"tokenizer": Path(name).name, "tokenizer_file": file_digest(_file(name))}


def tokenizer_weights(name: str) -> dict[str, str]:
    """Name, kind and digest of the tokenizer's file; nothing for characters.

    Raises:
        ModelError: there is no such tokenizer.
    """
    if name == CHARACTERS:
        return {}
    return {"name": Path(name).name, "kind": "tokenizer", "digest": file_digest(_file(name))}


def _file(name: str) -> Path:
    folder = Path(name).expanduser()
    if name in PACKAGES:
        folder = loading_folder(locate(name, TOKENIZER))
    elif not folder.is_dir() and HUB_NAME.fullmatch(name):
        folder = hub_folder(name, TOKENIZER)
    if not (folder / FILE).is_file():
        message = (
            f"context.tokenizer: found {name!r}, which is no folder with a {FILE}; expected {CHARACTERS}, "
            f"{', '.join(PACKAGES)}, such a folder, or a hub name (owner/name)"
        )
        raise ModelError(message)
    return folder / FILE


@lru_cache(maxsize=4)
def _tokenizer(file: Path, digest: str):  # type: ignore[no-untyped-def]
    from tokenizers import Tokenizer  # noqa: PLC0415

    data = file.read_bytes()
    if sha256(data).hexdigest() != digest:
        message = f"context.tokenizer: {file} changed while it was loaded; run again when it is at rest"
        raise ModelError(message)
    tokenizer = Tokenizer.from_buffer(data)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
