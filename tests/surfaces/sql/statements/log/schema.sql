CREATE TABLE sessions (id INTEGER PRIMARY KEY, repo TEXT);
CREATE TABLE turns (session_id INTEGER, body TEXT);
