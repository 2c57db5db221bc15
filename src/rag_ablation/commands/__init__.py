"""One file per verb of the command line."""

ROOT_VARIABLE = "RAG_ABLATION_ROOT"
