"""SmolLM2 answers questions in SQL under the surface `sql`, and by itself with up to four retries.

Under the surface no statement names what is not there. Where the model does not end one in time it is cut off, and
what there is of it can be gone on with. How often the answer is right is the model's matter; it is recorded beside that
of asking again until SQLite takes the statement.

`make test` asks the first 5 questions, `make test-models` all 30 (environment variable `LANGC_GENERATIONS`).
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import langc
from tests import assets
from tests.conftest import MEASURED
from tests.models.test_generation import Model
from tests.surfaces.sql.judge import kind_of

pytestmark = [pytest.mark.models, pytest.mark.slow, pytest.mark.xdist_group("smollm2")]

SCHEMA = """CREATE TABLE customers (id INTEGER, name TEXT, city TEXT);
CREATE TABLE orders (id INTEGER, customer_id INTEGER, total REAL, status TEXT);
CREATE TABLE products (id INTEGER, title TEXT, category TEXT, price REAL);
"""
ROWS = """
INSERT INTO customers VALUES (1,'Ann','Oslo'),(2,'Bo','Rome'),(3,'Cy','Oslo'),(4,'Di','Lima');
INSERT INTO orders VALUES (1,1,10.0,'paid'),(2,1,25.5,'open'),(3,2,7.0,'paid'),(4,3,99.0,'paid');
INSERT INTO products VALUES (1,'Lamp','home',20.0),(2,'Desk','office',150.0),(3,'Pen','office',2.0);
"""
QUESTIONS = (
    ("How many customers are there?", "SELECT count(*) FROM customers"),
    ("List the names of all customers.", "SELECT name FROM customers"),
    ("Which customers live in Oslo? Give their names.", "SELECT name FROM customers WHERE city = 'Oslo'"),
    ("What is the highest total of an order?", "SELECT max(total) FROM orders"),
    ("List the titles of products in the category office.", "SELECT title FROM products WHERE category = 'office'"),
    ("How many orders are paid?", "SELECT count(*) FROM orders WHERE status = 'paid'"),
    ("What is the average price of the products?", "SELECT avg(price) FROM products"),
    ("List the cities of the customers without repetition.", "SELECT DISTINCT city FROM customers"),
    ("What is the sum of the totals of all orders?", "SELECT sum(total) FROM orders"),
    ("Which product is the cheapest? Give its title.", "SELECT title FROM products ORDER BY price LIMIT 1"),
    ("How many products cost more than 10?", "SELECT count(*) FROM products WHERE price > 10"),
    ("How many customers live in each city?", "SELECT city, count(*) FROM customers GROUP BY city"),
    ("List all titles and prices of products.", "SELECT title, price FROM products"),
    ("What is the lowest price?", "SELECT min(price) FROM products"),
    ("List the names of customers in order of name.", "SELECT name FROM customers ORDER BY name"),
    ("How many orders does each status have?", "SELECT status, count(*) FROM orders GROUP BY status"),
    ("List the totals of open orders.", "SELECT total FROM orders WHERE status = 'open'"),
    ("How many categories of products are there?", "SELECT count(DISTINCT category) FROM products"),
    (
        "List the names of customers that have an order.",
        "SELECT DISTINCT c.name FROM customers c JOIN orders o ON o.customer_id = c.id",
    ),
    (
        "List the names of customers that have no order.",
        "SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)",
    ),
    (
        "What is the sum of totals for each customer name?",
        "SELECT c.name, sum(o.total) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name",
    ),
    ("What is the price of the product Lamp?", "SELECT price FROM products WHERE title = 'Lamp'"),
    ("In which city does Ann live?", "SELECT city FROM customers WHERE name = 'Ann'"),
    ("List the ids of orders with a total above 20.", "SELECT id FROM orders WHERE total > 20"),
    ("What is the average total of paid orders?", "SELECT avg(total) FROM orders WHERE status = 'paid'"),
    (
        "Which category has the most products?",
        "SELECT category FROM products GROUP BY category ORDER BY count(*) DESC LIMIT 1",
    ),
    ("List the titles of products that are not for the home.", "SELECT title FROM products WHERE category <> 'home'"),
    ("How many customers have a name that begins with A?", "SELECT count(*) FROM customers WHERE name LIKE 'A%'"),
    ("List the three most expensive products by title.", "SELECT title FROM products ORDER BY price DESC LIMIT 3"),
    ("List the names and cities of all customers.", "SELECT name, city FROM customers"),
)
Recorder = Callable[[str, object], None]
COUNT = len(QUESTIONS) if int(os.environ.get("LANGC_GENERATIONS", "20")) > 20 else 5
NEW_TOKENS, RETRIES = 48, 4


@dataclass
class Outcome:
    """What became of one arm's statements."""

    faults: Counter[str] = field(default_factory=Counter)
    right: int = 0
    whole: int = 0

    def row(self, arm: str) -> str:
        """For the closing list."""
        faults = ", ".join(f"{count} {kind}" for kind, count in sorted(self.faults.items())) or "none"
        return f"text to SQL, {arm}: {COUNT} asked, {self.right} right, {self.whole} whole, faults: {faults}"


