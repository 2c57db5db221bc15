"""What a small local model answers from the right clauses, and what it answers from memory."""
