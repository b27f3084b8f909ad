"""A question to a database in llama-cpp-python: the answer is a statement that SQLite can prepare, and is run.

    pip install langc llama-cpp-python
    python examples/llama_cpp_sql.py MODEL.gguf shop.db "How many customers are there?"

The names come from the database, so no answer has a table, a column or a function that is not there. Whether it is the
right answer is the model's matter: for a small one replace EXAMPLES by questions to your own tables. A surface says
what can be written and not what may be done, so the database is opened for reading only.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from pathlib import Path

from llama_cpp import Llama, LogitsProcessorList

import langc

EXAMPLES = """CREATE TABLE stars (id INTEGER, name TEXT, mass REAL);

-- How many stars are there?
SELECT count(*) FROM stars;

-- List the names of stars with a mass above 2.
SELECT name FROM stars WHERE mass > 2;

-- Which star is the heaviest? Give its name.
SELECT name FROM stars ORDER BY mass DESC LIMIT 1;
"""
MAX_TOKENS = 64


def prompt(database: sqlite3.Connection, question: str) -> str:
    """Worked examples, the tables, and the question as a comment."""
    tables = [f"{sql};" for (sql,) in database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")]
    return "\n".join((EXAMPLES, *tables, "", f"-- {question}", ""))


def answer(llama: Llama, surface: langc.LoadedSurface, text: str) -> str:
    """The likeliest statement. Raises what was raised inside of llama.cpp."""
    processor = langc.llama_cpp.PolicyLogitsProcessor(surface, llama)
    processors = LogitsProcessorList([processor])
    reply = llama(text, max_tokens=MAX_TOKENS, temperature=0, stop=[";"], logits_processor=processors)
    if processor.error is not None:
        raise processor.error
    return str(reply["choices"][0]["text"]).strip()


def main() -> None:
    """Ask, show the statement, run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a GGUF file")
    parser.add_argument("database", type=Path, help="a database of SQLite")
    parser.add_argument("question")
    given = parser.parse_args()
    database = sqlite3.connect(f"{given.database.resolve().as_uri()}?mode=ro", uri=True)
    surface = langc.load_surface("sql", given.database)
    llama = Llama(given.model, n_ctx=2048, verbose=False)
    statement = answer(llama, surface, prompt(database, given.question))
    print(statement)
    if not surface.accepts(statement):
        sys.exit("the statement was cut off; give it more tokens")
    for row in database.execute(statement):
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
