SELECT count(*) FROM singer
SELECT name, country, age FROM singer ORDER BY age DESC
SELECT avg(age), min(age), max(age) FROM singer WHERE country = 'France'
SELECT song_name, song_release_year FROM singer ORDER BY age LIMIT 1
SELECT DISTINCT country FROM singer WHERE age > 20
SELECT country, count(*) FROM singer GROUP BY country
SELECT song_name FROM singer WHERE age > (SELECT avg(age) FROM singer)
SELECT location, name FROM stadium WHERE capacity BETWEEN 5000 AND 10000
SELECT max(capacity), average FROM stadium
SELECT name, capacity FROM stadium ORDER BY average DESC LIMIT 1
SELECT T2.name, count(*) FROM concert AS T1 JOIN stadium AS T2 ON T1.stadium_id = T2.stadium_id GROUP BY T1.stadium_id
SELECT T2.name, T2.capacity FROM concert AS T1 JOIN stadium AS T2 ON T1.stadium_id = T2.stadium_id WHERE T1.year >= 2014 GROUP BY T2.stadium_id ORDER BY count(*) DESC LIMIT 1
SELECT YEAR FROM concert GROUP BY YEAR ORDER BY count(*) DESC LIMIT 1
SELECT name FROM stadium WHERE stadium_id NOT IN (SELECT stadium_id FROM concert)
SELECT country FROM singer WHERE age > 40 INTERSECT SELECT country FROM singer WHERE age < 30
SELECT name FROM stadium EXCEPT SELECT T2.name FROM concert AS T1 JOIN stadium AS T2 ON T1.stadium_id = T2.stadium_id WHERE T1.year = 2014
SELECT T2.concert_name, T2.theme, count(*) FROM singer_in_concert AS T1 JOIN concert AS T2 ON T1.concert_id = T2.concert_id GROUP BY T2.concert_id
SELECT name, country FROM singer WHERE song_name LIKE '%Hey%'
SELECT T2.name, T2.location FROM concert AS T1 JOIN stadium AS T2 ON T1.stadium_id = T2.stadium_id WHERE T1.Year = 2014 INTERSECT SELECT T2.name, T2.location FROM concert AS T1 JOIN stadium AS T2 ON T1.stadium_id = T2.stadium_id WHERE T1.Year = 2015
SELECT count(*) FROM concert WHERE stadium_id = (SELECT stadium_id FROM stadium ORDER BY capacity DESC LIMIT 1)
select t1.name from singer t1 join singer_in_concert t2 on t1.singer_id = t2.singer_id join concert t3 on t2.concert_id = t3.concert_id where t3.year = 2014;
SELECT COUNT(DISTINCT T1.Singer_ID) AS 'number of singers' FROM singer AS T1 JOIN singer_in_concert AS T2 ON T1.Singer_ID = T2.Singer_ID
SELECT T1.* FROM singer AS T1 WHERE T1.Is_male = 'F' OR T1.Country IN ('Netherlands', "France")
SELECT Name, CASE WHEN Age < 30 THEN 'young' WHEN Age < 50 THEN 'middle' ELSE 'old' END AS age_group FROM singer ORDER BY age_group, Name
SELECT CAST(SUM(CASE WHEN Is_male = 'T' THEN 1 ELSE 0 END) AS REAL) * 100 / COUNT(*) FROM singer
SELECT s.Name FROM stadium s LEFT JOIN concert c ON c.Stadium_ID = s.Stadium_ID WHERE c.concert_ID IS NULL
SELECT Country FROM singer GROUP BY Country HAVING COUNT(*) > 1 ORDER BY COUNT(*) DESC, Country
SELECT count(*) FROM (SELECT DISTINCT Country FROM singer)
SELECT name FROM singer WHERE singer_id IN (SELECT singer_id FROM singer_in_concert GROUP BY singer_id HAVING count(*) >= 2)
SELECT singer.Name, concert.concert_Name FROM singer INNER JOIN singer_in_concert ON singer.Singer_ID = singer_in_concert.Singer_ID INNER JOIN concert ON singer_in_concert.concert_ID = concert.concert_ID
SELECT Theme FROM concert ORDER BY Year DESC LIMIT 3 OFFSET 1
SELECT a.Name, b.Name FROM singer AS a, singer AS b WHERE a.Country = b.Country AND a.Singer_ID < b.Singer_ID
SELECT Name FROM singer AS s WHERE NOT EXISTS (SELECT * FROM singer_in_concert AS sc WHERE sc.Singer_ID = s.Singer_ID)
SELECT name, rank() OVER (PARTITION BY country ORDER BY age DESC) AS r FROM singer
SELECT name FROM (SELECT name, row_number() OVER (PARTITION BY country ORDER BY age DESC) AS rn FROM singer) WHERE rn = 1
SELECT * FROM concert NATURAL JOIN stadium
SELECT Stadium_ID, Name, Theme FROM concert JOIN stadium USING (Stadium_ID)
SELECT T1.name, (SELECT count(*) FROM concert AS T2 WHERE T2.stadium_id = T1.stadium_id) AS concerts FROM stadium AS T1 ORDER BY concerts DESC
