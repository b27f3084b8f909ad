"""Snapshots: a surface and the names of one moment as a context-free grammar, for engines that know no Γ.

grammar.py    what a grammar is: rules over lexemes
lexemes.py    what a lexeme is written as: a pattern, or a row of names; and where it borders on words
supply.py     which names a slot could be offered anywhere in a text
pieces.py     what each terminal of a surface becomes
statics.py    what is known of a rule without reading: the parameters it asks for, how its texts end
build.py      networks to rules
reduce.py     rules that matter, each once
witness.py    texts that a snapshot has and its surface has not
continuation.py  grammars of what may follow a place of a text

A snapshot admits every text of the surface, and more: scopes, promises and counts are not carried, and where a text can
declare names of a sort, any word stands for a name of that sort.
"""
