CREATE TABLE "city" ( "ID" NUMERIC, "Name" TEXT, "CountryCode" TEXT, "District" TEXT, "Population" NUMERIC );
CREATE TABLE "country" ( "Code" TEXT, "Name" TEXT, "Continent" TEXT, "Region" TEXT, "SurfaceArea" NUMERIC, "IndepYear" NUMERIC, "Population" NUMERIC, "LifeExpectancy" NUMERIC, "GNP" NUMERIC, "GNPOld" NUMERIC, "LocalName" TEXT, "GovernmentForm" TEXT, "HeadOfState" TEXT, "Capital" NUMERIC, "Code2" TEXT );
CREATE TABLE "countrylanguage" ( "CountryCode" TEXT, "Language" TEXT, "IsOfficial" TEXT, "Percentage" NUMERIC );
