"""How surfaces are written: their syntax tree, how it is read from text, and how it is printed."""
