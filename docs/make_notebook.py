"""Write and execute docs/ladder_zh.ipynb, a walk through the Chinese ladder.

python docs/make_notebook.py [--root DIR]

Without --root the study is run first, in a temporary folder. Cells are `CELLS`; every output in the notebook is
what executing them gave.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent
TARGET = HERE / "ladder_zh.ipynb"
PROGRAM = str(Path(sys.executable).parent / "rag-ablation")
STUDY = "ladder_zh"

CELLS = (
    """# The Chinese ladder, in a notebook

`rag-ablation study run ladder_zh` ran the arms; here we read what it recorded. Every mean comes with its n, its
groups and its interval; only the ladder's steps carry a verdict word.""",
    """%matplotlib inline
%config InlineBackend.figure_formats = ["retina"]
from rag_ablation import compare, load_results, plot

study = load_results("ladder_zh")
print(study.report.conclusion.sentences[0].sentence.plain())
print(study.report.conclusion.sentences[0].figures.plain())""",
    """## The steps

Each arm against each of its parents on the primary measure, adjusted by Holm over the whole family.""",
    """study.steps[
    ["arm", "parent", "value", "low", "high", "adjusted_p", "wins", "ties", "losses", "word"]
].round(3)""",
    """plot(study, "ladder")""",
    """A mean hides who gains and who loses. One bar is one question:""",
    """plot(study, "differences")""",
    """## Where the evidence goes missing

Counts of labelled evidence, the same number on every arm; the darker, the earlier it is lost.""",
    """plot(study, "fates")""",
    """study.fates.pivot(index="part", columns="arm", values="value").astype(int)""",
    """## Recall by cutoff, under its ceiling""",
    """plot(study, "recall")""",
    """## Rank constant and window

Exploratory: the best setting here is the best *on these questions*. Filled dots cannot be told from it.""",
    """plot(study, "sweep:C")""",
    """study.sweeps[["arm", "value", "low", "high", "n", "n_groups", "word"]].round(3)""",
    """## By question type

Exploratory, and on few questions each. Does fusion push exact codes down?""",
    """kinds = study.types[study.types["arm"].isin(["A", "B", "C"])]
kinds.pivot(index="part", columns="arm", values="value").round(2).join(kinds.groupby("part")["n"].first())""",
    """## Quality and latency

All arms were timed together in one process, one question after another.""",
    """plot(study, "plane")""",
    """## Two arms, on every measure""",
    """compare("ladder_zh:B", "ladder_zh:C").round(3)""",
    """The questions that moved most, from the per-question values:""",
    """values = study.questions.pivot(index="query_id", columns="arm", values="value")
(values["C"] - values["B"]).dropna().sort_values().head(5).round(3)""",
)
CODE = ("%", "study.", "plot(", "kinds", "compare(", "values")


def notebook() -> nbformat.NotebookNode:
    """The notebook without outputs; ids of cells are their places, so that it is the same each time."""
    made = nbformat.v4.new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})
    for place, source in enumerate(CELLS):
        make = nbformat.v4.new_code_cell if source.startswith(CODE) else nbformat.v4.new_markdown_cell
        made.cells.append(make(source, id=f"cell-{place:02}"))
    return made


def executed(root: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells give on a study that ran under `root`."""
    os.environ["RAG_ABLATION_ROOT"] = str(root)
    made = notebook()
    NotebookClient(made, timeout=300, kernel_name="python3", record_timing=False).execute()
    return made


def main() -> None:
    """Run the study where it has to be, execute, and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, help="folder under which the study was run")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = args.root or Path(folder)
        if args.root is None:
            subprocess.run([PROGRAM, "--root", str(root), "study", "run", STUDY], check=True)
        nbformat.write(executed(root.absolute()), TARGET)
    print(TARGET)


if __name__ == "__main__":
    main()
