"""A surface with a policy beside it: texts are those of the surface that the policy permits as well.

rules.py    what is asked of the policy, and a policy that answers
stored.py   the same out of a file: automata and phrases
chosen.py   the surface that a policy names
writable.py the names that the policy lets a text write
joint.py    a place of a text of both, one step a byte
home.py     ways to an end of a text of both, or that there is none
tables.py   the masks, as tables that `tokens.machine` runs on
"""
