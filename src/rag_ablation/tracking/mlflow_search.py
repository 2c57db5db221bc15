"""Finding runs in an MLflow store."""

from typing import TYPE_CHECKING, Any

from rag_ablation.tracking.names import original_name

OPENED_TAG = "rag.ledger_entry"

if TYPE_CHECKING:
    from mlflow import MlflowClient


def search(client: "MlflowClient", experiments: str | list[str], filter_string: str) -> list[Any]:
    """All runs of an experiment, or of several, that fit, oldest first.

    Args:
        client: of the store.
        experiments: ids.
        filter_string: in MLflow's own language.
    """
    ids = [experiments] if isinstance(experiments, str) else experiments
    runs: list[Any] = []
    token: str | None = None
    while True:
        page = client.search_runs(ids, filter_string, order_by=["attributes.start_time ASC"], page_token=token)
        runs += page
        token = page.token
        if not token:
            return runs


def row(run: Any, names: list[str]) -> dict[str, object]:
    """What a table shows of a run.

    Args:
        run: of MLflow.
        names: metrics by their MLflow names.
    """
    return {
        "run_id": run.info.run_id,
        "name": run.info.run_name,
        "status": run.info.status,
        "scored": run.data.metrics.get("counts/scored"),
        **{name: run.data.metrics.get(name) for name in names},
        "folder": run.data.tags.get("rag.run_folder"),
        "holdout": run.data.tags.get("rag.side") == "holdout" or bool(run.data.tags.get(OPENED_TAG)),
        "known": sorted(original_name(name) for name in run.data.metrics),
    }
