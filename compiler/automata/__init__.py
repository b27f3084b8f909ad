"""Finite automata over code points and over bytes. Nothing here imports numpy."""
