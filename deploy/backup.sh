#!/bin/sh
# backup.sh FILE writes everything that Bobbin keeps in Postgres into FILE, beside a running bot, and reads
# it once more to see that it can be restored. DATABASE_URL says where the database is. Mirrors, caches and
# sessions' folders are not in it: the bot makes them anew.
set -eu
: "${DATABASE_URL:?is not set}" "${1:?name the file to write}"
umask 077
pg_dump --format=custom --no-owner --no-privileges --file="$1.part" "$DATABASE_URL"
pg_restore --list "$1.part" >/dev/null
mv "$1.part" "$1"
echo "written: $1"
