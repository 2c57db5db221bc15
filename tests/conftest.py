"""What must be so before any test is imported."""

import os

# ranx runs as plain Python: compiling takes longer than its answers here, and numba reads this when it is first imported.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine, and nothing of what is tested.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")
