CREATE TABLE users (id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT NOT NULL UNIQUE, name TEXT, password_hash TEXT, created_at TEXT DEFAULT CURRENT_TIMESTAMP, settings TEXT, manager_id INTEGER REFERENCES users(id));
CREATE TABLE posts (id INTEGER PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES users(id), slug TEXT, title TEXT, body TEXT, published INTEGER DEFAULT 0, views INTEGER DEFAULT 0, updated_at TEXT, meta TEXT, UNIQUE (author_id, slug));
CREATE TABLE tags (post_id INTEGER, tag TEXT, PRIMARY KEY (post_id, tag)) WITHOUT ROWID;
CREATE TABLE kv (key TEXT PRIMARY KEY, value BLOB, expires INTEGER);
CREATE TABLE events (ts INTEGER, kind TEXT, payload TEXT, day TEXT GENERATED ALWAYS AS (date(ts, 'unixepoch')) VIRTUAL);
CREATE UNIQUE INDEX events_once ON events (ts, kind);
CREATE UNIQUE INDEX slug_of_published ON posts (slug) WHERE published = 1;
CREATE INDEX posts_by_author ON posts (author_id);
CREATE VIEW published_posts AS SELECT id, author_id, title FROM posts WHERE published = 1;
