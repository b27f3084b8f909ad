"""Finished and arriving texts against a policy: what breaks it, which rule is to blame, what stands in its place."""
