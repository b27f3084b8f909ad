"""`python -m langc` is the command `langc`."""

from langc.compiler.cli import main

if __name__ == "__main__":
    main()
