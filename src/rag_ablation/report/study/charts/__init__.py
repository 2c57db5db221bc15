"""The charts of a study's report, drawn with matplotlib; import it where something is drawn, and only there."""

from rag_ablation.report.study.charts._denominators import excluded_colours
from rag_ablation.report.study.charts._ladder import LadderScale
from rag_ablation.report.study.charts._look import FATE_COLOURS
from rag_ablation.report.study.charts.drawing import STYLE, Drawing
from rag_ablation.report.study.charts.drawings import (
    answers,
    cost_plane,
    denominators,
    difference_axis,
    difference_cell,
    fates,
    flow,
    gaps,
    ladder_scale,
    mean_axis,
    mean_cell,
    plane,
    recall,
    sweep,
    verdict_key,
)

__all__ = [
    "FATE_COLOURS",
    "STYLE",
    "Drawing",
    "LadderScale",
    "answers",
    "cost_plane",
    "denominators",
    "difference_axis",
    "difference_cell",
    "excluded_colours",
    "fates",
    "flow",
    "gaps",
    "ladder_scale",
    "mean_axis",
    "mean_cell",
    "plane",
    "recall",
    "sweep",
    "verdict_key",
]
