SELECT Name FROM country WHERE IndepYear > 1950
SELECT sum(SurfaceArea) FROM country WHERE Region = "Caribbean"
SELECT Population, LifeExpectancy FROM country WHERE Name = "Brazil"
SELECT T1.Name FROM country AS T1 JOIN countrylanguage AS T2 ON T1.Code = T2.CountryCode WHERE T2.Language = "English" AND T2.IsOfficial = "T" UNION SELECT T1.Name FROM country AS T1 JOIN countrylanguage AS T2 ON T1.Code = T2.CountryCode WHERE T2.Language = "Dutch" AND T2.IsOfficial = "T"
SELECT COUNT(*) FROM (SELECT T1.Name FROM country AS T1 JOIN countrylanguage AS T2 ON T1.Code = T2.CountryCode WHERE T2.Language = "English" INTERSECT SELECT T1.Name FROM country AS T1 JOIN countrylanguage AS T2 ON T1.Code = T2.CountryCode WHERE T2.Language = "French")
SELECT CountryCode, max(Percentage) FROM countrylanguage WHERE Language = "Spanish" GROUP BY CountryCode
SELECT Name FROM country WHERE Continent = "Asia" AND Population > (SELECT max(Population) FROM country WHERE Continent = "Africa")
SELECT Code FROM country WHERE GovernmentForm != "Republic" EXCEPT SELECT CountryCode FROM countrylanguage WHERE Language = "English"
SELECT DISTINCT T2.Name FROM country AS T1 JOIN city AS T2 ON T2.CountryCode = T1.Code WHERE T1.Continent = 'Europe' AND T1.Name NOT IN (SELECT T3.Name FROM country AS T3 JOIN countrylanguage AS T4 ON T3.Code = T4.CountryCode WHERE T4.IsOfficial = 'T' AND T4.Language = 'English')
SELECT Name, SurfaceArea, IndepYear FROM country ORDER BY Population LIMIT 1
SELECT count(Language), Name FROM country JOIN countrylanguage ON Code = CountryCode GROUP BY Name HAVING count(*) > 2
SELECT count(*), District FROM city WHERE Population > (SELECT avg(Population) FROM city) GROUP BY District
SELECT sum(Population), GovernmentForm FROM country GROUP BY GovernmentForm HAVING avg(LifeExpectancy) > 72
SELECT Continent, AVG(LifeExpectancy) AS avg_life, SUM(Population) FROM country GROUP BY Continent HAVING avg_life < 72
SELECT Name FROM country WHERE Name LIKE 'A%' OR Name LIKE '%land' ESCAPE '\'
WITH big AS (SELECT Code, Name FROM country WHERE Population > 100000000) SELECT b.Name, c.Name FROM big b JOIN city c ON c.CountryCode = b.Code AND c.ID = (SELECT Capital FROM country WHERE Code = b.Code)
WITH ranked AS (SELECT Name, Continent, Population, RANK() OVER (PARTITION BY Continent ORDER BY Population DESC) AS rk FROM country) SELECT Continent, Name FROM ranked WHERE rk <= 3 ORDER BY Continent, rk
SELECT Name, Population * 1.0 / SurfaceArea AS density FROM country WHERE SurfaceArea > 0 ORDER BY density DESC NULLS LAST LIMIT 10
SELECT ROUND(AVG(Population), 2), CAST(MAX(GNP) AS INTEGER) FROM country WHERE Continent <> 'Antarctica'
SELECT UPPER(Name) || ' (' || Code || ')' AS label FROM country WHERE LENGTH(Name) > 10
SELECT Continent, COUNT(CASE WHEN Population > 10000000 THEN 1 END) AS big, SUM(IIF(GNP > GNPOld, 1, 0)) AS growing FROM country GROUP BY 1 ORDER BY 2 DESC
SELECT COALESCE(HeadOfState, 'unknown') FROM country WHERE IndepYear IS NOT NULL AND HeadOfState IS NULL
SELECT c.Name, l.Language, l.Percentage FROM country c LEFT OUTER JOIN countrylanguage l ON l.CountryCode = c.Code AND l.IsOfficial = 'T' WHERE c.Region = 'Western Europe' ORDER BY c.Name ASC, l.Percentage DESC
SELECT T1.Name FROM country AS T1 WHERE (SELECT COUNT(*) FROM countrylanguage AS T2 WHERE T2.CountryCode = T1.Code) >= 3
SELECT T2.Language FROM country AS T1 JOIN countrylanguage AS T2 ON T1.Code = T2.CountryCode WHERE T1.HeadOfState = "Beatrix" AND T2.IsOfficial = "T"
SELECT GROUP_CONCAT(Language, ', ') FROM countrylanguage WHERE CountryCode = 'CHE'
SELECT GROUP_CONCAT(DISTINCT Language) AS langs FROM countrylanguage GROUP BY CountryCode HAVING COUNT(*) = 1
SELECT city.Name, country.Name AS country_name FROM city, country WHERE city.CountryCode = country.Code AND city.Population > 5e6
SELECT Name FROM city WHERE Population = (SELECT MAX(Population) FROM city WHERE CountryCode = 'USA') AND CountryCode = 'USA'
SELECT SUBSTR(Code, 1, 2) AS prefix, COUNT(*) FROM country GROUP BY prefix ORDER BY prefix
SELECT Name FROM country WHERE (Continent, Population) IN (SELECT Continent, MAX(Population) FROM country GROUP BY Continent)
SELECT IFNULL(GNP, 0) - IFNULL(GNPOld, 0) AS diff FROM country ORDER BY ABS(diff) DESC LIMIT 5
SELECT COUNT(*) * 100.0 / (SELECT COUNT(*) FROM countrylanguage) FROM countrylanguage WHERE IsOfficial = 'T'
SELECT Region FROM country GROUP BY Region ORDER BY SUM(Population) DESC LIMIT 1 OFFSET 2
SELECT Name FROM country WHERE Continent = 'Asia' UNION ALL SELECT Name FROM city WHERE Population > 1000000 ORDER BY Name LIMIT 20
SELECT DISTINCT CountryCode FROM countrylanguage WHERE Language != 'English' AND Percentage >= 50.5
SELECT avg(LifeExpectancy) FROM country WHERE Name NOT IN (SELECT T1.Name FROM country AS T1 JOIN countrylanguage AS T2 ON T1.Code = T2.CountryCode WHERE T2.Language = "English" AND T2.IsOfficial = "T")
SELECT Name, LAG(Population, 1, 0) OVER (ORDER BY ID) AS previous, SUM(Population) OVER (PARTITION BY CountryCode ORDER BY Name ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS running FROM city
