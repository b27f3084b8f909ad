"""Generated repertoires of encodings; `langc.compiler.unicode.generate` writes them."""
