"""Surfaces out of policy files: `read_surfaces`."""

from langc.compiler.surfaces.syntax.read import read_surfaces

__all__ = ["read_surfaces"]
