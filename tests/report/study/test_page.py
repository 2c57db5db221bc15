"""The page of a study: self-contained, in two languages, its sums right, and data always text."""

import base64
import hashlib
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest

from rag_ablation.measures.fates import Fate
from rag_ablation.report.study.page import page_of
from rag_ablation.report.study.words import same
from tests.report.study.contents import CASES, LONG, MARKUP, eight_arms, nothing_scored, one_arm
from tests.report.study.reading import Element, read

LANGUAGES = ("en", "zh")
HEADINGS = ("h1", "h2", "h3", "h4")


@cache
def source(case: str, language: str = "en") -> str:
    return page_of(CASES[case](), language)


@cache
def page(case: str, language: str = "en") -> Element:
    return read(source(case, language))


def section(case: str, name: str) -> Element:
    return next(found for found in page(case).all("section") if found.attributes["id"] == name)


def numbers(text: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"[\d,]*\d", text)]


every_case = pytest.mark.parametrize("case", CASES)


@every_case
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_well_formed_and_in_the_language_asked_for(case: str, language: str) -> None:
    root = page(case, language).one("html")
    assert root.attributes == {"lang": {"en": "en", "zh": "zh-CN"}[language], "data-lang": language}
    title = root.one("head").one("title")
    assert title.text() == title.attributes[f"data-{language}"]
    assert title.attributes["data-en"] != title.attributes["data-zh"]


@every_case
def test_a_page_asks_for_nothing_and_runs_no_script_but_its_own(case: str) -> None:
    text, root = source(case), page(case)
    script = root.one("script")
    digest = base64.b64encode(hashlib.sha256("".join(map(str, script.parts)).encode()).digest()).decode()
    policy = next(meta.attributes["content"] for meta in root.all("meta") if "http-equiv" in meta.attributes)
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src 'sha256-{digest}';" in policy
    assert len(text.encode()) < 3_000_000
    for element in root.all():
        assert element.tag not in {"link", "img", "iframe", "object", "form", "foreignobject", "image", "use"}
        assert not [name for name in element.attributes if name.startswith("on") or name in {"src", "srcset"}]
        assert element.attributes.get("href", "#").startswith("#")
        assert "url(" not in element.attributes.get("style", "")
    assert not re.search(r"url\(|@import|@font-face", "".join(style.text() for style in root.all("style")))


@every_case
def test_ids_are_unique_and_every_reference_has_its_target(case: str) -> None:
    elements = page(case).all()
    ids = [element.attributes["id"] for element in elements if "id" in element.attributes]
    assert len(ids) == len(set(ids))
    links = [element.attributes["href"].removeprefix("#") for element in elements if element.tag == "a"]
    labels = [element.attributes["aria-labelledby"] for element in elements if "aria-labelledby" in element.attributes]
    assert set(links + labels) <= set(ids)


@every_case
def test_no_heading_level_is_skipped(case: str) -> None:
    levels = [int(element.tag[1]) for element in page(case).all() if element.tag in HEADINGS]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@every_case
def test_every_head_of_a_table_has_a_scope_and_every_picture_a_title(case: str) -> None:
    root = page(case)
    assert all(head.attributes.get("scope") in {"col", "row", "colgroup"} for head in root.all("th"))
    for svg in root.all("svg"):
        assert svg.attributes.get("aria-hidden") == "true" or svg.children[0].tag == "title"
        if svg.attributes.get("role") == "img":
            assert svg.children[0].text().strip()


