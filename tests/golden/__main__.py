"""Check golden files: `python -m tests.golden FILE …`."""

import sys
from pathlib import Path

from tests.golden.check import check_file


def main(arguments: list[str]) -> int:
    """Print every failure and a closing count; 1 if anything failed."""
    if not arguments:
        print("usage: python -m tests.golden FILE …", file=sys.stderr)
        return 2
    passed = failed = 0
    for argument in arguments:
        path = Path(argument)
        for outcome in check_file(path):
            passed += not outcome.failures
            failed += bool(outcome.failures)
            for failure in outcome.failures:
                print(f"FAILED {path.name}: {outcome.name}: {failure}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
