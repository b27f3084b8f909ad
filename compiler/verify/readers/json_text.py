"""JSON out of an artefact, with nothing in it that two readers could take in two ways."""

from __future__ import annotations

import json
from collections.abc import Sequence

from langc.compiler.limits import MAX_JSON_CONTAINERS
from langc.compiler.verify.readers.nodes import DataError, ReadError


def read_json(text: str) -> object:
    """The value. Raises ReadError: no JSON, too deep or too large, a key twice in an object, or a number like NaN."""
    if text.count("[") + text.count("{") > MAX_JSON_CONTAINERS:
        raise DataError(f"more than {MAX_JSON_CONTAINERS:,} lists and objects")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except json.JSONDecodeError as error:
        raise ReadError(f"no JSON: {error.msg}", error.pos) from None
    except RecursionError:
        raise DataError("too many lists and objects inside one another") from None
    except ReadError:
        raise
    except ValueError:  # an integer of thousands of digits
        raise DataError("a number that is too long") from None


def whole(value: object, what: str, least: int, most: int) -> int:
    """A whole number within bounds. Raises ReadError."""
    if type(value) is not int or not least <= value <= most:
        raise DataError(f"{what} is no whole number from {least} to {most:,}")
    return value


def listed(value: object, what: str) -> Sequence[object]:
    """A list. Raises ReadError."""
    if not isinstance(value, list):
        raise DataError(f"{what} is no list")
    return value


def fields(value: object, what: str, *names: str) -> list[object]:
    """Some of an object's values. Raises ReadError."""
    if not isinstance(value, dict) or not all(name in value for name in names):
        raise DataError(f"{what} is no object with {', '.join(names)}")
    return [value[name] for name in names]


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise DataError("an object has a key twice")
    return found


def _constant(name: str) -> object:
    raise DataError(f"{name} is no number in JSON")
