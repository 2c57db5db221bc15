import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir

from rag_ablation.cli.hydra_run import config_folder, plain
from rag_ablation.config import build
from rag_ablation.core.errors import ConfigError
from tests.paths import ROOT

VARIANTS = sorted(path.stem for path in (ROOT / "conf" / "variant").glob("*.yaml"))
CHOICES = sorted(
    f"{path.parent.name}={path.stem}"
    for path in (ROOT / "conf").glob("*/*.yaml")
    if path.parent.name not in ("variant", "arms", "prompt")
)


@pytest.fixture(autouse=True)
def _root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_ABLATION_ROOT", str(tmp_path))


def composed(*overrides: str) -> Mapping[str, object]:
    with initialize_config_dir(str(config_folder()), version_base="1.3"):
        return plain(compose("config", overrides=list(overrides)))


def problems(*overrides: str, **changes: object) -> str:
    with pytest.raises(ConfigError) as caught:
        build({**composed(*overrides), **changes})
    return str(caught.value)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_composes_and_builds(variant: str) -> None:
    experiment = build(composed(f"variant={variant}"))
    assert experiment.variant.name == variant
    assert len(experiment.digest()) == 64


@pytest.mark.parametrize("choice", CHOICES)
def test_every_file_of_every_group_is_reachable(choice: str, tmp_path: Path) -> None:
    (tmp_path / "synonyms.tsv").write_text("cab\ttaxi\n")
    needs = {
        "rewrite=synonyms": [f"rewrite.file={tmp_path / 'synonyms.tsv'}"],
        "dataset=folder": ["dataset.path=."],
        "dense=sentence_transformers": ["fusion=rrf"],
        "fusion=rrf": ["variant=rrf"],
        "generate=openai": ["generate.model=some"],
        "rewrite=llm": ["rewrite.model=some"],
        "judge=rules": ["generate=extractive"],
        "judge=llm": ["generate=extractive", "judge.model=some"],
    }
    extra = needs.get(choice, [])
    if choice.startswith(("fusion=none", "sparse=none", "context=gold")):
        extra = ["variant=oracle"] if choice != "fusion=none" else []
    build(composed(choice, *extra))


@pytest.mark.parametrize("prompt", ["prompt@generate.prompt=mine", "prompt@generate.closed_book_prompt=mine_closed"])
def test_another_file_of_prompts_is_taken_by_name(prompt: str, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "prompt"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("en: {system: Short., user: '{passages} {question}'}\n")
    (folder / "mine_closed.yaml").write_text("en: {system: Short., user: '{question}'}\n")
    given = ["generate=openai", "generate.model=some", prompt, f"hydra.searchpath=[file://{tmp_path / 'mine'}]"]
    name = prompt.partition("@generate.")[2].partition("=")[0]
    settings = build(composed(*given)).resolved("zh").effective()["generate"]
    assert settings[name]["en"]["system"] == "Short."
    assert list(settings[name]) == ["en"]


def test_all_arms_of_the_ladder_build() -> None:
    for arm in ("variant=rrf fusion.rank_constant=10", "variant=dense_rerank rerank=late_interaction"):
        build(composed(*arm.split()))


def test_unused_slots_are_not_part_of_the_identity() -> None:
    effective = build(composed("variant=bm25")).effective()
    assert "dense" not in effective
    assert "fusion" not in effective


def test_where_it_is_logged_and_how_it_is_timed_are_not_part_of_the_identity() -> None:
    plain_arm = build(composed("variant=bm25"))
    other = build(composed("variant=bm25", "latency=none", "tracking=files"))
    assert plain_arm.digest() == other.digest()


def test_a_setting_is_part_of_the_identity() -> None:
    assert build(composed("sparse.k1=1.2")).digest() != build(composed()).digest()


@pytest.mark.parametrize(
    ("setting", "same"),
    [
        ("max_requests=5", True),
        ("concurrency=9", True),
        ("api_key_env=MY_KEY", True),
        ("timeout_s=9", False),
        ("prices={prompt: 1, completion: 2}", False),
        ("model=other", False),
        ("base_url=http://127.0.0.1:9/v1", False),
        ("prompt.en.user='{passages} {question}'", False),
    ],
)
def test_a_budget_and_a_pace_are_not_part_of_the_identity_and_what_changes_answers_or_costs_is(
    setting: str, same: bool
) -> None:
    arm = ("generate=openai", "generate.model=some")
    plain_arm, other = build(composed(*arm)), build(composed(*arm, f"generate.{setting}"))
    assert (plain_arm.digest() == other.digest()) is same
    assert plain_arm.effective() != other.effective()


def test_without_chunking_an_arm_says_nothing_of_it() -> None:
    assert "chunking" not in build(composed("variant=bm25")).effective()


def test_chunking_and_each_of_its_settings_are_part_of_the_identity() -> None:
    given = ((), ("chunking=fixed",), ("chunking=fixed", "chunking.size=128"), ("chunking=sentence",))
    assert len({build(composed(*words)).digest() for words in given}) == 4


def test_a_wrong_setting_of_a_chunker_is_named() -> None:
    text = problems("chunking=fixed", "chunking.overlap=400")
    assert "chunking.overlap: found 400, expected fewer characters than size, which is 400" in text
    assert "chunking.without_spans: found 'drop'" in problems("chunking=clause", "chunking.without_spans=drop")
    assert "expected one of: clause, fixed, sentence, none" in problems(chunking={"name": "semantic"})


def test_the_unit_auto_is_the_same_as_none_given() -> None:
    assert build(composed("unit=auto")).digest() == build(composed("unit=null")).digest()


def test_all_problems_come_together() -> None:
    text = problems("variant=rrf", "sparse.k1=high", "fusion.rank_constant=0", "cutoffs=[0]", "measures=[recal]")
    for field in ("sparse.k1", "fusion.rank_constant", "cutoffs", "measures"):
        assert f"{field}: found" in text
    assert "4 problems" in text


@pytest.mark.parametrize(
    "addition", ["+sparse.k3=1", "+dense.model=minilm", "+fusion.rank_constant=10", "+split_name=x", "+latency.warm=1"]
)
def test_a_key_that_does_not_exist_is_refused_also_when_added_with_plus(addition: str) -> None:
    text = problems(addition)
    assert addition.lstrip("+").split("=")[0] in text


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("sparse.depth=abc", "sparse.depth: found 'abc', expected a valid integer"),
        ("sparse.depth=2.0", "sparse.depth: found 2.0"),
        ("sparse.depth=true", "sparse.depth: found True"),
        ("sparse.b=2", "sparse.b: found 2, expected a number from 0 to 1"),
        ("sparse.idf=bm25", "sparse.idf: found 'bm25'"),
        ("dataset.sample=0", "dataset.sample: found 0"),
        ("versions=newest", "versions: found 'newest'"),
        ("versions=as_of", "as_of: found None"),
        ("as_of=tomorrow", "as_of: found 'tomorrow'"),
        ("unit=page", "unit: found 'page'"),
        ("relevant_from=0", "relevant_from: found 0"),
        ("type_weights={a: -1}", "type_weights: found"),
    ],
)
def test_a_wrong_value_is_named_with_what_was_expected(override: str, message: str) -> None:
    assert message in problems(override)


