"""The code points that euc_kr encodes. Generated: do not edit.

Generator: python -m langc.compiler.unicode.generate
Source: the codec euc_kr of CPython.
"""

from langc.compiler.unicode.tables.encodings.cp949 import RANGES as RANGES
