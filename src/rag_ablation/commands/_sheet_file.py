"""A table that a person is going to fill in, put where no work of a person is lost."""

from pathlib import Path

from rag_ablation.core.errors import CommandError


def write_sheet_file(content: bytes, out: Path, filled_in: str) -> None:
    """Write a table, never over the work of a person.

    Args:
        content: of the file.
        out: the file; one that holds the same already is left as it is.
        filled_in: what a person may have put into it, in the plural.

    Raises:
        CommandError: the file holds something else, or cannot be written.
    """
    try:
        if out.exists():
            if out.read_bytes() == content:
                return
            found = f"a file that holds something else, perhaps {filled_in}"
            raise CommandError.of("--out", found, "another name, or no file there", file=str(out))
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(content)
    except OSError as error:
        raise CommandError.of("--out", str(error.strerror), "a file that can be written", file=str(out)) from error
