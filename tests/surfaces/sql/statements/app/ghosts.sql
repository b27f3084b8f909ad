SELECT ?‹0› FROM users
SELECT x'0‹'› FROM users
SELECT 0x‹ ›FROM users
SELECT id FROM users LIMIT ‹n›
SELECT id FROM users WHERE name = ‹: ›a
INSERT INTO kv VALUES (1, 2, 3) RETURNING ‹id›
INSERT INTO users AS u (email) VALUES (1) RETURNING ‹u.›id
UPDATE users SET name = 1 RETURNING users.‹*›
UPDATE users SET name = 1 RETURNING ‹count(›*)
UPDATE users SET name = 1 RETURNING ‹rank(›) OVER ()
UPDATE users SET name = 1 RETURNING id AS x, ‹x ›+ 1
INSERT INTO kv VALUES (1, 2, 3) ON CONFLICT (‹value›) DO NOTHING
INSERT INTO kv VALUES (1, 2, 3) ON CONFLICT (key‹,› value) DO NOTHING
INSERT INTO posts (id) VALUES (1) ON CONFLICT (slug‹)› DO NOTHING
INSERT INTO posts (id) VALUES (1) ON CONFLICT (author_id, ‹id)› DO NOTHING
INSERT INTO posts (id) VALUES (1) ON CONFLICT (author_id, slug‹,› id) DO NOTHING
INSERT INTO tags VALUES (1, 2) ON CONFLICT (tag, ‹tag)› DO NOTHING
INSERT INTO kv VALUES (1, 2, 3) ON CONFLICT (key) DO UPDATE SET value = excluded.‹id ›
INSERT INTO kv VALUES (1, 2, 3) ON CONFLICT (key) DO UPDATE SET ‹id ›= 1
INSERT INTO kv AS k VALUES (1, 2, 3) ON CONFLICT (key) DO UPDATE SET value = ‹kv.›value
INSERT INTO kv VALUES (1, 2, 3) ON CONFLICT (key) DO UPDATE SET value = ‹count(›*)
INSERT INTO kv VALUES (1, 2, 3) ON CONFLICT (key) DO NOTHING RETURNING ‹excluded.›key
INSERT INTO kv (key) SELECT slug FROM posts ‹ON› CONFLICT DO NOTHING
UPDATE kv SET value = ‹excluded.›value
UPDATE kv SET (value, expires) = (1‹)›
UPDATE kv SET (value, expires) = (1, 2‹,› 3)
UPDATE kv SET (value, expires) = (SELECT id ‹FROM› users)
UPDATE kv SET (value, ‹id›) = (1, 2)
SELECT id FROM users WHERE (id, name) = (1‹)›
SELECT id FROM users WHERE (id, name) = (1, 2‹,› 3)
SELECT id FROM users WHERE (id, name) = ‹1›
SELECT id FROM users WHERE (id, name)‹;›
SELECT id FROM users WHERE (id, name) = (1, 2) ‹+› 1
SELECT id FROM users WHERE 1 + (id‹,› name) = (1, 2)
SELECT id FROM users WHERE (id, name) IN (SELECT id ‹FROM› posts)
SELECT id FROM users WHERE (id, name) IN (VALUES (1, 2), (3‹)›)
SELECT id FROM users WHERE (id, name) IN ((1, 2‹,› 3))
SELECT id FROM users WHERE (id, ‹title›) = (1, 2)
SELECT id FROM users GROUP BY (id‹,› name)
SELECT sum(id) OVER w FROM users‹;›
SELECT sum(id) OVER w FROM users WINDOW v AS ()‹;›
SELECT id FROM users ORDER BY sum(id) OVER ‹w ›
SELECT id FROM users WINDOW w AS () ORDER BY sum(id) OVER ‹v›
SELECT id FROM users WINDOW w AS () ORDER BY sum(id) OVER ‹"w"›
SELECT (SELECT sum(id) OVER w FROM posts‹)› FROM users WINDOW w AS ()
SELECT id FROM users WHERE ‹row_number(›) OVER w = 1 WINDOW w AS ()
SELECT sum(id) OVER w FROM users WINDOW w AS (ORDER BY ‹title›)
SELECT settings -> ‹theme ›FROM users
SELECT id AS 'n' FROM users GROUP BY ‹m›
SELECT count(*) AS 'n' FROM users WHERE ‹n › = 1
SELECT id AS 'n' FROM users UNION SELECT id FROM posts ORDER BY ‹'n'›
SELECT 1 FROM (SELECT id AS 'n' FROM users) AS s WHERE s.‹id ›= 1
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i IN (SELECT i FROM ‹n›)) SELECT i FROM n
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT n.i + 1 FROM n, ‹n ›AS b) SELECT i FROM n
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT count(*) FROM ‹n›) SELECT i FROM n
WITH RECURSIVE n(i) AS (SELECT ‹i ›FROM n) SELECT i FROM n
WITH RECURSIVE n AS (SELECT 1 AS i, 2 AS j UNION SELECT a.i, b.‹j ›FROM n a JOIN n b) SELECT i FROM n
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i‹,› 1 FROM n LIMIT 3) SELECT i FROM n
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT ‹j ›FROM n) SELECT i FROM n
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n ‹GROUP› BY i) SELECT i FROM n
