"""What of a record goes to the tracker: about 150 names at most; the files hold everything."""

from collections.abc import Mapping

from rag_ablation.core.record import ArmRecord
from rag_ablation.core.secrets import masked
from rag_ablation.measures.answers import CORRECT
from rag_ablation.measures.answers import POINT as ANSWER
from rag_ablation.tracking.files import curve

MEASURES = ("recall", "hit", "mrr", "ndcg")
CUTOFFS = (1, 5, 10, 20)
FINAL_ONLY = ("recall_micro", "all_hit", "precision", "recall_ceiling", "judged", "recall_weighted", "evidence_hit")
CONTEXT_ONLY = ("all_hit", "evidence_hit")
FINAL_CUTOFF = 10
WITH_INTERVAL = ("recall", "mrr", "ndcg")
MAX_PARAM = 6000


def metrics(record: ArmRecord) -> dict[str, float]:
    """Metrics by their own names (`final/ndcg@10`); undefined means are left out.

    Args:
        record: a finished or failed arm.
    """
    found: dict[str, float] = {}
    for point, means in record.points.items():
        names = [f"{measure}@{cutoff}" for measure in MEASURES for cutoff in CUTOFFS]
        if point == "final":
            names += [f"{measure}@{FINAL_CUTOFF}" for measure in FINAL_ONLY]
        if point == "context":
            names += [f"{measure}@{FINAL_CUTOFF}" for measure in CONTEXT_ONLY]
        found |= {f"{point}/{name}": means[name].value for name in names if name in means and _defined(means, name)}  # type: ignore[misc]
    found |= _intervals(record)
    found |= _evidence(record)
    found |= _answers(record)
    found |= {f"counts/{name}": float(value) for name, value in record.counts.items()}
    for point, statistics in record.latency.get("milliseconds", {}).items():
        found |= {f"latency/{point}_{name}_ms": value for name, value in statistics.items()}
    for stage in record.stages:
        found[f"compute/{stage.point}_s"] = stage.seconds
        counted = {name: value for name, value in stage.facts.items() if name[:2] == "n_" and isinstance(value, int)}
        found |= {f"counts/{stage.point}_{name[2:]}": float(value) for name, value in counted.items()}
    return found


def curves(record: ArmRecord) -> dict[str, Mapping[int, float]]:
    """Recall by cutoff at each ranking point, for line charts over the cutoff."""
    return {f"curve/{point}_recall": curve(record, point, "recall") for point in record.points}


def params(record: ArmRecord) -> dict[str, str]:
    """Effective settings under their own keys (`fusion.rank_constant`)."""
    return {key: str(value)[:MAX_PARAM] for key, value in sorted(_flat(masked(record.settings)).items())}


def tags(record: ArmRecord) -> dict[str, str]:
    """What a reader filters by, and every reason why a number is absent."""
    undefined = {
        f"{point}/{name}": mean.reason or ""
        for point, means in record.points.items()
        for name, mean in means.items()
        if mean.value is None
    }
    given = {
        "rag.arm": record.arm,
        "rag.variant": record.variant,
        "rag.parents": ", ".join(record.parents),
        "rag.dataset": record.dataset,
        "rag.split": record.split or "none",
        "rag.side": record.side,
        "rag.run_folder": record.id,
        "rag.final": record.final or "none",
        "rag.latency": str(record.latency.get("reason") or "measured"),
        "rag.reused_stages": ", ".join(stage.slot for stage in record.stages if stage.reused),
        "rag.threats": "\n".join(record.threats),
        "rag.notices": "\n".join(record.notices),
        "rag.undefined": "; ".join(f"{name}: {reason}" for name, reason in sorted(undefined.items())),
        "rag.error": record.error or "",
    }
    if record.holdout:
        given |= {
            "split": "holdout",
            "rag.frozen": record.holdout["name"],
            "rag.plan": record.holdout["plan"],
            "rag.ledger_entry": record.holdout["opened"],
            "rag.marks": "; ".join(record.marks),
        }
    given |= {f"rag.{name}_digest": digest for name, digest in record.digests.items()}
    given |= {
        f"rag.{name}": str(record.environment[name]) for name in ("commit", "dirty") if name in record.environment
    }
    return {key: value for key, value in given.items() if value}


def _answers(record: ArmRecord) -> dict[str, float]:
    """Measures of answers, the interval of the share of right ones, tokens and cost."""
    found: dict[str, float] = {}
    for name, mean in record.points.get(ANSWER, {}).items():
        if mean.value is not None:
            found[f"{ANSWER}/{name}"] = mean.value
        found[f"{ANSWER}/{name}_n"] = float(mean.n)
    right = record.mean(ANSWER, CORRECT)
    if right is not None and right.low is not None and right.high is not None:
        found |= {f"{ANSWER}/{CORRECT}_lo": right.low, f"{ANSWER}/{CORRECT}_hi": right.high}
    found |= {f"cost/{name}_tokens": float(n) for name, n in record.answers.get("tokens", {}).items()}
    cost, priced = record.answers.get("cost"), record.answers.get("n_priced")
    if cost is not None and priced:
        found |= {"cost/total": float(cost), "cost/per_question": float(cost) / priced}
    return found


def _evidence(record: ArmRecord) -> dict[str, float]:
    """Fates of relevant units, parts of the gap, and the context's length."""
    found = {f"fate/{name}": float(n) for name, n in record.evidence.get("counts", {}).items()}
    found |= {f"fate/{name}": float(n) for name, n in record.evidence.get("answers", {}).items()}
    found |= {f"fate_group/{name}": float(n) for name, n in record.evidence.get("group_counts", {}).items()}
    found |= {f"gap/{name}": float(part) for name, part in record.evidence.get("gap", {}).items()}
    for name, mean in record.points.get("context", {}).items():
        if name.startswith("tokens@") and mean.value is not None:
            found["context/tokens"] = mean.value
    return found


def _defined(means: Mapping[str, object], name: str) -> bool:
    return getattr(means[name], "value", None) is not None


def _intervals(record: ArmRecord) -> dict[str, float]:
    found: dict[str, float] = {}
    for measure in WITH_INTERVAL:
        name = f"{measure}@{FINAL_CUTOFF}"
        mean = record.mean("final", name)
        if mean is not None and mean.low is not None and mean.high is not None:
            found |= {f"final/{name}_lo": mean.low, f"final/{name}_hi": mean.high}
    return found


def _flat(value: object, prefix: str = "") -> dict[str, object]:
    if not isinstance(value, Mapping):
        return {prefix: value}
    found: dict[str, object] = {}
    for key, inner in value.items():
        found |= _flat(inner, f"{prefix}.{key}" if prefix else str(key))
    return found
