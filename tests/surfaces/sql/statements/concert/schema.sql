CREATE TABLE "stadium" ( "Stadium_ID" NUMERIC, "Location" TEXT, "Name" TEXT, "Capacity" NUMERIC, "Highest" NUMERIC, "Lowest" NUMERIC, "Average" NUMERIC );
CREATE TABLE "singer" ( "Singer_ID" NUMERIC, "Name" TEXT, "Country" TEXT, "Song_Name" TEXT, "Song_release_year" TEXT, "Age" NUMERIC, "Is_male" TEXT );
CREATE TABLE "concert" ( "concert_ID" NUMERIC, "concert_Name" TEXT, "Theme" TEXT, "Stadium_ID" TEXT, "Year" TEXT );
CREATE TABLE "singer_in_concert" ( "concert_ID" NUMERIC, "Singer_ID" TEXT );
