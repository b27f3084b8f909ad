"""langc compiles one policy of what a language model may write into every format that a decoder can enforce."""

from pathlib import Path as _Path

__version__ = "0.1.0"

_here = _Path(__file__).parent
if (_here / "compiler").is_file():  # a checkout without symbolic links: they are small text files there
    __path__.append(str(_here.parent))
