"""Every chart: markup that a page can hold, in both languages, the same each time, with data as text."""

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from xml.sax.saxutils import escape

import matplotlib as mpl
import pytest

from rag_ablation.report.study import charts
from rag_ablation.report.study.charts import Drawing, figures
from rag_ablation.report.study.content import Answers, CostPlane
from tests.report.study import answer_contents as answers
from tests.report.study import chart_contents as made
from tests.report.study.drawn import SVG, parsed, placed, texts


def plane_of(content: Answers) -> CostPlane:
    assert content.plane is not None
    return content.plane


NAMES = {"dense.model": ("minilm", made.MARKUP, made.LONG, None), "dense.prefix": (True, False)}

CHARTS: dict[str, Callable[[], Drawing | None]] = {
    "denominators": lambda: charts.denominators(made.denominators(127, no_answer=17, unreviewed=4)),
    "nothing scored": lambda: charts.denominators(made.denominators(0, no_answer=17)),
    "nothing asked": lambda: charts.denominators(made.denominators(0)),
    "gaps": lambda: charts.gaps(made.ladder(made.USUAL).shown),
    "gaps, undefined": lambda: charts.gaps(made.undefined().shown),
    "gaps, nine questions": lambda: charts.gaps(made.few_groups().shown),
    "gaps, markup": lambda: charts.gaps(made.ladder(made.TWELVE).steps()[:3]),
    "gaps, no step": lambda: charts.gaps(()),
    "fates": lambda: charts.fates(made.lost(["A", "B", "D"])),
    "fates, twelve arms": lambda: charts.fates(made.lost(list(made.TWELVE), total=12034)),
    "fates, nothing relevant": lambda: charts.fates(made.lost(["A"], total=0)),
    "flow": lambda: charts.flow(made.lost(["A", made.MARKUP])),
    "recall": lambda: charts.recall(made.ceilings()),
    "recall, many": lambda: charts.recall(made.ceilings(["sparse", "dense", "fused", "reranked", "a", "context"], 11)),
    "recall, undefined": lambda: charts.recall(made.with_holes(made.ceilings(["sparse", "dense"]))),
    "sweep": lambda: charts.sweep(made.sweep(made.RRF, chosen=15, peak=10)),
    "sweep, one value": lambda: charts.sweep(made.sweep({"rerank.depth": (10,)}, chosen=0, peak=0)),
    "sweep, nothing told": lambda: charts.sweep(made.sweep({"fusion.weight": (0.3, 0.4, 0.5)}, chosen=2, n=12)),
    "sweep, names": lambda: charts.sweep(made.sweep(NAMES, chosen=3, peak=6)),
    "plane": lambda: charts.plane(made.plane(made.TIMES, swept=8), "final/ndcg@10"),
    "plane, twelve arms": lambda: charts.plane(made.plane(made.CROWDED)),
    "plane, one arm": lambda: charts.plane(made.plane({"A": 5.0})),
    "answers": lambda: charts.answers(answers.open_answers(list(made.USUAL))),
    "answers, settled": lambda: charts.answers(answers.settled_answers(list(made.USUAL))),
    "answers, twelve arms": lambda: charts.answers(answers.mixed_answers(list(made.TWELVE))),
    "cost": lambda: charts.cost_plane(plane_of(answers.settled_answers(list(made.USUAL)))),
    "cost, twelve arms": lambda: charts.cost_plane(plane_of(answers.mixed_answers(list(made.TWELVE)))),
    "plane, no time": lambda: charts.plane(made.plane({"A": None, "B": None})),
}


@pytest.fixture(scope="module")
def drawings() -> dict[str, Drawing]:
    return {name: drawing for name, draw in CHARTS.items() if (drawing := draw()) is not None}


@pytest.fixture(scope="module")
def pictures(drawings: dict[str, Drawing]) -> dict[str, str]:
    """Each drawing of matplotlib's, wide and narrow."""
    return {
        f"{name}, {width}": markup
        for name, drawing in drawings.items()
        if name != "flow"
        for width, markup in drawing._asdict().items()
    }


def test_every_chart_is_drawn(drawings: dict[str, Drawing]) -> None:
    assert set(drawings) == set(CHARTS)


def test_a_pixel_of_the_drawing_is_a_pixel_of_the_page(pictures: dict[str, str]) -> None:
    for name, markup in pictures.items():
        root = parsed(markup)
        width = "342" if name.endswith("narrow") else "720"
        assert root.get("width") == width
        assert root.get("viewBox") == f"0 0 {width} {root.get('height')}"
        assert root.get("class") == f"chart {name.rpartition(', ')[2]}"


def test_each_is_an_image_with_a_title_in_both_languages(pictures: dict[str, str]) -> None:
    for markup in pictures.values():
        root = parsed(markup)
        title = root[0]
        assert root.get("role") == "img"
        assert title.tag == f"{SVG}title"
        assert title.text
        assert title.get("data-zh")


def test_markup_holds_no_prolog_no_ids_no_fonts_and_no_references(pictures: dict[str, str]) -> None:
    page = "".join(pictures.values())
    for unwanted in ("<?xml", "<!", "<metadata", "<style", "<defs", " id=", "clip-path", "href", "font-family", "url("):
        assert unwanted not in page


def test_the_flow_leaves_its_style_sheet_to_the_page(drawings: dict[str, Drawing]) -> None:
    assert "<style" not in drawings["flow"].wide
    assert " id=" not in drawings["flow"].wide
    for colour in re.findall(r"var\(--(\w+)\)", drawings["flow"].wide + charts.STYLE):
        assert f"--{colour}:" in charts.STYLE


