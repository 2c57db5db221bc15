"""Units, identity and versions on the bundled collection, at every measuring point and in Oracle."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rag_ablation.core.record import ArmRecord
from tests.e2e.program import Done, rag_ablation
from tests.paths import ROOT

FOLDER = ROOT / "data" / "handbook_zh"
METADATA = {
    row["_id"]: row["metadata"]
    for row in map(json.loads, (FOLDER / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
}
QUERIES = {
    row["_id"]: row["metadata"]
    for row in map(json.loads, (FOLDER / "queries.jsonl").read_text(encoding="utf-8").splitlines())
}
ROLES = {"employee": set(), "accountant": {"finance"}, "hr_specialist": {"hr"}, "team_lead": {"manager"}}
ROLES |= {"counsel": {"legal"}, "it_admin": {"it"}}


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Done:
    root = tmp_path_factory.mktemp("handbook")
    done = rag_ablation(root, "run", "-m", "variant=bm25,oracle", "unit=passage,clause,document", "latency=none")
    assert done.status == 0, done.said
    return done


def by_unit(done: Done, variant: str) -> dict[str, ArmRecord]:
    return {str(record.settings["scoring"]["unit"]): record for record in done.records() if record.variant == variant}


def rankings(done: Done, record: ArmRecord) -> dict[str, list[tuple[str, str]]]:
    """(question, passage) of every list that the run recorded."""
    return {
        path.stem: [(line.split()[0], line.split()[2]) for line in path.read_text(encoding="utf-8").splitlines()]
        for path in (done.root / "runs" / record.id / "rankings").glob("*.trec")
    }


def test_every_point_is_scored_at_every_unit(sweep: Done) -> None:
    for variant, points in (("bm25", {"sparse", "context", "final"}), ("oracle", {"context"})):
        arms = by_unit(sweep, variant)
        assert set(arms) == {"passage", "clause", "document"}
        assert all(set(record.points) == points for record in arms.values())
    oracle = {unit: record.points["context"]["recall@10"] for unit, record in by_unit(sweep, "oracle").items()}
    assert {unit: mean.value for unit, mean in oracle.items()} == pytest.approx(dict.fromkeys(oracle, 1.0))
    found = {unit: record.points["final"]["recall@10"].value or 0 for unit, record in by_unit(sweep, "bm25").items()}
    assert found["passage"] == found["clause"] < found["document"]


def test_nobody_is_shown_what_is_not_theirs_at_any_point(sweep: Done) -> None:
    checked = 0
    for record in sweep.records():
        assert record.counts["access_violations"] == 0
        for pairs in rankings(sweep, record).values():
            for query, name in pairs:
                asker, passage = QUERIES[query], METADATA[name]
                if asker.get("identity") is not None and "acl" in passage:
                    checked += 1
                    assert ROLES[asker["identity"]] & set(passage["acl"])
                if asker.get("as_of") is not None:
                    assert passage.get("effective_from", "0") <= asker["as_of"] <= passage.get("effective_to", "9")
    assert checked > 20


def test_permission_questions_are_scored_per_identity(sweep: Done) -> None:
    record = by_unit(sweep, "bm25")["passage"]
    parts = record.slices["identity"]
    assert {"accountant", "counsel", "employee", "hr_specialist", "team_lead", "none named"} <= set(parts)
    means = {name: means["recall@10"] for name, means in parts.items()}
    assert means["accountant"].n > 0
    assert means["employee"].excluded["no_answer"] > 0
    assert sum(mean.n + sum(mean.excluded.values()) for mean in means.values()) == record.counts["questions"]
    permission = record.slices["type"]["permission"]["recall@10"]
    assert permission.n > 5
    assert permission.excluded["no_answer"] > 5


def test_a_run_level_identity_and_date_remove_gold_and_say_so(tmp_path: Path) -> None:
    words = ("identity=employee", "versions=as_of", "as_of=2025-07-01", "latency=none")
    done = rag_ablation(tmp_path, "run", "-m", "variant=bm25,oracle", *words)
    assert done.status == 0, done.said
    for record in done.records():
        assert record.counts["excluded_not_visible"] > 50
        assert record.counts["unrestricted"] == 0
        for pairs in rankings(done, record).values():
            for query, name in pairs:
                roles = ROLES[QUERIES[query].get("identity", "employee")]
                assert "acl" not in METADATA[name] or roles & set(METADATA[name]["acl"])
                day = QUERIES[query].get("as_of", "2025-07-01")
                assert METADATA[name].get("effective_from", "0") <= day <= METADATA[name].get("effective_to", "9")
    values = pq.read_table(done.root / "runs" / done.records()[0].id / "per_question.parquet").to_pylist()
    assert {row["status"] for row in values} == {"scored", "no_answer", "not_visible", "unreviewed"}
