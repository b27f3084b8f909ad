"""Answers with SQL in them: the prose under rules of its own, each query over the tables that there are.

    pip install langc
    python examples/answers_with_sql.py

An answer that is finished is checked, and one in the making is asked what may follow, byte by byte. With a model take
`langc.hf.PolicyLogitsProcessor(answers, tokenizer)` or any other processor: they take what `load_surface` gives.
"""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

import langc

POLICY = Path(__file__).parent / "answer.policy"
SCHEMA = "CREATE TABLE orders (id INTEGER, total REAL); CREATE TABLE customers (id INTEGER, name TEXT);"
FINISHED = """주문 금액은 이렇게 봅니다.

```sql
SELECT o.id, o.totl FROM orders AS o;
```
"""
BEGUN = "고객은 이렇게 봅니다.\n```sql\nSELECT name FROM "


def main() -> None:
    """Check one text, and go on with another."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "shop.db"
        sqlite3.connect(database).executescript(SCHEMA).connection.close()
        answers = langc.load_surface(POLICY, database)
    for found in answers.check(FINISHED):
        print(f"offset {found.start}: there is no {found.text}; did you mean {found.suggestion}?")

    matcher = answers.matcher(langc.Vocabulary("bytes", tuple(bytes((byte,)) for byte in range(256))))
    written = all(matcher.advance(byte) for byte in BEGUN.encode())
    print(f"{BEGUN!r} is written: {written}")
    for text in ("orders;\n", "customers;\n", "```\n"):
        trial = matcher.fork()
        went_on = all(trial.advance(byte) for byte in text.encode())
        print(f"  {text!r}: {'written' if went_on else 'refused'}; the text may end: {trial.accepting}")
        matcher = trial if went_on else matcher


if __name__ == "__main__":
    main()