def test_words_stand_in_both_languages_in_one_text(pictures: dict[str, str]) -> None:
    assert "127 scored" in texts(pictures["denominators, wide"])
    assert "127 计分" in texts(pictures["denominators, wide"], "zh")
    for markup in pictures.values():
        for element in parsed(markup).iter(f"{SVG}text"):
            assert [span.get("class") for span in element] in ([], ["en", "zh"])


def test_the_flow_is_there_once_for_each_language(drawings: dict[str, Drawing]) -> None:
    for markup in drawings["flow"]:
        assert [part.get("class") for part in parsed(markup)] == ["en", "zh"]


def test_the_same_content_gives_the_same_bytes(drawings: dict[str, Drawing]) -> None:
    for name, draw in CHARTS.items():
        assert draw() == drawings[name]


def test_the_callers_settings_neither_show_nor_change(drawings: dict[str, Drawing]) -> None:
    theirs = {
        "svg.fonttype": "path",
        "axes.grid": True,
        "lines.linewidth": 9.0,
        "savefig.bbox": "tight",
        "font.size": 30,
    }
    with mpl.rc_context(theirs):
        assert CHARTS["sweep"]() == drawings["sweep"]
        assert {name: mpl.rcParams[name] for name in theirs} == theirs


def test_markup_in_names_is_text(pictures: dict[str, str]) -> None:
    page = "".join(pictures.values())
    assert "<b>" not in page
    assert escape(made.MARKUP) in page
    assert made.MARKUP in texts(pictures["fates, twelve arms, wide"])
    assert made.MARKUP in (parsed(pictures["plane, twelve arms, wide"])[0].text or "")


def test_a_long_name_is_shortened_in_its_middle_and_whole_in_the_title(pictures: dict[str, str]) -> None:
    for width in ("wide", "narrow"):
        picture = pictures[f"fates, twelve arms, {width}"]
        shown = next(text for text in texts(picture) if "…" in text)
        first, last = shown.split("…")
        assert made.LONG.startswith(first)
        assert made.LONG.endswith(last)
        assert made.LONG in (parsed(picture)[0].text or "")


def test_numbers_are_finite_and_rounded(pictures: dict[str, str]) -> None:
    for markup in pictures.values():
        for name, value in re.findall(r' (d|x|y|cx|cy|r|stroke-width|stroke-dasharray)="([^"]*)"', markup):
            assert re.fullmatch(r"[-\d. MLHVCQZ]*", value), (name, value)
            assert not re.search(r"\.\d\d", value), (name, value)


def test_no_type_is_smaller_than_a_phone_can_show(pictures: dict[str, str]) -> None:
    sizes = {float(size) for markup in pictures.values() for size in re.findall(r"font-size:([\d.]+)px", markup)}
    assert min(sizes) >= 10.5
    assert max(sizes) <= 13


def test_no_base_line_lies_outside_the_drawing(pictures: dict[str, str]) -> None:
    for markup in pictures.values():
        height = float(parsed(markup).attrib["height"])
        assert all(8 <= y <= height - 2 for _, _, y in placed(markup))


def test_charts_of_twelve_arms_are_small(drawings: dict[str, Drawing]) -> None:
    """Next to a page of at most 3 MB."""
    assert sum(len(markup) for drawing in drawings.values() for markup in drawing) < 350_000
    assert all(len(markup) < 25_000 for drawing in drawings.values() for markup in drawing)


def test_ten_thousand_questions_take_no_more_room_than_a_thousand() -> None:
    step = made.ladder({"A": (), "B": ("A",)}).steps()[0]
    many = tuple((5000 - place) / 5000 for place in range(10_001))
    drawn = charts.gaps([replace(step, gaps=many, comparison=None)])
    assert all(len(markup) < 30_000 for markup in drawn)


@pytest.mark.parametrize("module", ["content", "inputs", "words"])
def test_what_a_report_says_is_computed_without_matplotlib(module: str) -> None:
    assert loaded_by(f"import rag_ablation.report.study.{module}") == "False False"


def test_charts_do_not_load_the_global_interface_of_matplotlib() -> None:
    assert loaded_by("import rag_ablation.report.study.charts.figures") == "True False"


def loaded_by(statement: str) -> str:
    code = f"import sys; {statement}; print('matplotlib' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_a_figure_says_the_same_in_one_language() -> None:
    content = made.sweep(made.RRF, chosen=15, peak=10)
    picture = charts.sweep(content).wide
    for language in ("en", "zh"):
        figure = figures.sweep(content, language)
        assert [text.get_text() for text in figure.texts] == texts(picture, language)
        assert figure.get_size_inches()[0] == 10


def test_a_figure_of_the_whole_ladder_says_each_verdict() -> None:
    ladder = made.ladder(made.USUAL)
    said = [text.get_text() for text in figures.ladder(ladder).texts]
    for word in {step.comparison.word for step in ladder.steps() if step.comparison is not None}:
        assert any(str(word) in text for text in said)


def test_dollar_signs_in_a_name_are_no_formula() -> None:
    figure = figures.fates(made.lost(["$a$ and $b$"]))
    assert not any(text.get_parse_math() for text in figure.texts)
    figure.canvas.draw()


def test_a_language_that_is_not_spoken_is_refused() -> None:
    with pytest.raises(ValueError, match="language: found 'fr', expected one of en, zh"):
        figures.fates(made.lost(["A"]), "fr")
