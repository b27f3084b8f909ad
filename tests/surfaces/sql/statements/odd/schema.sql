CREATE TABLE "Order" ("Group" INTEGER, "key" TEXT, rank INTEGER, "desc" TEXT, "select" TEXT, "set" INTEGER);
CREATE TABLE Straße (größe INTEGER, "naïve name" TEXT, "a""b" TEXT, "c`d" TEXT, "e]f" TEXT, year INTEGER);
CREATE TABLE "end" ("end" INTEGER, "offset" INTEGER, "replace" TEXT, count INTEGER, max INTEGER);
CREATE TABLE a1 (a INTEGER, ab INTEGER, abc INTEGER);
CREATE TABLE "a1b" ("1st" INTEGER, "2" INTEGER, ABC TEXT);
CREATE TABLE one (x INTEGER);
