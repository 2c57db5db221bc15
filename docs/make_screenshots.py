"""Pictures of the ladder in the MLflow UI, taken in a real headless browser.

python docs/make_screenshots.py [--root DIR]

Without --root the ladder is run first, in a temporary folder. The pages and the words that must stand on them
are `PAGES`; the browser test walks the same pages.
"""

import argparse
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")
EXPERIMENT = "handbook_zh"
# Nothing but the page itself may be asked for.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 60_000
# Newer MLflow versions open a side pane of this width, which is left out of the pictures.
WIDTH, HEIGHT, ASIDE = 1400, 900, 470


@dataclass(frozen=True)
class View:
    """One page.

    Args:
        name: name of the picture.
        address: after the experiment's, with {parent} and {child} to be filled in.
        words: what must stand on it.
        press: what to press before looking, by its text; in order.
        search: what to type into the search for charts.
    """

    name: str
    address: str
    words: tuple[str, ...]
    press: tuple[str, ...] = ()
    search: str = ""


PAGES = (
    View("ui-sweep", "/runs/{parent}", ("sweep of", "Recall@10", "nDCG@10", "95 % interval"), ("Show more",)),
    View("ui-arms", "/evaluation-runs", ("A bm25", "C rrf c=60 w=100", "Oracle oracle", "final/recall_at_1")),
    View("ui-arm", "/runs/{child}", ("C rrf c=60 w=100", "fused/ndcg_at_10", "fusion.rank_constant")),
    View(
        "ui-curve",
        "/runs/{child}/model-metrics",
        ("curve", "final_recall", "sparse_recall", "dense_recall"),
        search="curve",
    ),
    View("ui-artifacts", "/runs/{child}/artifacts", ("per_question.parquet", "qrels.txt", "rankings", "result.json")),
)


def chromium() -> str | None:
    """The browser of this machine, None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The UI over a root; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [PROGRAM, "--root", str(root), "ui", "--port", str(port)]
    environment = {key: value for key, value in os.environ.items() if key != "MLFLOW_TRACKING_URI"}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            said = server.stdout.readline() if server.stdout else ""
            if f"http://127.0.0.1:{port}" not in said:
                raise SystemExit(f"the UI did not start: {said}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


@contextmanager
def browser_page() -> Iterator["Page"]:
    """A page of a headless browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        page = browser.new_page(viewport={"width": WIDTH + ASIDE, "height": HEIGHT})
        page.set_default_timeout(PATIENCE_MS)
        yield page
        browser.close()


def visit(page: "Page", address: str, view: View) -> str:
    """Open a page and wait for its words; gives all its text."""
    page.goto(address)
    for text in view.press:
        page.get_by_text(text, exact=True).first.click()
    if view.search:
        page.get_by_placeholder("Search metric charts").fill(view.search)
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while True:
        text = page.inner_text("body")
        missing = [word for word in view.words if word not in text]
        if not missing:
            return text
        if time.monotonic() > deadline:
            raise SystemExit(f"{view.name}: {', '.join(missing)} not on the page:\n{text[:3000]}")
        time.sleep(0.3)


def addresses(root: Path, base: str) -> dict[str, str]:
    """Address of each view over the newest sweep."""
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{root}/mlflow.db")
    found = client.get_experiment_by_name(EXPERIMENT)
    if found is None:
        raise SystemExit(f"no experiment {EXPERIMENT} under {root}")
    runs = client.search_runs([found.experiment_id], order_by=["attributes.start_time DESC"])
    parent = next(run for run in runs if run.data.tags["rag.kind"] == "sweep").info.run_id
    children = [run for run in runs if run.data.tags.get("mlflow.parentRunId") == parent]
    child = next(run for run in children if run.info.run_name == "C rrf c=60 w=100").info.run_id
    start = f"{base}/#/experiments/{found.experiment_id}"
    return {view.name: start + view.address.format(parent=parent, child=child) for view in PAGES}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path)
    args = parser.parse_args()
    root = args.root.absolute() if args.root else Path(tempfile.mkdtemp())
    if args.root is None:
        subprocess.run([PROGRAM, "--root", str(root), "run", "-m", "arms=ladder"], check=True)
    with served(root) as base, browser_page() as page:
        where = addresses(root, base)
        for view in PAGES:
            visit(page, where[view.name], view)
            page.wait_for_timeout(1500)  # charts draw themselves after their words are there
            picture = HERE / "images" / f"{view.name}.png"
            page.screenshot(path=picture, clip={"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT})
            print(f"docs/images/{view.name}.png")


if __name__ == "__main__":
    main()
