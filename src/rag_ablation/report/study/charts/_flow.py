"""The flow of evidence, in both languages; the page shows one."""

from rag_ablation.report.flow import Flow
from rag_ablation.report.flow_svg import NARROW, STYLE, WIDE, Gold, Language, Layout, drawn
from rag_ablation.report.study.charts.drawing import Drawing


def both(flow: Flow, gold: Gold) -> Drawing:
    """A drawing for each width, of one picture for each language: their lines break at different places."""
    return Drawing(_pictures(flow, gold, WIDE, "wide"), _pictures(flow, gold, NARROW, "narrow"))


def _pictures(flow: Flow, gold: Gold, layout: Layout, kind: str) -> str:
    pictures = (
        f'<div class="{language}" lang="{language}">{_bare(drawn(flow, language, layout, gold))}</div>'
        for language in Language
    )
    return f'<div class="chart {kind}">{"".join(pictures)}</div>'


def _bare(picture: str) -> str:
    """Without its own style sheet, which follows the reader's dark setting; the page's is in `STYLE`."""
    return picture.replace(f"<style>{STYLE}</style>", "").strip()
