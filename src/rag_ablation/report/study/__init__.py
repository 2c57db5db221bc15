"""From a study's recorded arms to one report: what changed, by how much, how surely, and where evidence is lost."""
