"""Adapters that apply a policy inside a program: one file each, imported only when it is used."""
