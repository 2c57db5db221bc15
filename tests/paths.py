"""Where test data lies."""

from pathlib import Path

TESTS = Path(__file__).parent
CASES = TESTS / "cases"
ROOT = TESTS.parent
