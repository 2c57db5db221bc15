"""Every fate by a worked example, in Chinese and in English: real fusion and context, retrievers as given."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from rag_ablation.core.corpus import Passages
from rag_ablation.core.evalset import EvalSet, EvidenceGroups
from rag_ablation.core.rankings import EMPTY, Rankings
from rag_ablation.core.results import Evidence, StageResult
from rag_ablation.core.visibility import Access
from rag_ablation.experiment.pipeline import Pipeline
from rag_ablation.experiment.run import run
from rag_ablation.experiment.store import StageStore
from rag_ablation.stages.context import ClosedBook, GoldContext, RandomContext, TopContext
from rag_ablation.stages.rrf import ReciprocalRankFusion
from tests.builders import evaluation_set, passage, queries
from tests.experiment.test_run import experiment

TEXTS: Mapping[str, Mapping[str, str]] = {
    "zh": {
        "4.1": "4.1 出差伙食补贴每天 100 元包干。",
        "4.2": "4.2 市内交通费每日上限 120 元，超出的写明事由。",
        "4.3": "4.3 深夜抵达的网约车费不计入每日上限。",
        "INV-102": "发票遗失的，填写《遗失声明》（表单 INV-102）。",
        "5.1": "5.1 返回后 15 个工作日内报销。",
        "5.2": "5.2 借款单次不超过一万元。",
        "6.1": "6.1 住宿费在限额内凭票实报，限额见附表一。",
        "6.2": "6.2 住宿费在限额内凭票实报，限额见附表二。",
    },
    "en": {
        "4.1": "4.1 The meal allowance is 100 yuan a day.",
        "4.2": "4.2 City transport is capped at 120 yuan a day; say why it was more.",
        "4.3": "4.3 Taxis late at night do not count towards the cap.",
        "INV-102": "For a lost invoice hand in the declaration of loss (form INV-102).",
        "5.1": "5.1 Claim within 15 working days after the return.",
        "5.2": "5.2 An advance is at most ten thousand yuan.",
        "6.1": "6.1 Hotels are paid up to the limit against an invoice, see annex one.",
        "6.2": "6.2 Hotels are paid up to the limit against an invoice, see annex two.",
    },
}
ASKED = {"zh": "打车超标了怎么办", "en": "my taxi was too dear, what now"}
LANGUAGES = pytest.mark.parametrize("language", ["zh", "en"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A retriever or reranker whose order is given, by passage row."""

    order: tuple[int, ...]
    depth: int = 8
    keep_tail: bool = True

    @property
    def libraries(self) -> tuple[str, ...]:
        return ()

    def fingerprint(self) -> dict[str, object]:
        return {}

    def index(self, corpus, cache):  # type: ignore[no-untyped-def]
        return self

    def prepare(self, corpus, cache):  # type: ignore[no-untyped-def]
        return self

    def search(self, questions, visible):  # type: ignore[no-untyped-def]
        mask = visible.mask(0)
        return StageResult(_ranked([row for row in self.order if mask[row]][: self.depth]), {})

    def rerank(self, rankings, questions):  # type: ignore[no-untyped-def]
        pool = [row for row in rankings.passages[0].tolist() if row != EMPTY]
        head = sorted(pool[: self.depth], key=self.order.index)
        return StageResult(_ranked([*head, *(pool[self.depth :] if self.keep_tail else [])]), {})


def _ranked(rows: Sequence[int]) -> Rankings:
    return Rankings.from_order(np.array([rows], dtype=np.int32).reshape(1, len(rows)))


def corpus(language: str, limited: str | None = None) -> Passages:
    texts = TEXTS[language]
    return Passages(
        tuple(
            passage(name, texts[name], doc_id="T", location=name.split(".")[0], acl=["hr"] if name == limited else None)
            for name in sorted(texts)
        )
    )


def rows(names: Sequence[str]) -> tuple[int, ...]:
    ordered = sorted(TEXTS["en"])
    return tuple(ordered.index(name) for name in names)