@every_case
def test_what_is_said_in_one_language_is_said_in_the_other(case: str) -> None:
    for element in page(case).all():
        languages = [child for child in element.children if child.classes & {"en", "zh"}]
        assert [child.classes & {"en", "zh"} for child in languages] == [{"en"}, {"zh"}] * (len(languages) // 2)
        if element.tag == "span" and "zh" in element.classes:
            assert element.attributes["lang"] == "zh-CN"


@every_case
def test_sections_are_numbered_without_a_hole_and_the_contents_name_them_all(case: str) -> None:
    root = page(case)
    shown = [found.attributes["id"] for found in root.all("section")][1:]
    named = [link.attributes["href"].removeprefix("#") for link in root.one("ol", "contents").all("a")]
    assert [found.text() for found in root.all("span", "number")] == [str(n + 1) for n in range(len(shown))]
    assert named == shown


def test_a_section_with_nothing_to_say_is_left_out() -> None:
    full = [found.attributes["id"] for found in page("eight").all("section")]
    bare = [found.attributes["id"] for found in page("unscored").all("section")]
    assert full[1:10] == ["ladder", "types", "lost", "recall", "sweep-1", "latency", "flips", "threats", "unjudged"]
    assert bare == ["conclusion", "ladder", "threats", "repeat", "provenance", "words"]


def test_markup_in_data_stays_text_wherever_it_is_shown() -> None:
    root = page("hostile")
    assert not [element for element in root.all() if "data-hostile" in element.attributes or element.tag == "img"]
    assert len(root.all("script")) == 1
    shown = re.sub(r"\s+", " ", MARKUP)
    for name in ("conclusion", "ladder", "types", "lost", "sweep-1", "flips", "answers", "threats", "repeat", "words"):
        assert shown in section("hostile", name).text(), name
    assert shown in root.one("head").one("title").text()
    assert "49" not in root.one("header").text()


def test_the_questions_scored_and_those_excluded_are_those_asked() -> None:
    for case, report in (("eight", eight_arms()), ("unscored", nothing_scored())):
        asked, scored, *excluded = [
            numbers(line.one("dd").text("en")) for line in section(case, "conclusion").one("dl").all("div")
        ]
        assert asked[0] == report.conclusion.denominators.asked
        assert scored[0] + sum(line[0] for line in excluded if len(line) == 1 and line[0]) == asked[0]


@every_case
def test_wins_ties_and_losses_add_up_to_the_questions_of_the_step(case: str) -> None:
    compared = [step for step in CASES[case]().ladder.steps() if step.comparison]
    cells = [
        cell.one("span", "whole").text() for cell in section(case, "ladder").one("table", "ladder").all("td", "wtl")
    ]
    assert [sum(numbers(cell)) for cell in cells] == [
        step.comparison.interval.n for step in compared if step.comparison
    ]


@pytest.mark.parametrize("case", ["eight", "one", "hostile"])
def test_fates_add_up_to_all_units_and_points_to_the_gap(case: str) -> None:
    fates, *_, points = section(case, "lost").all("table", "counted")
    *counts, total = columns(fates)
    assert [sum(column) for column in zip(*counts, strict=True)] == total
    *parts, whole, recall = columns(points)
    assert [round(sum(column), 1) for column in zip(*parts, strict=True)] == whole
    assert [round(gap + kept, 1) for gap, kept in zip(whole, recall, strict=True)] == [100.0] * len(whole)


def columns(table: Element) -> list[list[float]]:
    """Rows of numbers; – counts as nothing."""
    rows = table.one("tbody").all("tr")
    return [[float(cell.text().replace("–", "0").replace(",", "")) for cell in row.all("td")] for row in rows]


def test_the_key_of_the_bars_names_every_fate_in_their_order() -> None:
    fates = section("eight", "lost").all("table", "counted")[0]
    named = [row.one("code").text() for row in fates.one("tbody").all("tr")[:-1]]
    late_to_early = ["lost_in_context", "not_promoted", "lost_in_rerank", "lost_in_fusion", "ranked_low"]
    assert named == ["kept", *late_to_early, "not_retrieved", "not_visible"]
    assert set(named) | {"redundant"} == set(Fate)


def test_an_undefined_mean_is_a_dash_with_its_reason() -> None:
    for cell in section("unscored", "ladder").all("td", "mean")[:2]:
        assert cell.text("en").removeprefix("mean ") == "–undefined: unreviewed"
    assert "0.000" not in section("unscored", "ladder").text()


def test_a_refused_step_says_why_and_has_no_verdict() -> None:
    row = next(row for row in section("failed", "ladder").all("tr") if "refused" in row.classes)
    assert row.one("td", "note").text("en") == "not compared: B failed"
    assert not row.all("td", "verdict")


def test_exploratory_sections_carry_no_verdict_and_say_so() -> None:
    for name in ("types", "sweep-1"):
        found = section("eight", name)
        assert found.one("span", "exploratory").text("en") == "exploratory"
        assert not [cell for cell in found.all("td") if cell.classes & {"better", "worse", "undecided", "verdict"}]


def test_under_6_groups_a_type_is_marked_and_not_tinted() -> None:
    rows = {row.all("th")[0].text("en"): row for row in section("eight", "types").one("tbody").all("tr")}
    few = next(row for head, row in rows.items() if head.startswith("vague"))
    enough = next(row for head, row in rows.items() if head.startswith("paraphrase"))
    assert few.all("th")[0].text("en").endswith("†")
    assert not [cell for cell in few.all("td") if "style" in cell.attributes]
    assert all("style" in cell.attributes for cell in enough.all("td"))


def test_under_6_groups_there_is_no_verdict_and_the_row_says_why() -> None:
    cells = section("undecided", "ladder").all("td", "verdict")
    assert [cell.text("en") for cell in cells] == ["no verdictunder 6 groups"] * 3


def test_one_arm_has_no_columns_for_steps() -> None:
    table = section("one", "ladder").one("table", "ladder")
    assert not table.all(cls="difference")
    assert not section("one", "ladder").all("details")
    assert one_arm().ladder.steps() == ()


def test_of_several_parents_the_better_one_is_marked_once() -> None:
    steps = [cell.text() for cell in section("eight", "ladder").one("table", "ladder").all("td", "step")]
    assert sum("◂" in step for step in steps) == 2


def test_the_counts_of_threats_on_the_first_screen_are_those_of_the_table() -> None:
    shown = [
        found.text("en").split() for found in section("eight", "conclusion").one("p", "weights").all("span", "weight")
    ]
    rows = section("eight", "threats").one("tbody").all("tr")
    levels = [next(iter(row.classes)).removeprefix("is-") for row in rows]
    assert {words[2]: int(words[1]) for words in shown} == {level: levels.count(level) for level in set(levels)}


def test_a_long_name_may_break_and_a_short_one_may_not() -> None:
    names = {
        name.text(): name.classes for name in section("hostile", "ladder").all("span") if name.text() == f"{LONG}1"
    }
    assert names == {f"{LONG}1": {"data"}}
    assert {"whole"} in [name.classes for name in section("eight", "ladder").all("span") if name.text() == "A+D"]


def test_the_mark_of_a_high_threat_stands_for_nothing_else() -> None:
    for case in ("eight", "failed"):
        marked = [
            element for element in page(case).all() if "▲" in [part for part in element.parts if isinstance(part, str)]
        ]
        assert marked
        assert {element.attributes.get("aria-hidden") for element in marked} <= {"true", None}
        outside = [
            found for found in page(case).all("section") if found.attributes["id"] not in {"conclusion", "threats"}
        ]
        assert not [found for found in outside if "▲" in found.text()]
        assert "▲" not in "".join(found.text() for found in section(case, "conclusion").all("p", "alone"))


def test_an_arm_without_a_mean_takes_one_line_for_its_reason() -> None:
    [row] = [
        row
        for row in section("failed", "ladder").one("table", "ladder").all("tr", "without")
        if row.all("td")[0].text("en").startswith("skipped")
    ]
    assert [cell.attributes["colspan"] for cell in row.all("td")] == ["8"]
    assert not row.all("svg")


def test_a_long_reason_is_folded_and_whole_inside() -> None:
    report = eight_arms()
    reason = "skipped: " + "a model that cannot be had here " * 12
    rows = (*report.ladder.rows, replace(report.ladder.rows[0], key="E", mean=None, note=same(reason)))
    root = read(page_of(replace(report, ladder=replace(report.ladder, rows=rows))))
    [folded] = root.one("table", "ladder").all("details")
    assert len(folded.one("summary").text()) < 100
    assert folded.text().endswith(reason)


def test_groups_are_explained_beside_the_denominators_and_lead_to_the_glossary() -> None:
    line = next(found for found in section("eight", "conclusion").one("dl").all("div") if "across" in found.classes)
    assert line.one("a").attributes["href"] == "#word-group"
    assert "the unit of every interval" in line.text("en")
    assert "word-group" in [found.attributes.get("id") for found in section("eight", "words").all("div")]


def test_each_part_of_the_gap_names_its_fates() -> None:
    points = section("eight", "lost").all("table", "counted")[1]
    named = {
        row.all("th")[0].text("en"): {code.text() for code in row.all("code")} for row in points.one("tbody").all("tr")
    }
    assert {frozenset(fates) for fates in named.values()} >= {
        frozenset({"not_retrieved", "ranked_low"}),
        frozenset({"lost_in_fusion"}),
        frozenset({"not_promoted"}),
    }
    assert "cannot occur in this arm" in points.one("caption").text("en")


def test_chinese_lists_are_set_with_the_chinese_comma() -> None:
    assert "no_relevant 0、not_visible 0" in section("eight", "conclusion").one("dl").text("zh")
