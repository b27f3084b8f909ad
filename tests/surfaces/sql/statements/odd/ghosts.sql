SELECT ‹select ›FROM "Order"
SELECT "Group" FROM ‹Order›
SELECT ab FROM a1 WHERE ‹abcd ›= 1
SELECT a1.‹x FROM a1›
SELECT x FROM one WHERE ‹one2.›x = 1
SELECT ‹abc FROM a1, a1b;›
