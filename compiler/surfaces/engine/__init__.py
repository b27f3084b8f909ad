"""How a text is read: rules are networks, a place in a text is a set of threads through them.

* network.py: rules as recursive transition networks
* lexicon.py: the shapes of a surface's terminals, and what a place expects; beginnings.py: with which bytes that begins
* lexemes.py: what a lexeme may be at a point, and where it must end (longest match)
* threads.py: where a text stands in the rules; reach.py: what is reached from there without asking the world
* barren.py: names that lead a rule nowhere; liveness.py: whether the text can go on
* parse.py: threads through the networks, one step a lexeme
* config.py: one step a byte
"""
