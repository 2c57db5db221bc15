"""How a study's report is worded and laid out: figures, captions, sections, tints."""
