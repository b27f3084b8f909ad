"""Γ: the names that exist, where they come from, and how they are written.

spelling.py    how a surface writes a name: bare, or between quotes
names.py       entries, groups, environments, and the sorted spellings that a slot offers
collector.py   what every provider makes entries with: budgets, and warnings for what is left out
opened.py      files of strangers
canonical.py   environments as JSON, with their digest
providers/     one module for each kind of source
load.py        from what a policy and a command line say to one environment
"""
