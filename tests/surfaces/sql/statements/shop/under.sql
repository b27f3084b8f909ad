SELECT t.city, t.n FROM (SELECT city, count(*) AS n FROM customers GROUP BY city) AS t WHERE t.n > 1
SELECT n FROM (SELECT count(*) AS n FROM customers)
SELECT rowid FROM customers
SELECT main.customers.name FROM main.customers
SELECT (id, name) = (1, 'x') FROM customers
SELECT name FROM (customers JOIN orders ON customers.id = customer_id)
SELECT name FROM customers ORDER BY (1)
WITH orders AS (SELECT 1 AS x) SELECT x FROM orders
UPDATE items SET price = products.price FROM products WHERE product_id = products.id
SELECT customers.name FROM customers, (SELECT (city) FROM customers)
SELECT o.id FROM orders o WHERE EXISTS (SELECT o.total FROM customers c)
SELECT name FROM customers JOIN orders ON customer_id = customers.id JOIN products USING (id)
SELECT * FROM customers FULL JOIN orders USING (id)
