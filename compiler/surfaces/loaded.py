"""A surface together with its environment, ready to use: what everything that takes a surface calls.

Invariant: immutable. `digest` says what it means: it is that of the surface's canonical form, of the names in Γ, and of
the policy that its texts obey as well, if there is one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langc.compiler.diagnostics import Diagnostic
from langc.compiler.surfaces.canonical import is_portable, tree_of
from langc.compiler.surfaces.engine.config import Config, Engine
from langc.compiler.surfaces.environment.names import Environment
from langc.compiler.surfaces.levels import at_levels
from langc.compiler.surfaces.model import Level, LevelKind, Surface

if TYPE_CHECKING:
    from langc.compiler.policy import Policy
    from langc.compiler.surfaces.ghosts import Finding
    from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
    from langc.compiler.surfaces.masks.tables import SurfaceTables
    from langc.compiler.surfaces.policed.joint import Joint
    from langc.compiler.surfaces.policed.rules import Rules
    from langc.compiler.surfaces.policed.tables import JointTables
    from langc.compiler.surfaces.policed.texts import WholeTexts
    from langc.compiler.surfaces.regions.spot import Spot
    from langc.compiler.surfaces.regions.tables import RegionTables
    from langc.compiler.tokens.vocabulary import Vocabulary

Levels = Mapping[str, "LevelKind | Level"]


@dataclass(frozen=True, eq=False)
class LoadedSurface:
    """See the module. Made by `load_surface`."""

    surface: Surface
    environment: Environment
    levels: Mapping[str, Level]
    rules: Rules | None = None
    """What a policy asks of its texts as well."""

    @property
    def name(self) -> str:
        """The surface's name; with a policy, that of the policy."""
        return self.surface.name if self.rules is None else self.rules.name

    @cached_property
    def engine(self) -> Engine:
        """The surface run byte by byte, at its levels."""
        meant = at_levels(self.surface, self.levels) if self.levels else self.surface
        return Engine(meant, self.environment, self.surface)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the surface as it is meant, of its environment and its policy, in hexadecimal digits."""
        meant = [tree_of(self.surface), tree_of(self.levels)]
        text = json.dumps(meant, separators=(",", ":"), sort_keys=True)
        beside = "" if self.rules is None else f"\n{self.rules.hash}"
        return hashlib.sha256(f"{text}\n{self.environment.digest}{beside}".encode()).hexdigest()

    def accepts(self, text: str) -> bool:
        """Whether a whole text is one of the surface, and permitted by the policy.

        If the surface stands in regions of the policy: whether the text is permitted, and what stands in each of
        these is a text of the surface.
        """
        if self.rules is not None:
            return self._texts.accepts(text)
        config = self.engine.start.run(text.encode("utf-8", "surrogatepass"))
        return config is not None and config.accepting

    def nothing_to_write(self) -> Diagnostic:
        """That the surface has no text at all with these names."""
        message = f"no text of surface `{self.name}` can be written with these names"
        return Diagnostic("LC0951", message, help="see what names there are with `langc env SOURCE`")

    def refused_at(self, text: str) -> int | None:
        """The code point that no text goes on with; the length if the text only must not end there; or None.

        With a policy: that behind which no way to an end of a text is known that both permit.
        """
        if self.rules is not None:
            return self._texts.refused_at(text)
        config: Config | None = self.engine.start
        for place, character in enumerate(text):
            assert config is not None
            config = config.run(character.encode("utf-8", "surrogatepass"))
            if config is None:
                return place
        assert config is not None
        return None if config.accepting else len(text)

    def check(self, text: str) -> list[Finding]:
        """What keeps a text from being one of the surface: names that do not exist, with what they may have meant.

        What a policy says of it is another matter: `langc.check(text, policy)`, or `refused_at`.
        """
        from langc.compiler.surfaces.ghosts import find_ghosts

        contents = None if self.rules is None else self.rules.contents
        if contents is None:
            return find_ghosts(self.engine, text)
        from langc.compiler.surfaces.regions.texts import stretches

        return [
            replace(found, start=found.start + begin, end=found.end + begin)
            for begin, end in stretches(contents, text)
            for found in find_ghosts(self.engine, text[begin:end])
        ]

    @cached_property
    def _written(self) -> Engine:
        """The engine over the names that the policy lets a text write."""
        from langc.compiler.surfaces.policed.writable import writable

        assert self.rules is not None
        names = self.environment if self.levels else writable(self.environment, self.surface, self.rules)
        return self.engine if names is self.environment else Engine(self.surface, names, self.surface)

    @cached_property
    def _texts(self) -> WholeTexts[Joint] | WholeTexts[Spot]:
        from langc.compiler.surfaces.policed.joint import BYTES, Joint
        from langc.compiler.surfaces.policed.tables import JointTables
        from langc.compiler.surfaces.policed.texts import WholeTexts
        from langc.compiler.surfaces.regions.spot import Spot
        from langc.compiler.surfaces.regions.tables import RegionTables

        tables = self.tables(BYTES)
        assert isinstance(tables, JointTables | RegionTables)
        return WholeTexts[Joint](tables) if isinstance(tables, JointTables) else WholeTexts[Spot](tables)

    def tables(self, vocabulary: Vocabulary) -> SurfaceTables | JointTables | RegionTables:
        """What its masks over a vocabulary come from. Raises PolicyError (LC0402, LC0406)."""
        from langc.compiler.surfaces.masks.tables import SurfaceTables

        if self.rules is None:
            return SurfaceTables(self.engine.start, vocabulary)
        from langc.compiler.surfaces.policed.tables import joint_tables

        names = (self.surface.name, self.rules.name)
        contents = self.rules.contents
        if contents is not None:
            from langc.compiler.surfaces.regions.tables import region_tables

            tokens = contents.with_markers(vocabulary)
            return region_tables(SurfaceTables(self.engine.start, tokens), self.rules.tables(tokens), contents, names)
        return joint_tables(SurfaceTables(self._written.start, vocabulary), self.rules.tables(vocabulary), names)

    def matcher(
        self,
        vocabulary: Vocabulary | Any,
        rows: int | None = None,
        on_dead_end: str = "error",
        *,
        max_tokens: int | None = None,
    ) -> SurfaceMatcher:
        """One text of it in the making, see `SurfaceMatcher`. Raises as that does."""
        from langc.compiler.surfaces.masks.matcher import SurfaceMatcher
        from langc.compiler.tokens.loaders import load_vocabulary

        tokens = load_vocabulary(vocabulary)
        made = self.tables(tokens)
        return SurfaceMatcher(self.engine, tokens, rows, on_dead_end, max_tokens=max_tokens, tables=made)

    def with_levels(self, levels: Levels) -> LoadedSurface:
        """The same surface with more or less asked of the names of some sorts, see `levels.py`.

        Raises KeyError for a sort that the surface does not have.
        """
        unknown = next((sort for sort in levels if sort not in self.surface.sorts), None)
        if unknown is not None:
            raise KeyError(unknown)
        given = {s: level if isinstance(level, Level) else Level(s, level) for s, level in levels.items()}
        return replace(self, levels={**self.levels, **given})

    def with_policy(self, policy: Policy | str | os.PathLike[str]) -> LoadedSurface:
        """The same surface, whose texts obey a policy as well, and that which they obey already.

        Raises what `load_policy` raises; PolicyError (LC0942) if the policy is for texts of another surface, and what
        `Policy.__and__` raises; LangcError (LC0943) if only the automata of the other policy are known.
        """
        from langc.compiler.surfaces.policed.chosen import joined

        return replace(self, rules=joined(self, policy))

    def with_environment(self, environment: Environment) -> LoadedSurface:
        """The same surface over other names, as when they change while a text is written.

        A matcher of it goes on with the text of one before by `sync(matcher.ids)`, which is False if that is no
        beginning of a text with these names.
        """
        return replace(self, environment=environment)

    def resumed(self, config: Config) -> Config | None:
        """A place in a text of this surface at other levels, gone on with at these. None if it is no place at these.

        A lexeme that has begun keeps what it was begun as where its text is no longer known (inside of a string), and
        is none of what could not begin like that where it was begun.
        """
        point = self.engine.parser.point(config.point.kernel)
        lexeme = config.lexeme
        if not lexeme.begun:
            return self.engine.config(point, point.expected.start)
        if not lexeme.text:
            return self.engine.config(point, lexeme)
        return self.engine.config(point, point.expected.start).run(lexeme.text)


def load_surface(
    path_or_name: str | os.PathLike[str] | Policy, env: str | os.PathLike[str] | Mapping[str, str] | None = None
) -> LoadedSurface:
    """The surface of a file, `FILE:NAME` for one out of several, or a ready one by its bare name (`sql`).

    A policy that names a surface is found in the same way, or handed over: texts are those of its surface that it
    permits. In a file it goes before the surfaces.

    `env` says what its environments are read from: a file for the only one, or files by the environments' names. What
    `langc compile --target processor` wrote is a surface with its names; `env` takes the place of these.
    Raises LangcError: no such file or surface, one at fault, or names that cannot be read.
    """
    from langc.compiler.surfaces.environment.load import load_environment

    made = _made(path_or_name)
    if made is not None and env is None:
        return made
    if made is not None:
        surface, folder, rules = made.surface, Path(), made.rules
    else:
        from langc.compiler.surfaces.policed.chosen import choose

        surface, folder, rules = choose(path_or_name)
    environment = load_environment(surface.environments, folder, _overrides(surface, env))
    return LoadedSurface(surface, environment, surface.levels, rules)


def _made(given: str | os.PathLike[str] | Policy) -> LoadedSurface | None:
    """The surface of an artefact; None if the file is none."""
    path = Path(given) if isinstance(given, str | os.PathLike) else None
    if path is None or not is_portable(path):
        return None
    from langc.compiler.surfaces.environment.opened import read_bytes
    from langc.compiler.surfaces.portable import loads

    return loads(read_bytes(path), str(path))


def _overrides(surface: Surface, env: str | os.PathLike[str] | Mapping[str, str] | None) -> dict[str, str]:
    if env is None:
        return {}
    if isinstance(env, Mapping):
        return dict(env)
    return {provider.name: os.fspath(env) for provider in surface.environments[:1]}