@dataclass(frozen=True)
class Asked:
    """The model, its tokenizer, and a database."""

    model: Any
    tokenizer: Any
    database: sqlite3.Connection

    def answer(self, question: str, processor: Any = None, sample: bool = False) -> str:
        """A statement, or what stands in its place."""
        content = f"{SCHEMA}\nQuestion: {question}\nAnswer with one SQLite statement and nothing else."
        message = [{"role": "user", "content": content}]
        text = self.tokenizer.apply_chat_template(message, add_generation_prompt=True, tokenize=False)
        ids = self.tokenizer(text, return_tensors="pt").input_ids
        processors = [] if processor is None else [processor(ids.shape[1])]
        how = {"do_sample": True, "temperature": 0.7} if sample else {"do_sample": False}
        written = self.model.generate(ids, max_new_tokens=NEW_TOKENS, logits_processor=processors, **how)
        return str(self.tokenizer.decode(written[0, ids.shape[1] :], skip_special_tokens=True)).strip()

    def fault(self, statement: str) -> str | None:
        """The kind of SQLite's complaint about a statement."""
        try:
            self.database.execute(f"EXPLAIN {statement}").close()
        except (sqlite3.Error, sqlite3.Warning) as error:
            return kind_of(str(error))
        return None

    def is_right(self, statement: str, gold: str) -> bool:
        """Whether a statement gives the same rows as the gold one, in some order."""
        if not statement.lower().lstrip("( ").startswith(("select", "with", "values")):
            return False
        try:
            found = self.database.execute(statement).fetchall()
        except (sqlite3.Error, sqlite3.Warning):
            return False
        return Counter(map(str, found)) == Counter(map(str, self.database.execute(gold).fetchall()))


@pytest.fixture(scope="module")
def asked() -> Iterator[Asked]:
    """SmolLM2 in transformers, and a small shop."""
    from transformers import AutoTokenizer

    path = assets.smollm2_gguf()
    tokenizer = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    database = sqlite3.connect(":memory:")
    database.executescript(SCHEMA + ROWS)
    yield Asked(Model("smollm2", path).transformers, tokenizer, database)
    database.close()


def tried(asked: Asked, answer: Callable[[str], str]) -> Outcome:
    """What becomes of the statements for all questions."""
    outcome = Outcome()
    for question, gold in QUESTIONS[:COUNT]:
        statement = answer(question)
        fault = asked.fault(statement)
        outcome.whole += fault is None
        if fault is not None:
            outcome.faults[fault] += 1
        outcome.right += asked.is_right(statement, gold)
    return outcome


def test_no_answer_names_what_is_not_there(asked: Asked, tmp_path: Path, record_property: Recorder) -> None:
    """0 ghosts, 0 ambiguous names, and nothing else that SQLite has against a statement."""
    path = tmp_path / "shop.sql"
    path.write_text(SCHEMA, encoding="utf-8")
    surface = langc.load_surface("sql", path)
    vocabulary = langc.load_vocabulary(assets.smollm2_gguf())

    def processor(prompt: int) -> Any:
        return langc.hf.PolicyLogitsProcessor(surface, vocabulary, prompt)

    cut: list[str] = []

    def answer(question: str) -> str:
        statement = asked.answer(question, processor)
        if surface.accepts(statement):
            return statement
        assert surface.refused_at(statement) == len(statement), statement
        cut.append(statement)
        return "SELECT 'cut off'"

    outcome = tried(asked, answer)
    record_property(MEASURED, f"{outcome.row('surface')}, {len(cut)} cut off")
    assert not outcome.faults
    assert outcome.whole == COUNT
    assert len(cut) < COUNT


@pytest.mark.skipif(len(QUESTIONS) > COUNT, reason="make test-models asks again and again")
def test_asking_again_is_recorded_beside_it(asked: Asked, record_property: Recorder) -> None:
    """The first of up to five answers that SQLite takes, or the last one."""

    def answer(question: str) -> str:
        statement = asked.answer(question)
        for _ in range(RETRIES):
            if asked.fault(statement) is None:
                break
            statement = asked.answer(question, sample=True)
        return statement

    outcome = tried(asked, answer)
    record_property(MEASURED, outcome.row("retries"))
    assert outcome.whole + sum(outcome.faults.values()) == COUNT
