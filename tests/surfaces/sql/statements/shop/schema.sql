CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, email TEXT, "Signup Date" TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, placed_on TEXT, total REAL, status TEXT);
CREATE TABLE items (order_id INTEGER, product_id INTEGER, quantity INTEGER, price REAL);
CREATE TABLE products (id INTEGER PRIMARY KEY, title TEXT, category TEXT, price REAL, "stock (units)" INTEGER);
CREATE VIEW big_orders AS SELECT id, customer_id, total FROM orders WHERE total > 1000;
