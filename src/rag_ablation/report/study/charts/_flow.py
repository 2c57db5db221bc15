"""The flow of evidence, in both languages; the page shows one."""

from rag_ablation.report.flow import Flow
from rag_ablation.report.flow_svg import NARROW, STYLE, WIDE, Language, Layout, drawn
from rag_ablation.report.study.charts.drawing import Drawing


def both(flow: Flow) -> Drawing:
    """A drawing for each width, of one picture for each language: their lines break at different places."""
    return Drawing(_pictures(flow, WIDE, "wide"), _pictures(flow, NARROW, "narrow"))


def _pictures(flow: Flow, layout: Layout, kind: str) -> str:
    pictures = (
        f'<div class="{language}" lang="{language}">{_bare(drawn(flow, language, layout))}</div>'
        for language in Language
    )
    return f'<div class="chart {kind}">{"".join(pictures)}</div>'


def _bare(picture: str) -> str:
    """Without its own style sheet, which follows the reader's dark setting; the page's is in `STYLE`."""
    return picture.replace(f"<style>{STYLE}</style>", "").strip()
