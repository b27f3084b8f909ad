"""Several ways to run a surface, behind one interface.

protocol.py     the interface
own.py          langc's matcher
rebuilt.py      engines that know no Γ: a grammar of what may follow, rebuilt at each event and gone on with
llguidance.py   rebuilt in llguidance: the second implementation, which langc's masks are compared with
xgrammar.py     rebuilt in xgrammar: the way of arXiv 2607.18357

The engines are optional and imported where they are used.
"""