def walked(tmp_path: Path, data: EvalSet, **slots: object) -> Evidence:
    pipeline = Pipeline(names=dict.fromkeys(slots, "given"), **slots)  # type: ignore[arg-type]
    found = run(experiment(pipeline), data, StageStore(tmp_path), lambda output: None).evidence
    assert found is not None
    assert sum(found.counts.values()) == len(found.tables["fates"]["fate"])
    return found


def asked(language: str, gold: Mapping[str, int], limited: str | None = None) -> EvalSet:
    access = Access(identity="staff", identities={}) if limited else Access(identities={})
    found = evaluation_set(corpus(language, limited), queries({"q": ASKED[language]}), {"q": gold}, access)
    if limited is None or limited not in gold:
        return found
    from rag_ablation.core.evalset import Side, evalset
    from tests.holdout.benchmarks import benchmark

    whole = benchmark(
        corpus(language, limited).rows, found.queries.rows, [("q", name, grade) for name, grade in gold.items()]
    )
    side = Side(name="none", split=None, query_rows=(0,), groups=np.zeros(1, dtype=np.int32), digest=None)
    return evalset(whole, side, access)


def fate(found: Evidence, unit: str) -> str:
    table = found.tables["fates"]
    return str(table["fate"][list(table["unit"]).index(unit)])


@LANGUAGES
def test_clause_4_2_is_fifth_by_rrf_and_first_after_reranking(tmp_path: Path, language: str) -> None:
    """4.2 stands low in both lists; the reranker reads it and puts it first."""
    data = asked(language, {"4.2": 2})
    sparse = Given(order=rows(["4.1", "4.3", "5.1", "5.2", "4.2", "6.1"]))
    dense = Given(order=rows(["4.3", "4.1", "5.2", "5.1", "4.2", "6.2"]))
    context, fusion = TopContext(depth=3), ReciprocalRankFusion(window=8)
    fused = walked(tmp_path, data, sparse=sparse, dense=dense, fusion=fusion, context=context)
    assert fused.tables["fates"]["rank_fused"] == [5]
    assert fate(fused, "4.2") == "ranked_low"
    assert fused.gap["retrieval"] == 1.0
    best_first = Given(order=rows(["4.2", "4.3", "4.1", "5.1", "5.2", "6.1", "6.2", "INV-102"]), depth=6)
    reranked = walked(tmp_path, data, sparse=sparse, dense=dense, fusion=fusion, rerank=best_first, context=context)
    assert fate(reranked, "4.2") == "kept"
    assert reranked.tables["fates"]["rank_last"] == [1]
    assert sum(reranked.gap.values()) == 0


@LANGUAGES
def test_an_exact_code_is_pushed_down_by_fusion(tmp_path: Path, language: str) -> None:
    """BM25 alone keeps the form; dense retrieval does not know it, and what both lists hold comes first."""
    data = asked(language, {"INV-102": 2})
    sparse = Given(order=rows(["INV-102", "5.1", "5.2", "4.1"]))
    dense = Given(order=rows(["5.1", "5.2", "4.1", "4.2"]))
    context = TopContext(depth=2)
    alone = walked(tmp_path, data, sparse=sparse, context=context)
    fused = walked(tmp_path, data, sparse=sparse, dense=dense, fusion=ReciprocalRankFusion(window=8), context=context)
    assert (fate(alone, "INV-102"), fate(fused, "INV-102")) == ("kept", "lost_in_fusion")
    assert (alone.gap["fusion"], fused.gap["fusion"]) == (0.0, 1.0)


@LANGUAGES
def test_near_equal_passages_fill_the_budget(tmp_path: Path, language: str) -> None:
    data = asked(language, {"4.2": 2})
    sparse = Given(order=rows(["6.1", "6.2", "4.2"]))
    texts = TEXTS[language]
    budget = len(texts["6.1"]) + len(texts["6.2"])
    full = walked(tmp_path, data, sparse=sparse, context=TopContext(budget=budget))
    assert fate(full, "4.2") == "lost_in_context"
    assert full.tables["context"]["left_out"] == [None, None, "budget"]
    once = walked(
        tmp_path, data, sparse=sparse, context=TopContext(budget=len(texts["6.1"]) + len(texts["4.2"]), unit="clause")
    )
    assert fate(once, "4.2") == "kept"
    assert once.tables["context"]["left_out"] == [None, None, "duplicate"]


