INSERT INTO events (ts, kind) SELECT ts, kind FROM events WHERE true ON CONFLICT DO NOTHING
UPDATE posts SET title = u.name || ': ' || title FROM users AS u WHERE u.id = posts.author_id AND published = 0
DELETE FROM events WHERE rowid IN (SELECT rowid FROM events ORDER BY ts LIMIT 100)
SELECT rowid, * FROM events WHERE kind = 'login'
WITH RECURSIVE chain AS (SELECT id, name, manager_id, 0 AS depth FROM users WHERE id = ? UNION ALL SELECT u.id, u.name, u.manager_id, chain.depth + 1 FROM users u JOIN chain ON u.id = chain.manager_id) SELECT id, name, depth FROM chain ORDER BY depth
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 10) SELECT sum(i) FROM n
SELECT main.users.name FROM main.users
SELECT name FROM main.users WHERE id = 1
SELECT name FROM sqlite_master WHERE type = 'table'
SELECT value FROM json_each('[1,2,3]')
SELECT u.id, j.value FROM users u, json_each(u.settings, '$.roles') j
