"""The tokenizer's side: what every token id writes, and which ids a policy lets through."""
