"""One file per target; the file name is the target name."""

if __name__ != "langc.targets":  # `import targets` would make a second copy of every class
    raise ImportError("import langc.targets, not targets")
