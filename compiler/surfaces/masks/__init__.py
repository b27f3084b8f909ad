"""One step a token: masks over a vocabulary, and the matcher.

writable.py   whether the vocabulary can write what the surface needs
ids.py        tokens that are allowed together
heads.py      parts of a vocabulary's trie: what is left of tokens behind their first bytes
shapes.py     the automaton of all shapes together, and walks of it through the trie
listed.py     finite sets of spellings, walked through the trie
cuts.py       where tokens stay within a lexeme, and where they leave it
certain.py    tokens that may be written whatever the world says
strangers.py  names that nothing knows: one of them stands for all
tables.py     the masks, as tables that `tokens.machine` runs on
next_bytes.py the bytes that may come next
home.py       ways to an end of a text
ahead.py      what is forced, and what can still be finished within a budget
matcher.py    the matcher
"""
