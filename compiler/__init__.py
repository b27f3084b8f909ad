"""The compiler: policy text in, automata and token tables out. It knows no target."""

if __name__ != "langc.compiler":  # `import compiler` would make a second copy of every class
    raise ImportError("import langc.compiler, not compiler")
