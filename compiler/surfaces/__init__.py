"""Surfaces: decode-time grammars whose references are slots typed by an environment that grows while a model writes.

* model.py: what a surface is: lexemes, sorts, scopes, rules (no behaviour)
* syntax/: its notation, read and checked; levels.py: the same with less asked of names
* environment/: Γ, the names that exist, and the providers that read them
* world/: scopes, bindings, promises: what Γ is after what has been written
* engine/: rules as networks, run by sets of threads: one step a lexeme, one step a byte
* masks/: one step a token: masks over a vocabulary, the matcher
* policed/: texts that obey a policy as well
* ghosts.py: names in finished texts that do not exist
* snapshot/: what engines that only know grammars get
* loaded.py: a surface with its environment, ready to use; canonical.py, portable.py: as a file
"""
