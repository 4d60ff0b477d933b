#!/bin/sh
# backup.sh FILE writes everything that Bobbin keeps in Postgres into FILE, beside a running bot, and reads
# it once more to see that it can be restored. DATABASE_URL says where the database is. Mirrors, caches and
# sessions' folders are not in it: the bot makes them anew.
set -eu
: "${DATABASE_URL:?is not set}" "${1:?name the file to write}"
# Bobbin's own settings of its pool are not for these programs, which refuse what they do not know.
case $DATABASE_URL in
*://*) url=$(printf '%s\n' "$DATABASE_URL" | sed -e :a -e 's/\([?&]\)pool_[a-z_]*=[^&]*&\{0,1\}/\1/' -e ta -e 's/[?&]$//') ;;
*) url=$(printf ' %s\n' "$DATABASE_URL" | sed -e :a -e 's/ pool_[a-z_]*=[^ ]*//' -e ta) ;;
esac
umask 077
pg_dump --format=custom --no-owner --no-privileges --file="$1.part" "$url"
pg_restore --list "$1.part" >/dev/null
mv "$1.part" "$1"
echo "written: $1"
