"""Characters: interval sets, Unicode properties, UTF-8."""

UNICODE_VERSION = "18.0.0"
"""Pinned: the data of another version are refused (see `properties.py`)."""