@LANGUAGES
def test_one_alternative_suffices(tmp_path: Path, language: str) -> None:
    data = asked(language, {"6.1": 2, "6.2": 2})
    (first, second), nothing = rows(["6.1", "6.2"]), np.zeros(2, dtype=np.int32)
    from dataclasses import replace

    data = replace(data, evidence_groups=EvidenceGroups(nothing, nothing, np.array([first, second], dtype=np.int32)))
    found = walked(
        tmp_path, data, sparse=Given(order=(first, *rows(["4.1", "4.2"]), second)), context=TopContext(depth=1)
    )
    assert (fate(found, "6.1"), fate(found, "6.2")) == ("kept", "redundant")
    assert found.gap["redundant"] == 0.5
    assert found.group_counts["kept"] == 1


@LANGUAGES
@pytest.mark.parametrize(
    ("reranked", "depth", "kept_tail", "fate_of_5_1"),
    [
        (["4.1", "4.2", "4.3", "5.1"], 4, True, "not_promoted"),
        (["5.1", "4.1", "4.2", "4.3"], 4, True, "kept"),
        (["4.1", "4.2", "4.3", "5.1"], 3, False, "ranked_low"),
    ],
)
def test_what_a_reranker_does_with_the_pool(
    tmp_path: Path, language: str, reranked: list[str], depth: int, kept_tail: bool, fate_of_5_1: str
) -> None:
    data = asked(language, {"5.1": 1})
    everything = [*reranked, *(name for name in sorted(TEXTS["en"]) if name not in reranked)]
    reranker = Given(order=rows(everything), depth=depth, keep_tail=kept_tail)
    sparse = Given(order=rows(["4.1", "4.2", "4.3", "5.1", "5.2"]))
    found = walked(tmp_path, data, sparse=sparse, rerank=reranker, context=TopContext(depth=2))
    assert fate(found, "5.1") == fate_of_5_1


@LANGUAGES
def test_lost_in_rerank_and_not_retrieved(tmp_path: Path, language: str) -> None:
    data = asked(language, {"4.1": 2, "INV-102": 1})
    worst = Given(order=rows(["4.3", "4.2", "4.1", "5.1", "5.2", "6.1", "6.2", "INV-102"]), depth=3)
    found = walked(
        tmp_path, data, sparse=Given(order=rows(["4.1", "4.2", "4.3"])), rerank=worst, context=TopContext(depth=2)
    )
    assert (fate(found, "4.1"), fate(found, "INV-102")) == ("lost_in_rerank", "not_retrieved")
    assert found.gap == {
        "retrieval": 0.5,
        "fusion": 0.0,
        "reranking": 0.5,
        "promotion": 0.0,
        "context": 0.0,
        "redundant": 0.0,
    }


@LANGUAGES
def test_what_the_runs_identity_hides_weighs_nothing_and_is_counted(tmp_path: Path, language: str) -> None:
    data = asked(language, {"4.1": 2, "4.2": 2}, limited="4.2")
    found = walked(tmp_path, data, sparse=Given(order=rows(["4.2", "4.1"])), context=TopContext(depth=2))
    assert (fate(found, "4.1"), fate(found, "4.2")) == ("kept", "not_visible")
    assert sum(found.gap.values()) == 0
    assert "4.2" not in found.tables["context"]["passage_id"]


@LANGUAGES
def test_contexts_that_are_handed_over(tmp_path: Path, language: str) -> None:
    data = asked(language, {"4.1": 1, "4.2": 2})
    oracle = walked(tmp_path, data, context=GoldContext(depth=1))
    assert (fate(oracle, "4.2"), fate(oracle, "4.1")) == ("kept", "lost_in_context")
    assert oracle.gap["context"] == 0.5
    closed = walked(tmp_path, data, context=ClosedBook())
    assert closed.counts["not_retrieved"] == 2
    assert closed.gap["retrieval"] == 1.0
    everything = walked(tmp_path, data, context=RandomContext(depth=8))
    assert everything.counts["kept"] == 2
