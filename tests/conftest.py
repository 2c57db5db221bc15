"""What must be so before any test is imported."""

import os

# ranx runs as plain Python: compiling takes longer than its answers here, and numba reads this when it is first imported.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
