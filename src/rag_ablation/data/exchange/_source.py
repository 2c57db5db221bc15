"""The files of a source: found by name, read once, and in UTF-8 or named as what they are."""

import codecs
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rag_ablation.data._report import Part
from rag_ablation.data.exchange._rows import Origin, Rows
from rag_ablation.data.exchange.options import Options
from rag_ablation.data.jsonl import Line, parse_json, read_lines

# What a guess may answer, so that a short text is not taken for something rare.
LIKELY = ["gb18030", "big5", "shift_jis", "euc_jp", "euc_kr", "cp1252", "cp1251", "utf_16", "utf_32"]
WIDE_MARKS = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
MOST_GUESSED_BYTES = 1_000_000


class JsonLine(NamedTuple):
    """One JSON object of a file with one a line."""

    origin: Origin
    values: dict[str, object]


class Source:
    """What is converted.

    Args:
        name: as typed: a path, or an id.
        options: what else was typed.
        rows: receives problems.
    """

    def __init__(self, name: str, options: Options, rows: Rows) -> None:
        """Nothing is read yet."""
        self.name = name
        self.path = Path(name).expanduser()
        self.options = options
        self.rows = rows

    def find(self, role: str, names: Sequence[str], *, needed: bool = True) -> Path | None:
        """The file of a role: the one that was named, else the only one of the usual names that is there.

        Args:
            role: `corpus`, `questions` or `qrels`, which is also the option that names the file.
            names: usual names.
            needed: False where the format does without.
        """
        named: str | None = getattr(self.options, role)
        if named is not None:
            path = self.path / Path(named).expanduser()
            if path.is_file():
                return path
            self.rows.problem(Origin(named), "file", f"no such file; in the folder: {self.listing()}", f"--{role} FILE")
            return None
        present = [name for name in names if (self.path / name).is_file()]
        if len(present) == 1:
            return self.path / present[0]
        if present:
            found = f"several files: {', '.join(present)}"
            self.rows.problem(Origin(""), role, found, f"one of them, or a choice: --{role} FILE")
        elif needed:
            found = f"none of {', '.join(names)}; in the folder: {self.listing()}"
            self.rows.problem(Origin(""), role, found, f"one of these files, or --{role} FILE")
        return None

    def shown(self, path: Path) -> str:
        """A file's name in messages."""
        return path.relative_to(self.path).as_posix() if path.is_relative_to(self.path) else str(path)

    def listing(self) -> str:
        """What is in the folder."""
        if not self.path.is_dir():
            return "no such folder" if not self.path.exists() else "it is a file"
        names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in self.path.iterdir())
        return ", ".join(names[:20]) + (", …" if len(names) > 20 else "") or "nothing"

    def read(self, path: Path) -> bytes | None:
        """The file in UTF-8; None after a problem."""
        name = self.shown(path)
        try:
            data = path.read_bytes()
        except OSError as error:
            self.rows.problem(Origin(name), "file", str(error.strerror), "a file that can be read")
            return None
        if self.options.encoding is not None:
            return self._decoded(name, data, self.options.encoding)
        mark = next((word for start, word in WIDE_MARKS.items() if data.startswith(start)), None)
        if mark is not None:
            self.rows.problem(Origin(name, 1), "encoding", f"a byte order mark of {mark}", _expected(mark))
            return None
        try:
            data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            guess = _guess(data)
            looks = f", which looks like {guess} (a guess)" if guess else ""
            found = f"byte 0x{data[error.start]:02x}{looks}"
            self.rows.problem(Origin(name, line), "encoding", found, _expected(guess or "NAME"))
            return None
        return data

    def lines(self, path: Path) -> Part[Line]:
        """Lines that are not blank; notices and problems go to the report."""
        data = self.read(path)
        return Part([], complete=False) if data is None else read_lines(self.shown(path), data, self.rows.report)

    def json_lines(self, path: Path) -> Part[JsonLine]:
        """JSON objects, one a line."""
        lines, name = self.lines(path), self.shown(path)
        found: list[JsonLine] = []
        for line in lines.rows:
            values = self._object(Origin(name, line.number), line.text)
            if values is not None:
                found.append(JsonLine(Origin(name, line.number), values))
        return Part(found, lines.complete and len(found) == len(lines.rows))

    def _object(self, origin: Origin, text: str) -> dict[str, object] | None:
        try:
            value = parse_json(text)
        except (ValueError, RecursionError) as error:
            self.rows.problem(origin, "line", f"no usable JSON ({error})", "one JSON object")
            return None
        if isinstance(value, dict):
            return value
        self.rows.problem(origin, "line", "JSON that is no object", "one JSON object")
        return None

    def _decoded(self, name: str, data: bytes, encoding: str) -> bytes | None:
        try:
            is_other = codecs.lookup(encoding).name != "utf-8"
        except LookupError:
            self.rows.problem(Origin(name), "encoding", f"--encoding {encoding}", "a name such as gb18030 or utf-16")
            return None
        if is_other and _is_utf8(data) and not data.isascii():
            self.rows.count(f"files in UTF-8 already, read as that and not as {encoding}", name)
            return data
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError as error:
            found = f"byte 0x{data[error.start]:02x} at position {error.start + 1}, which is no {encoding}"
            line = data.count(b"\n", 0, error.start) + 1
            self.rows.problem(Origin(name, line), "encoding", found, f"{encoding} throughout, or another --encoding")
            return None
        if is_other:
            self.rows.report.notices.append(f"{name}: converted from {encoding}")
        return text.removeprefix("\ufeff").encode("utf-8")


def pick(values: Mapping[str, object], names: Sequence[str]) -> str | None:
    """The first of these keys that an object has."""
    return next((name for name in names if name in values), None)


def _expected(encoding: str) -> str:
    return f"UTF-8, or --encoding {encoding} to convert it"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(data: bytes) -> str | None:
    from charset_normalizer import from_bytes  # noqa: PLC0415

    best = from_bytes(data[:MOST_GUESSED_BYTES], cp_isolation=LIKELY).best()
    return None if best is None else best.encoding.replace("utf_", "utf-")
