SELECT name FROM customers
select NAME from CUSTOMERS
SELECT * FROM orders
SELECT name, city FROM customers;
SELECT DISTINCT city FROM customers
SELECT ALL city FROM customers
SELECT count(*) FROM orders
SELECT COUNT ( * ) FROM orders
SELECT count(DISTINCT city) FROM customers
SELECT sum(total), avg(total), min(total), max(total) FROM orders
SELECT max(price, quantity) FROM items
SELECT max(price, quantity, 3), max(price) FROM items
SELECT name FROM customers WHERE city = 'Oslo'
SELECT name FROM customers WHERE city = "Oslo"
SELECT name FROM customers WHERE city != 'Oslo' AND email IS NOT NULL OR NOT name LIKE 'A%'
SELECT name FROM customers WHERE city <> 'O''Fallon'
SELECT name FROM customers WHERE "Signup Date" >= '2024-01-01'
SELECT name FROM customers WHERE `Signup Date` >= '2024-01-01'
SELECT [name] FROM [customers] WHERE [Signup Date] >= '2024-01-01'
SELECT name FROM customers WHERE name LIKE '10\%%' ESCAPE '\'
SELECT name FROM customers WHERE name NOT LIKE '%x%'
SELECT name FROM customers WHERE name GLOB 'A*' AND name NOT GLOB 'B*'
SELECT title FROM products WHERE price BETWEEN 10 AND 20
SELECT title FROM products WHERE price NOT BETWEEN 10 AND 20 + 5 AND category = 'toys'
SELECT title FROM products WHERE category IN ('toys', 'games')
SELECT title FROM products WHERE category NOT IN ('toys')
SELECT title FROM products WHERE price IS NULL OR category IS NOT NULL OR price ISNULL OR price NOTNULL OR price NOT NULL
SELECT title FROM products WHERE price IS 1 AND price IS NOT 2 AND price IS NOT DISTINCT FROM 3
SELECT title FROM products WHERE -price < +10.5e-1 AND ~id > 0 AND price * 2 / 3 % 4 - 1 >= .5
SELECT id << 1, id >> 2, id & 3, id | 4, title || ' ' || category FROM products
SELECT title FROM products ORDER BY price
SELECT title FROM products ORDER BY price DESC, title ASC
SELECT title FROM products ORDER BY price DESC NULLS LAST, title NULLS FIRST
SELECT title FROM products ORDER BY title COLLATE NOCASE DESC
SELECT title, price FROM products ORDER BY 2 DESC, 1
SELECT title FROM products ORDER BY price * 2, id
SELECT title AS t FROM products ORDER BY t
SELECT title AS t, price p FROM products ORDER BY p + 1, lower(t)
SELECT title FROM products LIMIT 5
SELECT title FROM products LIMIT 5 OFFSET 10
SELECT title FROM products LIMIT 10, 5
SELECT title FROM products LIMIT (SELECT count(*) FROM orders) - 1
SELECT "stock (units)" AS "in stock" FROM products ORDER BY "in stock"
SELECT category, count(*) FROM products GROUP BY category
SELECT category, count(*) FROM products GROUP BY 1 ORDER BY 2 DESC
SELECT category AS c, count(*) AS n FROM products GROUP BY c HAVING n > 1 ORDER BY n DESC, c
SELECT category FROM products GROUP BY category HAVING count(*) > 1 AND max(price) < 100
SELECT strftime('%Y-%m', placed_on) AS month, sum(total) FROM orders GROUP BY month ORDER BY month
SELECT category FROM products GROUP BY category ORDER BY count(*) DESC LIMIT 1
SELECT upper(category), count(*) FROM products GROUP BY upper(category), price > 10
SELECT customers.name, orders.total FROM customers JOIN orders ON customers.id = orders.customer_id
SELECT c.name, o.total FROM customers AS c JOIN orders AS o ON c.id = o.customer_id
SELECT c.name, o.total FROM customers c, orders o WHERE c.id = o.customer_id
SELECT name, total FROM customers JOIN orders ON customers.id = customer_id
SELECT T1.name FROM customers AS T1 JOIN orders AS T2 ON T1.id = T2.customer_id GROUP BY T1.id HAVING sum(T2.total) > 10
SELECT T2.name, count(*) FROM orders AS T1 JOIN customers AS T2 ON T1.customer_id = T2.id GROUP BY T2.id ORDER BY count(*) DESC LIMIT 1
SELECT c.*, o.total FROM customers c INNER JOIN orders o ON o.customer_id = c.id
SELECT c.name FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL
SELECT c.name FROM customers c LEFT OUTER JOIN orders o ON o.customer_id = c.id
SELECT c.name FROM orders o RIGHT JOIN customers c ON o.customer_id = c.id
SELECT c.name, o.id FROM orders o FULL OUTER JOIN customers c ON o.customer_id = c.id
SELECT c.name, p.title FROM customers c CROSS JOIN products p
SELECT order_id, title FROM items JOIN products ON product_id = products.id
SELECT * FROM orders NATURAL JOIN big_orders
SELECT id, status FROM orders NATURAL LEFT JOIN big_orders WHERE total > 5
SELECT a.id, b.id FROM orders a JOIN big_orders b USING (id, customer_id) WHERE id > 1 AND customer_id > 2
SELECT a.name, b.name FROM customers a JOIN customers b ON a.city = b.city AND a.id < b.id
SELECT p.title FROM products p JOIN items i ON p.id = i.product_id JOIN orders o ON o.id = i.order_id JOIN customers c ON c.id = o.customer_id WHERE c.city = 'Oslo'
SELECT name FROM customers WHERE id IN (SELECT customer_id FROM orders WHERE total > 100)
SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders)
SELECT name FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
SELECT name FROM customers WHERE NOT EXISTS (SELECT * FROM orders WHERE customer_id = customers.id)
SELECT name FROM customers c WHERE (SELECT count(*) FROM orders WHERE customer_id = c.id) > 3
SELECT name, (SELECT max(total) FROM orders o WHERE o.customer_id = customers.id) AS best FROM customers
SELECT name, (SELECT count(*) FROM orders WHERE customer_id = c.id) n FROM customers c ORDER BY n DESC
SELECT title FROM products WHERE price > (SELECT avg(price) FROM products)
SELECT title FROM products WHERE price = (SELECT max(price) FROM products) OR price = (SELECT min(p.price) FROM products p)
SELECT t.city FROM (SELECT city, count(*) AS n FROM customers GROUP BY city) t JOIN customers c ON c.city = t.city
SELECT avg(total) FROM (SELECT total FROM orders ORDER BY total DESC LIMIT 10)
SELECT count(*) FROM (SELECT DISTINCT city FROM customers)
SELECT * FROM (SELECT * FROM orders) WHERE total > 1
SELECT d.id FROM (SELECT o.*, c.name FROM orders o JOIN customers c ON c.id = o.customer_id) d WHERE d.name = 'x'
SELECT city FROM customers UNION SELECT category FROM products
SELECT city FROM customers UNION ALL SELECT category FROM products ORDER BY city LIMIT 3
SELECT city AS place, 1 FROM customers UNION SELECT title, price FROM products ORDER BY place DESC, 2
SELECT city FROM customers INTERSECT SELECT category FROM products EXCEPT SELECT status FROM orders
SELECT id FROM customers EXCEPT SELECT customer_id FROM orders WHERE status = 'open'
SELECT * FROM orders WHERE total > 5 UNION ALL SELECT * FROM orders WHERE status IS NULL
WITH best AS (SELECT customer_id, sum(total) AS spent FROM orders GROUP BY customer_id) SELECT name, spent FROM customers JOIN best ON best.customer_id = customers.id
WITH a AS (SELECT id FROM orders), b AS (SELECT id FROM a WHERE id > 3) SELECT count(*) FROM b
WITH a(x, y) AS (SELECT id, total FROM orders) SELECT x FROM a WHERE y > 3 ORDER BY y
WITH a AS MATERIALIZED (SELECT id FROM orders), b AS NOT MATERIALIZED (SELECT id FROM a) SELECT b.id FROM b
WITH a AS (SELECT city FROM customers UNION SELECT category FROM products) SELECT * FROM a
SELECT name FROM customers WHERE id IN (WITH o AS (SELECT customer_id FROM orders) SELECT customer_id FROM o)
WITH v(n) AS (VALUES (1), (2), (3)) SELECT n FROM v
VALUES (1, 'a'), (2, 'b')
SELECT 1
SELECT 1 + 2 AS three, 'x' || "y z" || NULL FROM customers
SELECT 1 WHERE EXISTS (SELECT id FROM orders)
SELECT CASE WHEN total > 100 THEN 'big' WHEN total > 10 THEN 'mid' ELSE 'small' END AS size, count(*) FROM orders GROUP BY size
SELECT CASE status WHEN 'open' THEN 1 END FROM orders
SELECT sum(CASE WHEN status = 'open' THEN 1 ELSE 0 END) * 100.0 / count(*) FROM orders
SELECT CAST(total AS INTEGER), CAST(id AS VARCHAR(10)), CAST(total AS DECIMAL(10, 2)) FROM orders
SELECT CAST(count(*) AS REAL) / NULLIF(count(DISTINCT status), 0) AS ratio FROM orders
SELECT coalesce(email, city, 'none'), ifnull(email, ''), iif(city = 'Oslo', 1, 0), length(name), substr(name, 1, 3) FROM customers
SELECT round(avg(total), 2), abs(-5), replace(status, 'a', 'b'), trim(status) FROM orders
SELECT date('now'), datetime(placed_on, '+1 day', 'start of month'), julianday('now') - julianday(placed_on) FROM orders
SELECT group_concat(name), group_concat(name, '; '), group_concat(DISTINCT name) FROM customers
SELECT count(*) FILTER (WHERE status = 'open') AS n, sum(total) FILTER (WHERE total > 5) FROM orders
SELECT name, row_number() OVER (ORDER BY name) FROM customers
SELECT id, sum(total) OVER (PARTITION BY customer_id ORDER BY placed_on) AS running FROM orders ORDER BY running
SELECT id, rank() OVER (PARTITION BY status ORDER BY total DESC) AS r, dense_rank() OVER (ORDER BY total) FROM orders
SELECT id, avg(total) OVER (ORDER BY placed_on ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders
SELECT id, sum(total) OVER (ROWS UNBOUNDED PRECEDING), count(*) OVER () FROM orders
SELECT id, lag(total) OVER (ORDER BY id), lead(total, 1, 0) OVER (ORDER BY id), ntile(4) OVER (ORDER BY id) FROM orders
SELECT id, first_value(total) OVER (ORDER BY id RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM orders
SELECT status, sum(count(*)) OVER (), rank() OVER (ORDER BY sum(total) DESC) FROM orders GROUP BY status
SELECT id FROM orders ORDER BY row_number() OVER (ORDER BY total)
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY total DESC) AS rn FROM orders) WHERE rn = 1
SELECT name FROM customers WHERE (city = 'Oslo' OR city = 'Bergen') AND (email IS NOT NULL)
SELECT name /* of all * of them */ FROM/**/customers /***/
SELECT - - total, -(-total), 5 - -3 FROM orders
SELECT(name)FROM[customers]
SELECT"name"FROM"customers"WHERE"city"='x'
SELECT name FROM customers WHERE city = 'Oslo' COLLATE NOCASE
SELECT current_date, CURRENT_TIMESTAMP, TRUE, false, NULL
SELECT total > 5 AND status = 'x' AS hit FROM orders
INSERT INTO customers VALUES (1, 'Ann', 'Oslo', NULL, '2024-01-01')
INSERT INTO customers (name, city) VALUES ('Ann', 'Oslo'), ('Bob', "Bergen")
INSERT OR REPLACE INTO products (id, title) VALUES (1, 'x')
INSERT INTO orders (customer_id, total) SELECT id, 0 FROM customers WHERE city = 'Oslo'
INSERT INTO items DEFAULT VALUES
REPLACE INTO items VALUES (1, 2, 3, 4.5)
WITH a AS (SELECT id FROM customers) INSERT INTO orders (customer_id) SELECT id FROM a
INSERT INTO orders (total) VALUES ((SELECT max(total) FROM orders) + 1)
UPDATE products SET price = price * 1.1 WHERE category = 'toys'
UPDATE products SET price = 1, title = upper(title) WHERE id IN (SELECT product_id FROM items)
UPDATE products AS p SET price = (SELECT avg(price) FROM items WHERE product_id = p.id) WHERE p.id > 3
DELETE FROM orders WHERE status = 'cancelled' AND total < 1
DELETE FROM orders
DELETE FROM orders AS o WHERE NOT EXISTS (SELECT 1 FROM customers c WHERE c.id = o.customer_id)
WITH a AS (SELECT id FROM customers) DELETE FROM orders WHERE customer_id IN (SELECT id FROM a)
SELECT status FROM orders GROUP BY status ORDER BY 1.0 * count(*) / 2 DESC, (2 * sum(total)), -1 + id
SELECT title FROM products ORDER BY CASE WHEN price IS NULL THEN 1 ELSE 0 END, price DESC, 1
SELECT total FROM orders WHERE strftime('%Y', placed_on) = '2024' AND date(placed_on) >= date('now', '-30 days')
SELECT c.name, (SELECT "none" FROM orders) FROM customers c JOIN orders o ON c.id = o.customer_id AND o.status = "open now"
SELECT DISTINCT (name), ((city)) COLLATE NOCASE, (customers.id) FROM customers
SELECT count(DISTINCT (city)), (max(id)), ((id + 1) * 2), (id) + 1, ((id)) - 1, (SELECT 1), ((SELECT 2)), (-id) FROM customers
WITH a AS (SELECT (city) AS c, (id) + 1 FROM customers) SELECT c FROM a
SELECT name COLLATE NOCASE, city COLLATE NOCASE AS c FROM customers ORDER BY c
SELECT o.id FROM orders o WHERE o.total = (SELECT max(c.id) AS z FROM customers c WHERE c.id > o.id GROUP BY c.city HAVING max(c.id) > o.id ORDER BY z, c.city LIMIT 1)
SELECT o.id FROM orders o ORDER BY (SELECT c.name FROM customers c WHERE c.id = o.customer_id)
SELECT id, name, total FROM customers JOIN big_orders USING (id)
SELECT id, name, total FROM customers NATURAL JOIN orders WHERE id > 1 ORDER BY id, total
SELECT id, name, count(order_id) FROM items, customers LEFT JOIN big_orders b USING (id) GROUP BY id
SELECT id, city, total, title FROM customers JOIN orders USING (id) LEFT JOIN products USING (id) ORDER BY id
SELECT id, status, big_orders.total FROM orders JOIN big_orders USING (id, total) WHERE id IS NULL OR total > 1
SELECT id, name, total FROM customers FULL JOIN orders USING (id)
SELECT o.total, id, name FROM customers JOIN (SELECT id, total FROM orders) AS o USING (id)
WITH spent AS (SELECT customer_id AS id, sum(total) AS amount FROM orders GROUP BY customer_id) SELECT id, name, amount FROM customers JOIN spent USING (id)
SELECT title, (SELECT max(id + total + length(name)) FROM customers JOIN orders USING (id)) FROM products
SELECT count(id) FROM customers JOIN orders USING (id) WHERE id > 1
SELECT sum(total) OVER w FROM orders WINDOW w AS (ORDER BY id)
SELECT x'00' FROM customers
SELECT 0x1F FROM customers
INSERT INTO items (order_id) VALUES (1) RETURNING quantity
INSERT INTO items (order_id) VALUES (1) ON CONFLICT DO NOTHING
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
