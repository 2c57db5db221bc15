"""Pictures of a study, in its report and in the MLflow UI, taken in a real headless browser.

python docs/make_screenshots.py [--root DIR]

Without --root the study is run first, in a temporary folder. The pages of the UI and the words that must stand on
them are `PAGES`, the pictures of the report are `EXCERPTS`; the browser tests walk the same.
"""

import argparse
import io
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
    from playwright.sync_api import Browser, Page

HERE = Path(__file__).parent
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")
STUDY = "ladder_zh"
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
# What is left around the report, in px of the page.
MARGIN = 24


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
    View("ui-study", "/runs/{parent}", ("study ladder_zh", "nDCG@10 by step", "verdict", "adj. p"), ("Show more",)),
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


@dataclass(frozen=True)
class Excerpt:
    """One picture of the report, over its whole breadth.

    Args:
        name: name of the picture.
        first: selector of the element with which it begins.
        last: selector of what it shows to the end; of several elements, the last one.
        words: what must stand on the page.
        language: `en` or `zh`.
        width: of the window, in px.
        scale: dots per px.
    """

    name: str
    first: str
    last: str
    words: tuple[str, ...]
    language: str = "en"
    width: int = 1280
    scale: float = 1.5


EXCERPTS = (
    Excerpt("report", "header", "#ladder table.ladder", ("The ladder", "not distinguishable", "adj. p")),
    Excerpt("report-zh", "header", "#ladder table.ladder", ("无法区分", "校正 p"), language="zh"),
    Excerpt(
        "report-phone",
        "#ladder h2",
        "#ladder tr:has(td.verdict)",
        ("The ladder", "not distinguishable"),
        width=390,
        scale=2,
    ),
    Excerpt("report-lost", "#lost h2", "#lost", ("ranked_low", "lost_in_fusion", "not_retrieved")),
)


def chromium() -> str | None:
    """The browser of this machine, None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def environment() -> dict[str, str]:
    """Of the commands: what they log stays under the root, and no model is fetched."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MLFLOW_")}
    return {**kept, "HF_HUB_OFFLINE": "1"}


@contextmanager
def served(root: Path) -> Iterator[str]:
    """The UI over a root; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [PROGRAM, "--root", str(root), "ui", "--port", str(port)]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as server:
        try:
            said = server.stdout.readline() if server.stdout else ""
            if f"http://127.0.0.1:{port}" not in said:
                raise SystemExit(f"the UI did not start: {said}")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()


@contextmanager
def browser() -> Iterator["Browser"]:
    """A headless browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium(), args=QUIET)
        yield started
        started.close()


def window(started: "Browser") -> "Page":
    """A window for the UI."""
    page = started.new_page(viewport={"width": WIDTH + ASIDE, "height": HEIGHT})
    page.set_default_timeout(PATIENCE_MS)
    return page


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
    """Address of each view over the newest run of the study."""
    from mlflow import MlflowClient

    client = MlflowClient(f"sqlite:///{root}/mlflow.db")
    found = client.get_experiment_by_name(STUDY)
    if found is None:
        raise SystemExit(f"no experiment {STUDY} under {root}")
    runs = client.search_runs([found.experiment_id], order_by=["attributes.start_time DESC"])
    parent = next(run for run in runs if run.data.tags["rag.kind"] == "study").info.run_id
    child = next(run for run in runs if run.data.tags.get("rag.study_arm") == "C").info.run_id
    start = f"{base}/#/experiments/{found.experiment_id}"
    return {view.name: start + view.address.format(parent=parent, child=child) for view in PAGES}


def report_of(root: Path) -> Path:
    """The report of the study under a root."""
    return root / "studies" / STUDY / "report.html"


def taken(started: "Browser", report: Path, excerpt: Excerpt) -> bytes:
    """One picture of a report, as PNG.

    Args:
        started: a browser.
        report: the page.
        excerpt: what to show of it.
    """
    size = {"width": excerpt.width, "height": HEIGHT}
    page = started.new_page(viewport=size, device_scale_factor=excerpt.scale)
    page.goto(report.as_uri())
    page.click(f"[data-set={excerpt.language}]")
    text = page.inner_text("body")
    missing = [word for word in excerpt.words if word not in text]
    if missing:
        raise SystemExit(f"{excerpt.name}: {', '.join(missing)} not on the page")
    sheet, first = page.locator("main").bounding_box(), page.locator(excerpt.first).bounding_box()
    last = page.locator(excerpt.last).last.bounding_box()
    if sheet is None or first is None or last is None:
        raise SystemExit(f"{excerpt.name}: {excerpt.first} or {excerpt.last} not on the page")
    left, right = max(sheet["x"] - MARGIN, 0), min(sheet["x"] + sheet["width"] + MARGIN, excerpt.width)
    top, bottom = max(first["y"] - MARGIN / 2, 0), last["y"] + last["height"] + 1
    clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    picture = page.screenshot(full_page=True, clip=clip)
    page.close()
    return picture


def lean(picture: bytes) -> bytes:
    """The same with a palette, which keeps rare colours as they are and is a third of the size."""
    from PIL import Image

    whole = Image.open(io.BytesIO(picture)).convert("RGB")
    written = io.BytesIO()
    colours = whole.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=2, dither=Image.Dither.NONE)
    colours.save(written, "PNG", optimize=True)
    return written.getvalue()


def save(name: str, picture: bytes) -> None:
    """Write a picture and say so."""
    (HERE / "images" / f"{name}.png").write_bytes(lean(picture))
    print(f"docs/images/{name}.png")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path)
    args = parser.parse_args()
    root = args.root.absolute() if args.root else Path(tempfile.mkdtemp())
    if args.root is None:
        subprocess.run([PROGRAM, "--root", str(root), "study", "run", STUDY], env=environment(), check=True)
    with browser() as started:
        for excerpt in EXCERPTS:
            save(excerpt.name, taken(started, report_of(root), excerpt))
        with served(root) as base:
            page, where = window(started), addresses(root, base)
            for view in PAGES:
                visit(page, where[view.name], view)
                page.wait_for_timeout(1500)  # charts draw themselves after their words are there
                save(view.name, page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT}))


if __name__ == "__main__":
    main()
