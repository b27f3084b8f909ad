SELECT t.Continent, t.total FROM (SELECT Continent, SUM(Population) AS total FROM country GROUP BY Continent) t ORDER BY t.total DESC
