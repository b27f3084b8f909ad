"""Readers: the text of an artefact becomes an automaton again. They share no code with the emitters."""
