"""Other processes of this machine."""

import os


def alive(pid: int) -> bool:
    """Whether a process of that number is there; one that may not be asked is."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
