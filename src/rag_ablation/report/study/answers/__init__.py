"""What a study's report says of answers: shares between floor and ceiling, refusals, cost, and what threatens them."""
