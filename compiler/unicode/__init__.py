"""Characters: interval sets, Unicode 18.0 properties, UTF-8."""
