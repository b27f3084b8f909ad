"""JSON schemas as regular languages: read, checked and lowered, without recursion exactly.

`values.py` reads the JSON of a schema with its places. `keywords.py` says what each keyword may hold. `shape.py` brings
the schemas that one value must obey together, and `lower.py` makes the language of a shape out of those of strings
(`strings.py`), numbers (`numbers.py`), arrays and objects.

Invariant: every text of the language is JSON, each of its strings has the one spelling of `ir/json_text.py`, and its
value is valid against the schema. What cannot be said exactly is an error at its place, never left out.
"""
