"""A surface for what stands in the regions of a policy: the policy permits the text with anything in these, and what
stands in each of them is a text of the surface.

contents.py  which regions these are, and what follows them
tracker.py   where a text stands in them, byte by byte
inside.py    the policy within such a region, as tables that stand beside those of the surface
plain.py     whether a surface never needs what closes a code block
spot.py      a place of a text, one step a byte
tables.py    the masks, as tables that `tokens.machine` runs on
home.py      ways to an end of a text
ahead.py     what can be finished within a budget
texts.py     whole texts: whether they are permitted, and what stands where
"""
