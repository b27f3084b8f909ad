SELECT id, email, name FROM users WHERE id = ?
SELECT id, email, name FROM users WHERE email = :email LIMIT 1
SELECT * FROM posts WHERE author_id = $author AND published = 1 ORDER BY updated_at DESC LIMIT ? OFFSET ?
SELECT * FROM posts WHERE author_id = ?1 OR id = ?2 LIMIT @limit
INSERT INTO users (email, name, password_hash) VALUES (?, ?, ?)
INSERT INTO users (email, name) VALUES (:email, :name) RETURNING id
INSERT INTO users (email, name) VALUES (:email, :name) RETURNING id, created_at AS created
INSERT INTO users (email, name) VALUES (?, ?) RETURNING *
INSERT OR IGNORE INTO tags (post_id, tag) VALUES (?, ?)
INSERT INTO kv (key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value
INSERT INTO kv (key, value, expires) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, expires = excluded.expires WHERE excluded.expires > kv.expires
INSERT INTO users (email, name) VALUES (?, ?) ON CONFLICT(email) DO NOTHING
INSERT INTO tags VALUES (?, ?) ON CONFLICT DO NOTHING
INSERT INTO posts (author_id, slug, title) VALUES (1, 'a', 'b') ON CONFLICT (author_id, slug) DO UPDATE SET title = excluded.title, views = views + 1
INSERT INTO users (email, name) VALUES (?, ?) ON CONFLICT(email) DO UPDATE SET name = coalesce(excluded.name, users.name) RETURNING id
REPLACE INTO kv (key, value) VALUES ('a', x'00ff')
UPDATE users SET name = ?, email = ? WHERE id = ?
UPDATE posts SET views = views + 1 WHERE id = ? RETURNING views
UPDATE posts SET (title, body) = (SELECT name, email FROM users WHERE users.id = posts.author_id)
UPDATE posts SET (title, body) = (?, ?) WHERE id = ?
UPDATE users SET settings = json_set(settings, '$.theme', 'dark') WHERE id = 1
UPDATE posts SET updated_at = CURRENT_TIMESTAMP, published = NOT published WHERE slug = :slug
DELETE FROM posts WHERE id = ? AND author_id = ?
DELETE FROM kv WHERE expires < strftime('%s', 'now') RETURNING key
DELETE FROM tags WHERE post_id IN (SELECT id FROM posts WHERE author_id = ?)
SELECT p.id, p.title, u.name AS author, count(t.tag) AS tags FROM posts p JOIN users u ON u.id = p.author_id LEFT JOIN tags t ON t.post_id = p.id WHERE p.published = 1 GROUP BY p.id ORDER BY p.updated_at DESC LIMIT 20
SELECT json_extract(settings, '$.theme') AS theme, count(*) FROM users GROUP BY theme
SELECT id FROM users WHERE settings ->> '$.theme' = 'dark'
SELECT id FROM users WHERE json_extract(settings, ?) = ?
SELECT value FROM kv WHERE key = ? AND (expires IS NULL OR expires > ?)
SELECT EXISTS(SELECT 1 FROM users WHERE email = ?) AS found
SELECT count(*) AS n FROM posts WHERE title LIKE '%' || ? || '%'
SELECT u.name, json_group_array(p.title) AS titles FROM users u JOIN posts p ON p.author_id = u.id GROUP BY u.id
SELECT json_object('id', id, 'name', name) FROM users
SELECT id, title FROM posts WHERE (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id DESC LIMIT 10
SELECT id FROM posts WHERE (author_id, slug) IN (VALUES (1, 'a'), (2, 'b'))
SELECT id FROM posts WHERE id IN (VALUES (1), (2))
SELECT last_insert_rowid()
SELECT changes()
SELECT 1
SELECT date('now'), datetime('now', 'localtime')
SELECT p.title, rank() OVER w AS r, sum(p.views) OVER w AS s FROM posts p WINDOW w AS (PARTITION BY p.author_id ORDER BY p.views DESC)
SELECT a.name, b.name AS manager FROM users a LEFT JOIN users b ON a.manager_id = b.id
SELECT kind, count(*) FROM events WHERE ts >= 0x10 GROUP BY kind
SELECT day, count(*) FROM events GROUP BY day
SELECT id FROM users WHERE name IS NOT 'x' AND name IS NOT DISTINCT FROM NULL
SELECT title FROM published_posts WHERE author_id = :id
INSERT INTO events DEFAULT VALUES
INSERT INTO posts (author_id, title) SELECT id, 'Hello ' || name FROM users WHERE id NOT IN (SELECT author_id FROM posts) RETURNING id
SELECT u.* FROM users u WHERE u.id IN (?, ?, ?)
SELECT tag, count(*) AS c FROM tags GROUP BY tag ORDER BY c DESC, tag ASC LIMIT :n
SELECT id FROM users WHERE (id, name) = (SELECT author_id, title FROM posts LIMIT 1) OR NOT (id, name) < (1, 'x')
SELECT id FROM users WHERE (id, name) IN ((1, 'x'), (2, 'y')) AND (id, email) NOT BETWEEN (1, 2) AND (3, 4)
SELECT id FROM users WHERE id NOT IN (VALUES (1), (2)) OR id IN ()
SELECT CASE WHEN (id, name) IS NOT (1, 2) THEN 'a' END AS 'first one' FROM users ORDER BY "first one"
SELECT id AS 'n', count(*) AS 'how many' FROM users GROUP BY n HAVING "how many" > 1 ORDER BY n
SELECT 'n' FROM users JOIN (SELECT author_id AS 'n' FROM posts) AS s ON s.n = users.id WHERE 'n' <> ''
SELECT id FROM users WINDOW w AS (PARTITION BY name), v AS (ORDER BY id ROWS 2 PRECEDING) ORDER BY row_number() OVER W
SELECT sum(id) OVER w AS s FROM users WINDOW w AS (ORDER BY id) UNION SELECT max(views) OVER w FROM posts WINDOW w AS ()
SELECT json_object('id', id, 'name', name, 'x', json_set(settings, '$.a', 1, '$.b', 2)), zeroblob(4) FROM users
SELECT settings -> '$.roles' ->> 0 AS role, meta ->> ? FROM users, posts
INSERT INTO posts (author_id, title) VALUES (1, 'x') ON CONFLICT (slug, author_id) DO UPDATE SET (title, body) = (excluded.title, 'y'), views = 0 WHERE views < excluded.views
INSERT INTO tags VALUES (1, 'x') ON CONFLICT (post_id, tag) DO NOTHING
INSERT INTO events (ts, kind) VALUES (0x10, X'00') ON CONFLICT (kind, ts) DO UPDATE SET payload = (SELECT max(id) FROM posts WHERE title = excluded.kind)
INSERT INTO kv AS k VALUES (:k, :v, NULL) ON CONFLICT DO UPDATE SET value = k.value || excluded.value RETURNING key, kv.value AS v, *
WITH c AS (SELECT 1 AS x) DELETE FROM kv WHERE key IN (SELECT x FROM c) RETURNING (SELECT x FROM c), value AS 'v'
WITH RECURSIVE chain AS (SELECT id, name, manager_id, 0 AS depth FROM users WHERE id = ? UNION ALL SELECT u.id, u.name, u.manager_id, chain.depth + 1 FROM users u JOIN chain ON u.id = chain.manager_id) SELECT id, name, depth FROM chain ORDER BY depth
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 10) SELECT sum(i) FROM n
WITH RECURSIVE n AS (SELECT 1 AS i, 2 AS j UNION SELECT a.i, users.id FROM n a, users WHERE users.id > a.j) SELECT i FROM n
WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n), m AS (SELECT i AS k FROM n UNION SELECT * FROM m LIMIT 3) DELETE FROM users WHERE id IN (SELECT k FROM m)
