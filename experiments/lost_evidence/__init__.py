"""Where evidence is lost on the Chinese handbook, arm by arm."""
