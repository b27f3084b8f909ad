SELECT t.city, t.n FROM (SELECT city, count(*) AS n FROM customers GROUP BY city) AS t WHERE t.n > 1
SELECT n FROM (SELECT count(*) AS n FROM customers)
SELECT rowid FROM customers
SELECT main.customers.name FROM main.customers
SELECT (id, name) = (1, 'x') FROM customers
SELECT sum(total) OVER w FROM orders WINDOW w AS (ORDER BY id)
SELECT name FROM (customers JOIN orders ON customers.id = customer_id)
SELECT name FROM customers ORDER BY (1)
SELECT x'00' FROM customers
SELECT 0x1F FROM customers
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
WITH orders AS (SELECT 1 AS x) SELECT x FROM orders
INSERT INTO items (order_id) VALUES (1) RETURNING quantity
INSERT INTO items (order_id) VALUES (1) ON CONFLICT DO NOTHING
UPDATE items SET price = products.price FROM products WHERE product_id = products.id
SELECT customers.name FROM customers, (SELECT (city) FROM customers)
SELECT o.id FROM orders o WHERE EXISTS (SELECT o.total FROM customers c)
SELECT name FROM customers JOIN orders ON customer_id = customers.id JOIN products USING (id)
