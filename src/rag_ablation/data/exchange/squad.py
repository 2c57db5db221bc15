"""SQuAD 1.1 and 2.0: articles, their paragraphs, and the questions asked of each."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rag_ablation.core.queries import Status
from rag_ablation.core.wording import counted
from rag_ablation.data._report import shown
from rag_ablation.data.exchange._losses import passages_only, status_of, unheld
from rag_ablation.data.exchange._rows import CORPUS, QUERIES, Origin, Record, Rows
from rag_ablation.data.exchange._source import Source
from rag_ablation.data.exchange._spans import locate, say
from rag_ablation.data.exchange.options import DEFAULT_SPLIT, Options
from rag_ablation.data.jsonl import parse_json

VERSION = "v2.0"
ASKED_KEYS = frozenset({"id", "question", "answers", "is_impossible", "plausible_answers"})


class _Paragraph(NamedTuple):
    """A paragraph that became a passage."""

    name: str
    text: str


def read(source: Source, rows: Rows) -> None:
    """Read a file, or one file of a folder.

    Args:
        source: the file, or a folder of files of which the option `split` names one.
        rows: filled, with every problem.
    """
    path = _file(source, rows)
    data = None if path is None else source.read(path)
    if path is None or data is None:
        rows.unreadable |= {CORPUS, QUERIES}
        return
    name = path.name if source.path.is_file() else source.shown(path)
    articles = _articles(name, data, rows)
    numbers: dict[str, int] = {}
    for place, article in enumerate(articles):
        origin = Origin(name, None, f"data[{place}]")
        title = _title(origin, article, place, rows)
        for at, item in _objects(origin, article, "paragraphs", rows):
            numbers[title] = numbers.get(title, 0) + 1
            paragraph = _add_paragraph(at, item, (title, numbers[title]), rows)
            if paragraph is not None:
                for inner, asked in _objects(at, item, "qas", rows):
                    _add_question(inner, asked, paragraph, rows)


def write(rows: Rows, folder: Path, options: Options) -> list[str]:
    """Write one SQuAD 2.0 file: an article for each document, a paragraph for each passage.

    Args:
        rows: what to write.
        folder: where.
        options: `split` names the file.

    Returns:
        What SQuAD cannot hold.
    """
    passages_only(rows)
    lost = _Lost(rows)
    asked: dict[str, list[dict[str, object]]] = {}
    for name, row in rows.questions.items():
        place, entry = lost.entry(name, row)
        if place is not None:
            asked.setdefault(place, []).append(entry)
    articles: dict[str, list[dict[str, object]]] = {}
    for name, row in rows.passages.items():
        document = str(row.metadata.get("doc_id") or name)
        paragraph: dict[str, object] = {"id": name, "context": row.text, "qas": asked.get(name, [])}
        articles.setdefault(document, []).append(paragraph)
    data = [{"title": title, "paragraphs": paragraphs} for title, paragraphs in articles.items()]
    text = json.dumps({"version": VERSION, "data": data}, ensure_ascii=False, allow_nan=False)
    (folder / f"{options.split or DEFAULT_SPLIT}.json").write_bytes(text.encode("utf-8"))
    titled = sum(
        row.title not in ("", _words(str(row.metadata.get("doc_id") or name))) for name, row in rows.passages.items()
    )
    titles = [f"title ({counted(titled, 'passage')}: an article's title is the document here)"] if titled else []
    held = {"status", "answer", "answers", "spans", "asked_about"}
    return [*lost.sentences(), *titles, *unheld(rows, {"doc_id"}, held)]


class _Lost:
    """Questions that SQuAD cannot hold, and what it drops of the others."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.gold: dict[str, list[tuple[int, str]]] = {}
        self.counts: dict[str, int] = {}
        for (query, unit), row in rows.judgements.items():
            if row.grade > 0:
                self.gold.setdefault(query, []).append((-row.grade, unit))
            else:
                self._count("judgements of grade 0")
            if row.grade > 1:
                self._count("grades above 1, which become 1")

    def entry(self, name: str, row: Record) -> tuple[str | None, dict[str, object]]:
        """The passage under which a question goes, None where there is none, and its entry."""
        entry: dict[str, object] = {"id": name, "question": row.text}
        status = status_of(row)
        if status is Status.NO_ANSWER:
            about = row.metadata.get("asked_about")
            seen = about if isinstance(about, str) else about[0] if isinstance(about, list) and about else None
            if seen in self.rows.passages:
                if isinstance(about, list) and len(about) > 1:
                    self._count("further ids of asked_about", len(about) - 1)
                return str(seen), entry | {"answers": [], "is_impossible": True}
            self._count("questions of status no_answer that name no passage, left out")
            return None, entry
        gold = [unit for _, unit in sorted(self.gold.get(name, []))]
        for unit in gold:
            answers = self._answers(unit, row)
            if answers and status is Status.REVIEWED:
                held = {answer["text"] for answer in answers}
                texts = {text for text in (row.metadata.get("answer"), *_list(row.metadata.get("answers"))) if text}
                if texts - held:
                    self._count("answers that do not stand once in the gold passage", len(texts - held))
                if len(gold) > 1:
                    self._count("further gold passages of questions that have several", len(gold) - 1)
                return unit, entry | {"answers": answers, "is_impossible": False}
        why = "without an answer that stands in a gold passage" if gold else "without gold"
        self._count(f"questions {why}, left out")
        return None, entry

    def sentences(self) -> list[str]:
        """The counts in words."""
        return [f"{what}: {number}" for what, number in self.counts.items()]

    def _answers(self, unit: str, row: Record) -> list[dict[str, object]]:
        """Answers with offsets: those of the spans, then those whose text occurs once."""
        context, found = self.rows.passages[unit].text, []
        spans = row.metadata.get("spans")
        given = [span for span in spans if isinstance(span, dict)] if isinstance(spans, list) else []
        pairs = [(span.get("start"), span.get("text")) for span in given if span.get("corpus_id") == unit]
        texts = [row.metadata.get("answer"), *_list(row.metadata.get("answers"))]
        pairs += [(None, text) for text in texts if text not in [known for _, known in pairs]]
        for start, text in pairs:
            if isinstance(text, str) and text:
                place = locate(context, start if isinstance(start, int) else None, text).start
                if place is not None and (place, text) not in found:
                    found.append((place, text))
        return [{"text": text, "answer_start": place} for place, text in found]

    def _count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number


