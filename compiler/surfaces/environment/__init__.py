"""Γ: the names that exist, where they come from, and how they are written.

spelling.py    how a surface writes a name: bare, or between quotes
names.py       entries, groups, environments, and the sorted spellings that a slot offers
"""
