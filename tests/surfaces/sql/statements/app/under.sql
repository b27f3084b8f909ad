INSERT INTO events (ts, kind) SELECT ts, kind FROM events WHERE true ON CONFLICT DO NOTHING
UPDATE posts SET title = u.name || ': ' || title FROM users AS u WHERE u.id = posts.author_id AND published = 0
DELETE FROM events WHERE rowid IN (SELECT rowid FROM events ORDER BY ts LIMIT 100)
SELECT rowid, * FROM events WHERE kind = 'login'
SELECT main.users.name FROM main.users
SELECT name FROM main.users WHERE id = 1
SELECT name FROM sqlite_master WHERE type = 'table'
SELECT value FROM json_each('[1,2,3]')
SELECT u.id, j.value FROM users u, json_each(u.settings, '$.roles') j
WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n