def _file(source: Source, rows: Rows) -> Path | None:
    if source.path.is_file():
        return source.path
    files = sorted(source.path.glob("*.json")) if source.path.is_dir() else []
    names = [file.stem for file in files]
    wanted = source.options.split
    chosen = files[0] if wanted is None and len(files) == 1 else None
    if wanted in names:
        chosen = files[names.index(wanted)]
    if chosen is None:
        found = ", ".join(names) if names else f"no .json file; in the folder: {source.listing()}"
        expected = f"a choice: --split-name {names[0]}" if names else "a SQuAD file, or a folder of them"
        rows.problem(Origin(""), "file", found, expected)
    elif len(files) > 1:
        rows.losses.append(f"other files, not taken: {', '.join(file.name for file in files if file != chosen)}")
    return chosen


def _articles(name: str, data: bytes, rows: Rows) -> list[dict[str, object]]:
    try:
        value = parse_json(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        rows.problem(Origin(name, line), "file", f"no usable JSON ({error})", "a SQuAD file")
        rows.unreadable |= {CORPUS, QUERIES}
        return []
    if not isinstance(value, dict) or not isinstance(value.get("data"), list):
        rows.problem(Origin(name), "data", shown(value), "an object whose `data` is a list of articles")
        rows.unreadable |= {CORPUS, QUERIES}
        return []
    version = value.get("version")
    if isinstance(version, str) and version:
        rows.about.setdefault("dataset_version", version)
    return [article for _, article in _objects(Origin(name), value, "data", rows)]


def _objects(
    origin: Origin, parent: Mapping[str, object], key: str, rows: Rows
) -> Iterator[tuple[Origin, dict[str, object]]]:
    """Objects of a list, with their places."""
    items = parent.get(key)
    if not isinstance(items, list):
        rows.problem(origin, key, "nothing" if items is None else shown(items), "a list of objects")
        rows.unreadable |= {CORPUS, QUERIES}
        return
    for place, item in enumerate(items):
        inner = origin._replace(path=origin.key(f"{key}[{place}]"))
        if isinstance(item, dict):
            yield inner, item
        else:
            rows.problem(origin, f"{key}[{place}]", shown(item), "an object")
            rows.unreadable |= {CORPUS, QUERIES}


def _title(origin: Origin, article: Mapping[str, object], place: int, rows: Rows) -> str:
    title = article.get("title")
    if isinstance(title, str) and title:
        if _words(title) != title:
            rows.count("articles whose title has blanks in place of underscores (doc_id keeps them)", title)
        return title
    if title not in (None, ""):
        rows.problem(origin, "title", shown(title), "a string")
    rows.count("articles without a title, numbered", f"article-{place + 1}")
    return f"article-{place + 1}"


def _words(title: str) -> str:
    """A title of Wikipedia as words: with underscores a tokeniser would take it for one."""
    return title if " " in title else title.replace("_", " ")


def _add_paragraph(origin: Origin, item: Mapping[str, object], at: tuple[str, int], rows: Rows) -> _Paragraph | None:
    title, number = at
    text = item.get("context")
    if not isinstance(text, str):
        rows.problem(origin, "context", "nothing" if text is None else shown(text), "a string")
        rows.unreadable |= {CORPUS, QUERIES}
        return None
    given = item.get("id")
    name = given if isinstance(given, str) and given else f"{title}-{number}"
    rows.add_passage(origin, name, _words(title), text, {"doc_id": title, "location": str(number)})
    return _Paragraph(name, text)


def _add_question(origin: Origin, asked: Mapping[str, object], paragraph: _Paragraph, rows: Rows) -> None:
    name, impossible = asked.get("id"), asked.get("is_impossible", False)
    label = name if isinstance(name, str) else str(origin)
    answers = list(_answers(origin, asked, rows))
    if not isinstance(impossible, bool):
        rows.problem(origin, "is_impossible", shown(impossible), "true or false")
        return
    if impossible and answers:
        rows.problem(origin, "is_impossible", f"true, with {counted(len(answers), 'answer')}", "no answers, or false")
        return
    if asked.get("plausible_answers"):
        rows.count("questions whose plausible_answers are ignored, as they are no answers")
    metadata: dict[str, object] = {key: value for key, value in asked.items() if key not in ASKED_KEYS}
    if answers:
        texts = list(dict.fromkeys(text for _, text in answers))
        metadata |= {"answer": texts[0], "answers": texts, "spans": _spans(answers, paragraph, label, rows)}
    else:
        metadata |= {"status": (Status.NO_ANSWER if impossible else Status.UNREVIEWED).value}
        metadata |= {"asked_about": paragraph.name}
        if not impossible:
            rows.count("questions without answers and not called impossible, taken as unreviewed", label)
    rows.add_question(origin, name, asked.get("question"), metadata)
    if answers and isinstance(name, str) and name:
        rows.add_judgement(origin, name, paragraph.name, 1)


def _answers(origin: Origin, asked: Mapping[str, object], rows: Rows) -> Iterator[tuple[int | None, str]]:
    given = asked.get("answers")
    if given is None:
        return
    for inner, answer in _objects(origin, {"answers": given}, "answers", rows):
        text, start = answer.get("text"), answer.get("answer_start")
        whole = isinstance(start, int) and not isinstance(start, bool)
        if not isinstance(text, str) or not text:
            rows.problem(inner, "text", "nothing" if not text else shown(text), "a non-empty string")
        elif start is not None and not whole:
            rows.problem(inner, "answer_start", shown(start), "a whole number")
        else:
            yield (start if isinstance(start, int) else None), text


def _spans(
    answers: list[tuple[int | None, str]], paragraph: _Paragraph, label: str, rows: Rows
) -> list[dict[str, object]]:
    spans: list[dict[str, object]] = []
    for start, text in dict.fromkeys(answers):
        found = locate(paragraph.text, start, text)
        say(rows, found.fit, label)
        span: dict[str, object] = {"corpus_id": paragraph.name, "start": found.start, "text": text}
        if span not in spans:
            spans.append(span)
    return spans


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
