"""What a study's results are written as: a page, a note for a pull request, and a table for other tools."""

from pathlib import Path

from rag_ablation.core.replacing import replace_text, replacing
from rag_ablation.report.study.content import StudyReport
from rag_ablation.report.study.inputs import StudyResults
from rag_ablation.report.study.markdown import markdown_of
from rag_ablation.report.study.page import page_of
from rag_ablation.report.study.report import report_of
from rag_ablation.report.study.tables import results_table

PAGE, NOTE, TABLE = "report.html", "report.md", "results.parquet"


def write_report(folder: Path, results: StudyResults, language: str = "en") -> StudyReport:
    """Write `report.html`, `report.md` and `results.parquet`; each is whole or as it was.

    Args:
        folder: where.
        results: what was recorded.
        language: in which the page opens and the note is written, `en` or `zh`.
    """
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    report = report_of(results)
    folder.mkdir(parents=True, exist_ok=True)
    replace_text(folder / PAGE, page_of(report, language))
    replace_text(folder / NOTE, markdown_of(report, language))
    with replacing(folder / TABLE) as aside:
        parquet.write_table(pa.table(results_table(results, report)), aside, compression="zstd")
    return report
