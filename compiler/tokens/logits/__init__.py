"""States applied to rows of logits and of packed bits."""
