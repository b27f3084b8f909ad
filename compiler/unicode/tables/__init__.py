"""Generated tables of the Unicode Character Database; `langc.compiler.unicode.generate` writes them."""
