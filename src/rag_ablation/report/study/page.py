"""A study's report as one self-contained page: no request, no script needed, two languages, fit for paper."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rag_ablation.core.language import script_language
from rag_ablation.measures.fates import GAPS
from rag_ablation.report import leaderboard
from rag_ablation.report.study import figures, terms
from rag_ablation.report.study.answers.glossary import LEADS
from rag_ablation.report.study.answers.lost import KEPT_AS
from rag_ablation.report.study.content import Severity, StudyReport
from rag_ablation.report.study.nouns import gold_units
from rag_ablation.report.study.shown import answer_rates, captions, inline, phrases, picks
from rag_ablation.report.study.shown import answers as answers_shown
from rag_ablation.report.study.shown.heat import heat_tables
from rag_ablation.report.study.shown.sections import sections
from rag_ablation.report.study.verdict.terms import KINDS, RULED, word_of_step

if TYPE_CHECKING:
    from jinja2 import Environment

PACKAGE = "rag_ablation.report.study"
HTML_LANGUAGES = {"en": "en", "zh": "zh-CN"}


def page_of(report: StudyReport, language: str = "en") -> str:
    """The report as HTML.

    Args:
        report: computed.
        language: `en` or `zh`; what shows first, and all that shows without script.
    """
    from markupsafe import Markup  # noqa: PLC0415 - templates are wanted by a page alone

    parts = sections(report)
    script = _file("page.js")
    return (
        _environment()
        .get_template("page.html.jinja")
        .render(
            report=report,
            sections=parts,
            places=picks.anchors(name for name, _ in report.glossary),
            language=language,
            html_language=HTML_LANGUAGES[language],
            style=Markup(_style(report)),  # noqa: S704 - files of this package
            script=Markup(script),  # noqa: S704 - a file of this package
            policy=_policy(script),
        )
    )


def _style(report: StudyReport) -> str:
    """The page's own rules, and those of answers where it has some."""
    return _file("page.css") + (_file("answers.css") if report.answers else "")


def _policy(script: str) -> str:
    """Nothing is fetched, and no script runs but the one of the page; drawings and tints carry their styles inline."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; base-uri 'none'; "
        "form-action 'none'"
    )


@cache
def _environment() -> "Environment":
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - as in page_of

    environment = Environment(
        loader=PackageLoader(PACKAGE, "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= _names()
    return environment


def _names() -> Mapping[str, object]:
    """What templates may call; the drawings bring a plotting library, which only a page needs."""
    from markupsafe import Markup  # noqa: PLC0415

    from rag_ablation.report.study import charts  # noqa: PLC0415

    return {
        "draw": charts,
        "draw_style": Markup(charts.STYLE),  # noqa: S704 - of this package
        "gold_units": gold_units,
        "number": leaderboard.number,
        "signed": leaderboard.signed,
        "milliseconds": leaderboard.milliseconds,
        "figures": figures,
        "captions": captions,
        "answer_rates": answer_rates,
        "answers_shown": answers_shown,
        "answer_words": LEADS,
        "kept_meanings": KEPT_AS,
        "inline": inline,
        "picks": picks,
        "heat_tables": heat_tables,
        "gloss": terms.gloss,
        "say": SimpleNamespace(**phrases.PHRASES),
        "verdicts": terms.VERDICTS,
        "decision_kinds": KINDS,
        "ruled": RULED,
        "word_of_step": word_of_step,
        "severities": terms.SEVERITIES,
        "levels": tuple(Severity),
        "fate_meanings": terms.FATES,
        "group_meaning": terms.GROUP,
        "gaps": GAPS,
        "gap_names": terms.GAPS,
        "language_of": _language_of,
    }


def _language_of(text: str) -> str:
    """Language tag of data; empty where the script does not tell."""
    return HTML_LANGUAGES.get(script_language(text), "")


@cache
def _file(name: str) -> str:
    return (resources.files(PACKAGE) / "templates" / name).read_text(encoding="utf-8")
