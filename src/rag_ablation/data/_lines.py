from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from rag_ablation.data._encoding import HEAD_BYTES, narrow_encoding, wide_encoding
from rag_ablation.data._report import Place, Report

UTF8_MARK = b"\xef\xbb\xbf"
MOST_LINE_BYTES = 1 << 26
MOST_SAMPLE_BYTES = 1 << 16
ICONV_NAMES = {
    "latin-1": "ISO-8859-1",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
    "utf-32-le": "UTF-32LE",
    "utf-32-be": "UTF-32BE",
}
OLD_MAC = "lines that end in a carriage return alone (as on old Macs)"


class Line(NamedTuple):
    """One line that is not blank, without its end.

    Args:
        number: 1-based.
        text: decoded.
        offset: byte of the file at which it begins.
    """

    number: int
    text: str
    offset: int = 0


@dataclass(slots=True)
class _Undecoded:
    """Lines that are no UTF-8: how many, the first of them, and enough bytes to tell the encoding by."""

    count: int = 0
    first_line: int = 0
    byte: int = 0
    position: int = 0
    offset: int = 0
    sample: list[bytes] = field(default_factory=list)
    sample_bytes: int = 0

    def add(self, number: int, content: bytes, offset: int, position: int) -> None:
        self.count += 1
        if self.count == 1:
            self.first_line, self.byte, self.position, self.offset = number, content[position], position, offset
        if self.sample_bytes < MOST_SAMPLE_BYTES:
            self.sample.append(content)
            self.sample_bytes += len(content)


class Lines:
    """The lines of one file, one at a time: what is held does not grow with the file.

    Args:
        file: name used in messages.
        handle: at its start.
        report: receives at most one problem of the encoding, and at the end a notice if the file was not plain.
    """

    def __init__(self, file: str, handle: BinaryIO, report: Report) -> None:
        self.file, self.handle, self.report = file, handle, report
        self.complete = True
        self._undecoded = _Undecoded()

    def __iter__(self) -> Iterator[Line]:
        """Lines that could be decoded; once they are out, `complete` says whether that was all."""
        head = self.handle.read(HEAD_BYTES)
        wide = wide_encoding(head)
        if wide is not None:
            self.complete = False
            self.report.problem(
                Place(self.file, 1), "encoding", f"{wide.upper()} from the first byte on", _convert(self.file, wide)
            )
            return
        marked = head.startswith(UTF8_MARK)
        start = len(UTF8_MARK) if marked else 0
        self.handle.seek(start)
        yield from self._decoded(start, marked)

    def _decoded(self, offset: int, marked: bool) -> Iterator[Line]:
        number = n_blank = n_returns = 0
        while raw := self.handle.readline(MOST_LINE_BYTES + 1):
            number += 1
            if len(raw) > MOST_LINE_BYTES:
                self._too_long(number, raw)
                break
            line = raw.removesuffix(b"\n")
            content = line.removesuffix(b"\r")
            n_returns += len(content) != len(line)
            if not content.strip(b" \t"):
                n_blank += 1
            else:
                try:
                    yield Line(number, content.decode("utf-8"), offset)
                except UnicodeDecodeError as error:
                    self._undecoded.add(number, content, offset, error.start)
            offset += len(raw)
        self._say_undecoded()
        _say_if_not_plain(self.file, marked, n_returns, n_blank, self.report)

    def _too_long(self, number: int, raw: bytes) -> None:
        found = OLD_MAC if b"\r" in raw else f"a line of more than {MOST_LINE_BYTES >> 20} MiB; the rest was not read"
        self.report.problem(Place(self.file, number), "line", found, "shorter lines, each ended by LF or CRLF")
        self.complete = False

    def _say_undecoded(self) -> None:
        bad = self._undecoded
        if not bad.count:
            return
        self.complete = False
        lines = "this line alone" if bad.count == 1 else f"{bad.count} such lines"
        found = (
            f"byte 0x{bad.byte:02x} at position {bad.position + 1} (byte {bad.offset + bad.position + 1} of the file)"
        )
        encoding = narrow_encoding(bad.sample)
        guess = "of an encoding that cannot be told" if encoding is None else f"it looks like {encoding}"
        place = Place(self.file, bad.first_line)
        self.report.problem(place, "encoding", f"{found}, {lines}; {guess}", _convert(self.file, encoding))


def old_mac(text: str, begins: str) -> bool:
    """Whether a line that makes no sense is several, parted by a carriage return alone.

    Args:
        text: the line.
        begins: with what each part would begin.
    """
    parts = [part for part in text.split("\r") if part.strip()]
    return len(parts) > 1 and parts[1].lstrip().startswith(begins)


def say_old_mac(place: Place, report: Report) -> None:
    """The problem, with the command that mends it."""
    new = f"tr '\\r' '\\n' < {place.file} > new, and put new in its place"
    report.problem(place, "line", OLD_MAC, f"lines that end in LF or CRLF: {new}")


def _convert(file: str, encoding: str | None) -> str:
    name = "ENCODING" if encoding is None else encoding
    iconv = ICONV_NAMES.get(name, name.upper())
    return (
        f"UTF-8: read it with --encoding {name} of `rag-ablation data import native`, or convert it: "
        f"iconv -f {iconv} -t UTF-8 {file} > new, and put new in its place"
    )


def _say_if_not_plain(file: str, marked: bool, n_returns: int, n_blank: int, report: Report) -> None:
    said = []
    if marked:
        said.append("starts with a byte order mark")
    if n_returns:
        said.append("has CRLF line ends")
    if n_blank:
        said.append(f"has {n_blank} blank line{'s' if n_blank != 1 else ''}")
    if said:
        report.notices.append(f"{file}: {', '.join(said)}; read as if it were plain")
