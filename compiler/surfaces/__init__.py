"""Surfaces: decode-time grammars whose references are slots typed by an environment that grows while a model writes.

* model.py: what a surface is: lexemes, sorts, scopes, rules (no behaviour)
* syntax/: its notation, read and checked
* environment/: Γ, the names that exist, and the providers that read them
* network.py: rules as recursive transition networks
* lexicon.py: the shapes of a surface's terminals, and what a place expects; beginnings.py: with which bytes that begins
* lexemes.py: what a lexeme may be at a point, and where it must end (longest match)
* world/: scopes, bindings, promises: what Γ is after what has been written
* threads.py: where a text stands in the rules; reach.py: what is reached from there without asking the world
* parse.py: threads through the networks, one step a lexeme; liveness.py: whether the text can go on
* config.py: one step a byte
* masks/: one step a token: masks over a vocabulary, the matcher
* ghosts.py: names in finished texts that do not exist
* snapshot/: what engines that only know grammars get
* loaded.py: a surface with its environment, ready to use
"""
