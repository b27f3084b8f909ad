"""Policy text to AST and back: parse, check names, print."""
