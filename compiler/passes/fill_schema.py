"""Let the policy hold for the strings of JSON texts, not for the whole text.

With `json_strings` the language becomes that of the texts with JSON's characters in which every string, keys too, has
a value that the policy permits, in the one spelling of `ir/json_text.py`. They need not be JSON: that is left to an
engine that reads a schema beside it. With a schema it becomes that of the JSON texts which are valid against it.
"""

from __future__ import annotations

from dataclasses import replace

from langc.compiler.ir.json_text import OUTSIDE, json_text_of
from langc.compiler.ir.language import json_string
from langc.compiler.ir.nodes import PolicyIR


def fill_schema(ir: PolicyIR) -> PolicyIR:
    """The language of JSON texts whose strings the language permits; unchanged if texts are no JSON.

    Raises PolicyError for a schema that cannot be carried exactly or that no value fits, LimitError past a budget.
    """
    if ir.schema is not None:
        # The reader of schemas is only loaded where there is one.
        from langc.compiler.json_schema.lower import lower_schema
        from langc.compiler.json_schema.strings import Strings
        from langc.compiler.json_schema.values import read_values

        return replace(ir, language=lower_schema(read_values(ir.schema), Strings(ir.language, ir.blame)))
    if ir.json_strings:
        return replace(ir, language=json_text_of(json_string(ir.language), OUTSIDE))
    return ir
