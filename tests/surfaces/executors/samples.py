"""A schema and statements over it, as people write them."""

from __future__ import annotations

SCHEMA = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, "joined on" TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total REAL, status TEXT);
CREATE TABLE order_items (order_id INTEGER, product_id INTEGER, quantity INTEGER);
CREATE TABLE products (id INTEGER PRIMARY KEY, title TEXT, price REAL);
CREATE VIEW big_orders AS SELECT * FROM orders WHERE total > 100;
"""
GOLD = (
    "SELECT name, city FROM customers WHERE city = 'Seoul' ORDER BY name LIMIT 10;",
    "SELECT c.name, count(*) AS n FROM customers AS c JOIN orders AS o ON o.customer_id = c.id "
    "GROUP BY c.name HAVING count(*) > 2 ORDER BY n DESC",
    "SELECT title, price FROM products WHERE price > (SELECT avg(price) FROM products)",
    "WITH spent AS (SELECT customer_id, sum(total) AS s FROM orders GROUP BY customer_id) "
    "SELECT name, s FROM customers JOIN spent ON spent.customer_id = customers.id WHERE s >= 100.5",
    "SELECT t.n FROM (SELECT name AS n, id FROM customers) AS t WHERE t.id NOT IN (SELECT customer_id FROM orders)",
    "SELECT \"joined on\", upper(name) FROM customers WHERE name LIKE 'A%' AND city IS NOT NULL",
    "SELECT customers.name, orders.total FROM customers LEFT JOIN orders ON orders.customer_id = customers.id "
    "UNION SELECT title, price FROM products ORDER BY 2 DESC",
    "SELECT sum(quantity * price) FROM order_items JOIN products ON products.id = product_id "
    "WHERE order_id IN (SELECT id FROM orders WHERE status IN ('paid', 'sent'))",
    "SELECT total / 2 - 1 -- half\n, id /* the key */ FROM orders",
    "SELECT city, count(DISTINCT customers.id) FROM customers, orders WHERE customers.id = customer_id GROUP BY 1",
    "UPDATE products SET price = round(price * 1.1, 2) WHERE title = 'lamp'",
)
