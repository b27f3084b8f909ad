SELECT max(n) FROM (SELECT count(*) AS n FROM concert GROUP BY stadium_id)
SELECT avg(t.n) FROM (SELECT count(*) AS n FROM concert GROUP BY stadium_id) AS t
