"""`python -m tests.handbooks FOLDER …`: counts, and every broken promise."""

import sys
from pathlib import Path

from tests.handbooks.promises import broken_promises, counts, read


def main(folders: list[str]) -> int:
    """Status 1 where a promise is broken."""
    broken = 0
    for folder in folders:
        book = read(Path(folder))
        print(folder, counts(book))
        for said in broken_promises(book):
            broken += 1
            print(" ", said)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
