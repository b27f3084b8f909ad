"""Proof that an artefact means what its policy means: by reading it back, and by running the engine that it is for.

Invariant: nothing here takes an emitter's word. A reader knows the format and not the emitter, an engine is the real
one, and what is claimed (`Fidelity`) is measured again.
"""
