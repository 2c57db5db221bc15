"""The charts of a study's report as matplotlib figures in one language, for notebooks and files."""

from collections.abc import Sequence
from functools import partial

from matplotlib.figure import Figure

from rag_ablation.report.flow_svg import GOLD_UNITS
from rag_ablation.report.study.charts import (
    _answers,
    _denominators,
    _fates,
    _gaps,
    _ladder_figure,
    _plane,
    _recall,
    _sweep,
)
from rag_ablation.report.study.charts.drawing import WIDE, Paint, own_settings
from rag_ablation.report.study.content import (
    Answers,
    Ceilings,
    CostPlane,
    Denominators,
    Ladder,
    LadderStep,
    Lost,
    Plane,
    SweepCurve,
)

LANGUAGES = ("en", "zh")


def denominators(content: Denominators, language: str = "en") -> Figure:
    """What was asked as one bar."""
    return _figure(partial(_denominators.paint, content), language)


def ladder(content: Ladder, language: str = "en") -> Figure:
    """Every arm with its mean, every step with its difference."""
    return _figure(partial(_ladder_figure.paint, content), language)


def gaps(steps: Sequence[LadderStep], language: str = "en") -> Figure:
    """Differences question by question."""
    return _figure(partial(_gaps.paint, steps), language)


def fates(content: Lost, language: str = "en") -> Figure:
    """What became of the gold."""
    return _figure(partial(_fates.paint, content, GOLD_UNITS), language)


def recall(content: Ceilings, language: str = "en") -> Figure:
    """Recall by cutoff under its ceiling."""
    return _figure(partial(_recall.paint, content), language)


def sweep(content: SweepCurve, language: str = "en") -> Figure:
    """A swept setting."""
    return _figure(partial(_sweep.paint, content), language)


def plane(content: Plane, measure: str = "", language: str = "en") -> Figure:
    """Quality against latency; the measure, such as `final/ndcg@10`, names the axis."""
    return _figure(partial(_plane.paint, content, measure), language)


def answers(content: Answers, language: str = "en") -> Figure:
    """Right answers of every arm between floor and ceiling."""
    return _figure(partial(_answers.paint, content), language)


def cost_plane(content: CostPlane, language: str = "en") -> Figure:
    """Right answers against cost."""
    return _figure(partial(_plane.paint_cost, content), language)


def _figure(paint: Paint, language: str) -> Figure:
    if language not in LANGUAGES:
        message = f"language: found {language!r}, expected one of {', '.join(LANGUAGES)}"
        raise ValueError(message)
    with own_settings():
        return paint(WIDE).in_language(language)
