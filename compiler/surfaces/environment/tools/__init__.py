"""Environments made from tools: which commands, options and names a tool on this machine has.

Each module here runs one tool, in an empty throw-away directory and only in ways that act on nothing, and writes what
it found as an environment of the `json` provider. `python -m langc.compiler.surfaces.environment.tools git` prints
that of git. Nothing else in the project runs these tools.
"""
