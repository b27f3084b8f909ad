"""How much of a model's probability a policy takes away."""
