SELECT ‹title ›FROM sessions
SELECT session_id FROM ‹sessions›
SELECT session_id FROM ‹sessions›
SELECT repo, body FROM turns‹;›
SELECT repo FROM turns‹;›
SELECT id, session_id FROM sessions‹;›
SELECT sessions.‹body FROM sessions›
SELECT id FROM sessions WHERE ‹body ›= 1
SELECT id FROM sessions WHERE id IN (SELECT ‹sid ›FROM turns)
SELECT t.body FROM turns AS t WHERE t.‹id ›= 1
