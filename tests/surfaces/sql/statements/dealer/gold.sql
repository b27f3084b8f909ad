SELECT s.first_name, s.last_name, COUNT(sa.id) AS total_sales, SUM(sa.sale_price) AS total_revenue FROM salespersons s LEFT JOIN sales sa ON s.id = sa.salesperson_id GROUP BY s.id, s.first_name, s.last_name ORDER BY total_revenue DESC LIMIT 3
SELECT strftime('%Y-%m', sale_date) AS month, SUM(sale_price) FROM sales GROUP BY month ORDER BY month
SELECT strftime('%Y', p.payment_date) AS y, COUNT(*) FROM payments_received AS p WHERE p.payment_date >= DATE('now', '-30 days') GROUP BY y
SELECT AVG(JULIANDAY(pr.payment_date) - JULIANDAY(s.sale_date)) FROM sales AS s JOIN payments_received AS pr ON s.id = pr.sale_id
WITH recent AS (SELECT * FROM sales WHERE sale_date >= date('now', '-6 months')), per_car AS (SELECT car_id, COUNT(*) AS n FROM recent GROUP BY car_id) SELECT c.make, c.model, p.n FROM cars c JOIN per_car p ON p.car_id = c.id ORDER BY p.n DESC
SELECT c.make, c.model, c.year FROM cars c WHERE c.id NOT IN (SELECT car_id FROM sales WHERE car_id IS NOT NULL) AND c.year > 2018
SELECT CASE WHEN LOWER(payment_method) = 'cash' THEN 'cash' ELSE 'other' END AS method, SUM(payment_amount) FROM payments_received GROUP BY CASE WHEN LOWER(payment_method) = 'cash' THEN 'cash' ELSE 'other' END
SELECT i.snapshot_date, COUNT(*) FROM inventory_snapshots i WHERE i.is_in_inventory = TRUE GROUP BY i.snapshot_date HAVING COUNT(*) > 0 ORDER BY 1
SELECT first_name || ' ' || last_name AS full_name FROM customers WHERE email LIKE '%@gmail.com' AND NOT (state = 'CA' OR state = 'NY')
SELECT customers.state, AVG(sales.sale_price) AS average FROM customers JOIN sales ON customers.id = sales.customer_id GROUP BY customers.state HAVING AVG(sales.sale_price) > 20000
SELECT (SELECT COUNT(*) FROM cars) AS cars, (SELECT COUNT(*) FROM customers) AS customers
SELECT MAX(sale_price) - MIN(sale_price) FROM sales WHERE sale_date BETWEEN '2023-01-01' AND '2023-12-31'
INSERT INTO cars (make, model, year, color) VALUES ('Toyota', 'Corolla', 2020, 'blue'), ('Honda', 'Civic', 2021, NULL)
INSERT INTO customers (first_name, last_name, email) SELECT first_name, last_name, email FROM salespersons WHERE termination_date IS NOT NULL
UPDATE cars SET cost = cost * 0.9, color = 'red' WHERE year < 2015 AND id NOT IN (SELECT car_id FROM sales)
UPDATE salespersons SET termination_date = CURRENT_DATE WHERE id = (SELECT salesperson_id FROM sales GROUP BY salesperson_id ORDER BY COUNT(*) LIMIT 1)
DELETE FROM payments_made WHERE due_date < '2020-01-01'
DELETE FROM inventory_snapshots WHERE car_id IN (SELECT id FROM cars WHERE make = 'Ford')
SELECT COUNT(*) FILTER (WHERE payment_method = 'check') AS checks, COUNT(*) AS everything FROM payments_received
SELECT t1.make, t1.model FROM cars t1 INNER JOIN (SELECT car_id, MAX(sale_price) AS top FROM sales GROUP BY car_id) t2 ON t1.id = t2.car_id WHERE t2.top > 30000
SELECT s.id, s.sale_price, SUM(s.sale_price) OVER w AS running FROM sales s WINDOW w AS (PARTITION BY s.salesperson_id ORDER BY s.sale_date)
SELECT DATE(sale_date, 'start of month') AS m, COUNT(DISTINCT customer_id) FROM sales GROUP BY m
SELECT salesperson_id, sale_date, sale_price FROM sales AS o WHERE sale_price = (SELECT MAX(i.sale_price) FROM sales AS i WHERE i.salesperson_id = o.salesperson_id)
SELECT make, COUNT(*) AS 'count' FROM cars GROUP BY make ORDER BY COUNT(*) DESC
SELECT make AS "Make", model AS [Model], year AS `Year` FROM cars
SELECT zip_code, COUNT(*) FROM customers WHERE phone GLOB '[0-9]*' GROUP BY zip_code COLLATE NOCASE
SELECT EXISTS (SELECT 1 FROM sales WHERE sale_price > 100000)
SELECT x.make FROM (SELECT make FROM cars UNION SELECT vendor_name FROM payments_made) AS x ORDER BY x.make
UPDATE sales SET sale_price = (SELECT cost FROM cars WHERE cars.id = sales.car_id) WHERE sale_price IS NULL
SELECT printf('%.2f', AVG(sale_price)) FROM sales
SELECT NTILE(4) OVER (ORDER BY cost) AS quartile, id FROM cars
SELECT c.id, c.make, MAX(s.sale_date) FROM cars c JOIN sales s ON (c.id = s.car_id) GROUP BY c.id HAVING MAX(s.sale_date) < DATE('now')
SELECT id FROM sales WHERE CAST(strftime('%m', sale_date) AS INTEGER) IN (6, 7, 8)
SELECT 100.0 * SUM(payment_method = 'cash') / COUNT(*) AS pct FROM payments_received
SELECT TRIM(REPLACE(phone, '-', '')) FROM customers WHERE INSTR(email, '@') > 0
WITH RECURSIVE days(d) AS (SELECT DATE('2023-01-01') UNION ALL SELECT DATE(d, '+1 day') FROM days WHERE d < '2023-01-31') SELECT days.d, COUNT(s.id) FROM days LEFT JOIN sales s ON s.sale_date = days.d GROUP BY days.d