def test_the_holdout_cannot_be_named_as_a_side() -> None:
    assert "no run reads a holdout; it is opened once, for a frozen plan: rag-ablation holdout" in problems(
        "split=holdout"
    )


def test_two_retrievers_need_a_fuser() -> None:
    assert "fusion: found none, expected a fuser" in problems("variant=rrf", "fusion=none")


def test_a_fuser_needs_two_retrievers() -> None:
    assert "fusion: found rrf, expected fusion=none with 1 retriever" in problems("variant=bm25", "fusion=rrf")


def test_a_window_beyond_a_retrievers_depth_is_refused() -> None:
    assert "fusion.window: found 100, expected at most sparse.depth, which is 20" in problems(
        "variant=rrf", "sparse.depth=20"
    )


def test_an_unknown_stage_lists_those_there_are() -> None:
    text = problems(sparse={"name": "splade"})
    assert "expected one of: bm25, none" in text


def test_a_missing_path_is_asked_for() -> None:
    assert "dataset.path: found nothing, expected a value: dataset.path=…" in problems("dataset=folder")


def test_a_secret_under_a_wrong_key_is_not_repeated() -> None:
    text = problems(rerank={"name": "none", "api_key": "EXAMPLE-not-a-real-key-0001"})
    assert "rerank.api_key" in text
    assert "EXAMPLE" not in text


def test_the_reranker_follows_the_dense_model() -> None:
    pipeline = build(composed("variant=late_interaction", "dense.model=minilm")).resolved("zh").pipeline
    assert pipeline.settings()["rerank"]["model"] == "minilm"


def test_auto_follows_the_language() -> None:
    experiment = build(composed("variant=rrf"))
    assert experiment.resolved("en").pipeline.settings()["dense"]["model"] == "minilm"
    assert experiment.resolved("zh").pipeline.settings()["dense"]["model"] == "e5_small"
    assert experiment.resolved("en").pipeline.settings()["sparse"]["analyser"] == "words"


def test_building_any_arm_loads_nothing_heavy() -> None:
    script = """
import sys
from hydra import compose, initialize_config_dir
from rag_ablation.cli.hydra_run import config_folder, plain
from rag_ablation.config import build
with initialize_config_dir(str(config_folder()), version_base="1.3"):
    build(plain(compose("config", overrides=["variant=late_interaction"])))
    build(plain(compose("config", overrides=["generate=openai", "generate.model=a", "judge=llm", "judge.model=b", "rewrite=llm", "rewrite.model=c"])))
heavy = ("openai", "torch", "sentence_transformers", "transformers", "mlflow", "pandas")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
