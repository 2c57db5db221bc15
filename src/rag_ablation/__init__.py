"""Find out, honestly, which part of a retrieval pipeline earns its keep."""
