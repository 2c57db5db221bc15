"""A chart for a page: the same drawn for a wide and for a narrow column, so that type is never scaled."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import matplotlib as mpl

from rag_ablation.report.study.charts._look import FATE_COLOURS
from rag_ablation.report.study.charts._sheet import Sheet
from rag_ablation.report.study.charts._svg import inline

WIDE, NARROW = 720.0, 342.0

FATES = ";".join(f"--{fate}:{colour}" for fate, colour in FATE_COLOURS.items())
STYLE = f""".chart{{display:block;max-width:100%;height:auto;overflow:visible}}
.chart.narrow{{display:none}}.chart svg{{display:block;max-width:100%;height:auto}}
:root:not([data-lang=zh]) .chart .zh,:root[data-lang=zh] .chart .en{{display:none}}
.flow{{--bg:#fff;--ink:#1b1d1f;--ink2:#54595f;--a:#1a5fa4;--b:#6d9bc9;--c:#9dbfe0;--d:#6b7178;--edge:#a4480f;
{FATES}}}
.flow text{{font-size:12px;fill:var(--ink);paint-order:stroke;stroke:var(--bg);stroke-width:3px;stroke-linejoin:round}}
.flow .s{{fill:var(--ink2)}}.flow .h{{font-weight:600}}.flow tspan{{stroke:none}}
@media screen and (max-width:759px){{.chart.wide{{display:none}}.chart.narrow{{display:block}}}}
"""

Paint = Callable[[float], Sheet]


class Drawing(NamedTuple):
    """A chart as markup.

    Args:
        wide: 720 px, of class `wide`.
        narrow: 342 px, of class `narrow`; a page shows one of the two.
    """

    wide: str
    narrow: str

    def __html__(self) -> str:
        """Both, taken by a page as they are: what is written on them is escaped."""
        return self.wide + self.narrow


def drawing(paint: Paint) -> Drawing:
    """Draw a chart twice.

    Args:
        paint: draws it for a width in pixels.
    """
    with own_settings():
        return Drawing(inline(paint(WIDE), "wide"), inline(paint(NARROW), "narrow"))


@contextmanager
def own_settings() -> Iterator[None]:
    """Matplotlib as it comes, whatever the caller has set; the caller's settings stay."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams["svg.fonttype"] = "none"
        mpl.rcParams["svg.hashsalt"] = "rag-ablation"
        mpl.rcParams["path.simplify"] = False
        yield
