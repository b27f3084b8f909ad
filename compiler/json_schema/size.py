"""How large an expression is when it is written out, repetitions as often as they may repeat: counted, not written."""

from __future__ import annotations

from langc.compiler.ir.language import Class, Language, Repetition, children


class Size:
    """Sizes of expressions, each computed once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Language, int]] = {}

    def of(self, language: Language) -> int:
        """The number of nodes, and ranges of classes."""
        found = self._known.get(id(language))
        if found is None:
            found = self._known[id(language)] = (language, self._made(language))  # kept, so that its id stays its own
        return found[1]

    def _made(self, language: Language) -> int:
        if isinstance(language, Class):
            return 1
        below = sum(map(self.of, children(language)))
        if isinstance(language, Repetition):
            return 1 + below * max(language.least + (language.most is None), language.most or 0)
        return 1 + below
