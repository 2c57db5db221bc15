"""Bi-encoders: how texts become vectors.

Legend: n texts, d dimensions.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag_ablation.core.errors import ModelError
from rag_ablation.stages._models import LocatedModel
from rag_ablation.stages._prompts import Prompts
from rag_ablation.stages._weights import check_at_rest, loading_folder
from rag_ablation.stages.base import unique_texts

LIBRARIES = ("numpy", "sentence-transformers", "tokenizers", "torch", "transformers")
ROBERTA_LIKE = {"roberta", "xlm-roberta", "camembert", "xlm-roberta-xl"}


class Encoded(NamedTuple):
    """Texts as vectors.

    Args:
        vectors: (n, d) float32, of unit length.
        tokens: (n,) int32, tokens of each text with its prompt, before any cut.
    """

    vectors: NDArray[np.float32]
    tokens: NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """A bi-encoder with everything that decides its output; the model loads at the first use.

    Args:
        model: the model.
        prompts: put before every text.
        max_length: tokens that are read, None for the model's own limit.
        batch_size: texts in one pass.
        threads: threads of the computation.
    """

    model: LocatedModel
    prompts: Prompts
    max_length: int | None
    batch_size: int
    threads: int

    def load(self) -> Any:
        """The model of sentence-transformers, once per process."""
        return load_bi_encoder(self.model, self.max_length)

    @property
    def limit_tokens(self) -> int:
        """Tokens that are read of each text."""
        return int(self.load().max_seq_length)

    def encode_queries(self, texts: Sequence[str]) -> Encoded:
        """Encode questions; the same list gives the same bits.

        Raises:
            ModelError: the model cannot be loaded, or gives a value that is no number.
        """
        return self._encode(texts, self.prompts.query, self.load().encode_query)

    def encode_documents(self, texts: Sequence[str]) -> Encoded:
        """Encode passages; the same list gives the same bits.

        Raises:
            ModelError: the model cannot be loaded, or gives a value that is no number.
        """
        return self._encode(texts, self.prompts.document, self.load().encode_document)

    def _encode(self, texts: Sequence[str], prompt: str, encode: Any) -> Encoded:
        model = self.load()
        if not texts:
            width = int(model.get_embedding_dimension())
            return Encoded(np.empty((0, width), dtype=np.float32), np.empty(0, dtype=np.int32))
        clean = [tokenizable(text) for text in texts]
        with threads_limited(self.threads):
            vectors = np.asarray(
                encode(
                    clean,
                    prompt=prompt,
                    batch_size=self.batch_size,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                    convert_to_numpy=True,
                ),
                dtype=np.float32,
            )
            tokens = count_tokens(model.tokenizer, [prompt + text for text in clean])
        if not np.isfinite(vectors).all():
            row = int(np.argmin(np.isfinite(vectors).all(axis=1)))
            message = f"model {self.model.name}: the vector of {texts[row][:60]!r} is not finite"
            raise ModelError(message)
        return Encoded(vectors, tokens)


@lru_cache(maxsize=4)
def load_bi_encoder(model: LocatedModel, max_length: int | None) -> Any:
    """A SentenceTransformer in float32 on the CPU, from safetensors, without code from the model's folder.

    Raises:
        ModelError: it cannot be loaded, or cannot read `max_length` tokens.
    """
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    folder = loading_folder(model)
    with quiet_loading(model):
        loaded = SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs=float32() | ({} if folder == model.path else {"add_pooling_layer": False}),
        )
    check_at_rest(model, folder)
    set_limit(loaded, model, max_length)
    return loaded


def float32() -> dict[str, object]:
    """How weights are loaded: in single precision whatever the folder says, and never from a pickle."""
    import torch  # noqa: PLC0415

    return {"dtype": torch.float32, "use_safetensors": True}


@contextmanager
def quiet_loading(model: LocatedModel) -> Iterator[None]:
    """Load without progress bars and reports; what goes wrong is one error.

    Raises:
        ModelError: the model could not be loaded.
    """
    from transformers.utils import logging  # noqa: PLC0415

    level, bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except ModelError:
        raise
    except Exception as error:  # the libraries raise whatever their readers raise
        message = f"model {model.name}: cannot be loaded ({type(error).__name__}: {error})"
        raise ModelError(message) from error
    finally:
        logging.set_verbosity(level)
        if bar:
            logging.enable_progress_bar()


def set_limit(loaded: Any, model: LocatedModel, max_length: int | None) -> None:
    """Set the number of tokens that are read, never above what the model has positions for.

    Raises:
        ModelError: `max_length` is above it.
    """
    config = loaded.config
    positions = getattr(config, "max_position_embeddings", None)
    if positions is not None and getattr(config, "model_type", "") in ROBERTA_LIKE:
        positions -= int(config.pad_token_id) + 1  # positions start after the padding row
    if max_length is not None and positions is not None and max_length > positions:
        message = f"max_length: found {max_length}, expected at most {positions}, all that {model.name} can read"
        raise ModelError(message)
    limits = [limit for limit in (max_length or loaded.max_seq_length, positions) if limit is not None]
    if limits:
        loaded.max_seq_length = int(min(limits))


def count_tokens(tokenizer: Any, *texts: list[str]) -> NDArray[np.int32]:
    """(n,) int32 tokens of each text, or of each pair of texts, special ones included, before any cut."""
    found = tokenizer(*texts, add_special_tokens=True, truncation=False, padding=False, verbose=False)
    return np.array([len(ids) for ids in found["input_ids"]], dtype=np.int32)


def tokenizable(text: str) -> str:
    """The text with lone surrogates, which tokenizers refuse, as question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def sorted_unique(texts: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Each distinct text once, sorted, and the row of each text in that list.

    Sorted, so that neither ids nor the order of a file decide which texts share a batch.
    """
    distinct, rows = unique_texts(texts)
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    place = np.empty(len(distinct), dtype=np.int64)
    place[order] = np.arange(len(distinct))
    return [distinct[row] for row in order], place[rows]


@contextmanager
def threads_limited(threads: int) -> Iterator[None]:
    """A fixed number of threads in torch and in the BLAS of numpy."""
    import torch  # noqa: PLC0415

    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with blas_limited(threads):
            yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def blas_limited(threads: int) -> Iterator[None]:
    """A fixed number of threads in the BLAS of numpy."""
    with _controller().limit(limits=threads, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _controller() -> Any:
    """Looking for the loaded libraries takes longer than a question; once is enough."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # noqa: PLC0415

    return ThreadpoolController()
