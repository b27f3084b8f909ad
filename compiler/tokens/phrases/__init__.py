"""Denied phrases beside the token tables, where there are too many for one automaton."""
