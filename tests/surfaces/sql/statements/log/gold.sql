SELECT session_id FROM turns
SELECT repo FROM sessions
SELECT repo, body FROM sessions, turns
SELECT repo, body FROM sessions JOIN turns ON id = session_id
SELECT s.repo, t.body FROM sessions AS s JOIN turns AS t ON s.id = t.session_id
SELECT sessions.id FROM sessions
SELECT turns.* FROM turns, sessions
SELECT max(id), count(*) FROM sessions
SELECT body FROM turns WHERE session_id IN (SELECT id FROM sessions WHERE repo = 'x')
SELECT id FROM sessions UNION SELECT session_id FROM turns
