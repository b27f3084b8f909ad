"""What `langc demo` shows, and the tiny tokenizer it shows it on.

`bpe500.json` is made from `corpus.txt` by `python -m langc.compiler.demo.make_tokenizer`; nothing is downloaded.
"""

from pathlib import Path

TOKENIZER = Path(__file__).parent / "bpe500.json"
"""A byte-level BPE of 500 tokens, in the format tokenizer.json."""
