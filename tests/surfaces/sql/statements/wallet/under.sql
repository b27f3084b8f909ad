SELECT t.day, t.n FROM (SELECT date(created_at) AS day, COUNT(*) AS n FROM users GROUP BY 1) AS t WHERE t.n > 5
