SELECT "Group", key, rank, desc FROM "Order"
SELECT "select", [select], `select`, "set" FROM "Order" ORDER BY "Group" DESC
SELECT o."Group" AS "group" FROM "Order" AS o GROUP BY o."Group" ORDER BY "group"
SELECT größe, "naïve name", "a""b", "c`d", "e]f", year FROM Straße
SELECT `a"b`, `c``d`, [a"b], [c`d] FROM Straße AS "Straße 2" WHERE "Straße 2".größe > 1
SELECT end, offset, replace, count, max FROM end
SELECT CASE end WHEN end THEN end ELSE end END end FROM end
SELECT count(count), max(max), replace(replace, 'a', 'b') FROM end GROUP BY end LIMIT 1 OFFSET 2
SELECT a, ab, abc FROM a1
SELECT a+ab,a-abc FROM a1
SELECT a1.abc, a1b.abc FROM a1, a1b
SELECT "1st", "2" FROM a1b
SELECT ABC FROM A1B
SELECT x.x FROM one x
SELECT x FROM one AS a1 WHERE a1.x = 1
SELECT b.a FROM a1 AS b JOIN a1 AS c ON b.a = c.ab
SELECT a FROM a1 WHERE a IN (SELECT ab FROM a1 AS z WHERE z.abc = a1.abc)
SELECT (SELECT x FROM one WHERE x = a) FROM a1
SELECT (SELECT count(*) FROM one WHERE one.x = a1.a) AS n, a1.* FROM a1
SELECT a FROM a1 ORDER BY (SELECT x FROM one WHERE x = ab)
SELECT x AS y FROM one WHERE y > 1
SELECT x, x AS x2, 2 FROM one ORDER BY 3, x2
SELECT t.a FROM (SELECT a FROM (SELECT a, ab FROM a1) AS u WHERE u.ab > 1) AS t
SELECT * FROM one, one AS two, one three
WITH one2 AS (SELECT x FROM one) SELECT one2.x, one.x FROM one, one2
INSERT INTO "Order" ("Group", key) VALUES (1, 'k')
UPDATE end SET end = end + 1, max = 2 WHERE count = 3
