SELECT ‹nam ›FROM customers
SELECT ‹nme ›FROM customers
SELECT name FROM ‹customer ›WHERE 1
SELECT name FROM ‹orders›
SELECT name, total FROM ‹customers;›
SELECT name, total FROM ‹customers WHERE›
SELECT name FROM customers WHERE ‹total ›> 1
SELECT name FROM customers WHERE city > 1 AND ‹x›
SELECT name FROM customers ORDER BY ‹total ›
SELECT name FROM customers GROUP BY ‹status ›
SELECT name, count(*) AS n FROM customers GROUP BY ‹n ›
SELECT category FROM products GROUP BY category HAVING ‹quantity ›> 1
SELECT c.‹total FROM customers c›
SELECT c.name, c.‹total ›FROM customers c
SELECT c.name FROM ‹orders c›
SELECT c.name FROM customers ‹WHERE›
SELECT customers.‹total FROM customers›
SELECT c.name FROM customers AS c JOIN orders AS o ON c.id = o.‹customerid ›
SELECT c.name FROM customers AS c JOIN orders AS o ON c.id = ‹x.›customer_id
SELECT c.name FROM customers AS c WHERE ‹customers.›name = 'x'
SELECT name FROM customers JOIN orders ON ‹id ›= customer_id
SELECT ‹id, name FROM customers JOIN orders ON›
SELECT id FROM customers JOIN ‹orders ON›
SELECT id FROM customers, ‹orders;›
SELECT name FROM customers JOIN orders USING (‹name›)
SELECT name FROM customers JOIN big_orders USING (id‹, customer_id›)
SELECT ‹lenght(›name) FROM customers
SELECT ‹concat_all(›name) FROM customers
SELECT length(name‹,› city) FROM customers
SELECT substr(name‹)› FROM customers
SELECT coalesce(name‹)› FROM customers
SELECT count(‹DISTINCT *›) FROM customers
SELECT name FROM customers WHERE ‹count(›*) > 1
SELECT name FROM customers WHERE ‹max(id)› > 1
SELECT name FROM customers GROUP BY ‹count(›*)
SELECT name FROM customers ORDER BY ‹count(*) ›
SELECT sum(max(‹total)) F›ROM orders
SELECT name FROM customers WHERE ‹row_number(›) OVER () = 1
SELECT name FROM customers ORDER BY ‹2›
SELECT name FROM customers ORDER BY ‹0›
SELECT name FROM customers ORDER BY -‹1›
SELECT name, city FROM customers GROUP BY ‹3›
SELECT name, count(*) FROM customers GROUP BY ‹2›
SELECT name FROM customers HAVING‹ ›1
SELECT name FROM customers LIMIT ‹id›
SELECT name FROM customers WHERE id IN (SELECT id‹,› total FROM orders)
SELECT name FROM customers WHERE id = (SELECT ‹*› FROM orders)
SELECT name FROM customers WHERE id IN (SELECT ‹title FROM orders WHERE› total > 1)
SELECT city FROM customers UNION SELECT id‹,› total FROM orders
SELECT city, name FROM customers UNION SELECT id ‹FROM› orders
SELECT city FROM customers UNION SELECT status FROM orders ORDER BY city ‹+›1
SELECT city FROM customers UNION SELECT status FROM orders ORDER BY ‹2›
SELECT city FROM customers ORDER BY city ‹UNION›
SELECT t.‹total FROM (SELECT city FROM customers) AS t›
SELECT t.city FROM (SELECT city, name FROM customers) AS t WHERE t.‹email ›= 1
SELECT t.city FROM (SELECT city FROM customers) AS ‹u;›
SELECT city FROM (SELECT city FROM customers) AS t WHERE ‹name ›= 1
SELECT name FROM customers, (SELECT ‹customers.id FROM orders›)
WITH a AS (SELECT id FROM orders) SELECT ‹total FROM a›
WITH a AS (SELECT id FROM orders) SELECT a.‹total FROM a›
WITH a AS (SELECT id FROM orders) SELECT id FROM ‹b ›
WITH a AS (SELECT id FROM ‹a)› SELECT id FROM a
WITH a AS (SELECT id FROM orders), ‹a AS› (SELECT 1) SELECT 1
WITH a(x, y) AS (SELECT id ‹FROM› orders) SELECT x FROM a
WITH a(x) AS (SELECT id FROM orders) SELECT ‹a.id FROM a›
VALUES (1, 2), (3‹)›
SELECT ‹*;›
SELECT 1, ‹*;›
INSERT INTO ‹customer ›VALUES (1)
INSERT INTO ‹big_orders ›VALUES (1, 2, 3)
INSERT INTO customers VALUES (1, 2, 3, 4‹)›
INSERT INTO customers VALUES (1, 2, 3, 4, 5‹,› 6)
INSERT INTO customers (name, ‹total›) VALUES (1, 2)
INSERT INTO customers (name, city) VALUES (1‹)›
INSERT INTO customers (name) VALUES (‹city›)
INSERT INTO customers (name, city) SELECT name ‹FROM› customers
UPDATE ‹customer ›SET name = 1
UPDATE customers SET ‹total ›= 1
UPDATE customers SET name = ‹total ›
UPDATE customers SET name = 1 WHERE ‹status ›= 1
DELETE FROM ‹big_orders ›WHERE 1
DELETE FROM customers WHERE ‹status ›= 1
SELECT name FROM customers ORDER BY name COLLATE ‹german ›DESC
SELECT name FROM customers WHERE name GLOB 'x' ‹ESCAPE› 'y'
SELECT count(DISTINCT name) ‹OVER› () FROM customers
SELECT rank() ‹FROM› customers
SELECT rank() ‹FILTER› (WHERE 1) OVER () FROM customers
SELECT name FROM customers NATURAL JOIN orders ‹ON› 1
SELECT 1‹a› FROM customers
SELECT c.name FROM customers c, customers ‹c›
SELECT name FROM customers, ‹customers;›
SELECT name FROM customers, (SELECT (name) ‹FROM› customers)
SELECT 1 FROM customers, (SELECT name COLLATE NOCASE FROM customers) WHERE ‹name ›= 1
SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM customers GROUP BY ‹o.›id)
SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM customers ORDER BY ‹o.›id)
SELECT total FROM orders WHERE EXISTS (SELECT 1 FROM customers ORDER BY ‹total ›LIMIT 1)
SELECT o.id FROM orders o WHERE EXISTS (SELECT 1 FROM customers ORDER BY (SELECT ‹o.id)› LIMIT 1)
SELECT min(city) x FROM customers JOIN orders ON ‹"x"›
SELECT min(city) x FROM customers WHERE ‹"x"›
SELECT min(city) x FROM customers GROUP BY ‹"X"›
SELECT row_number() OVER () x FROM customers WHERE EXISTS (SELECT 1 FROM orders WHERE ‹"x"›)
SELECT id, name, total FROM customers JOIN orders ‹ON› customers.id = customer_id
SELECT id, name, total FROM customers, ‹orders›
SELECT id, name, total FROM customers FULL JOIN items ‹ON› order_id = quantity
SELECT id, name, total FROM customers JOIN big_orders USING (id‹, name›)
SELECT id, name, total FROM customers JOIN orders ‹WHERE› 1
SELECT id, name, total, ‹nothing› FROM customers JOIN orders USING (id)
SELECT id, name, total FROM customers JOIN products USING (id)‹;›
