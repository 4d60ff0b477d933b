#!/bin/sh
# restore.sh FILE puts what backup.sh wrote into the empty database of DATABASE_URL, whole or not at all. Stop
# the old bot first: two of them would speak in the same threads. Then start this one, of the same version or a newer.
set -eu
: "${DATABASE_URL:?is not set}" "${1:?name the file to read}"
# Bobbin's own settings of its pool are not for these programs, which refuse what they do not know.
case $DATABASE_URL in
*://*) url=$(printf '%s\n' "$DATABASE_URL" | sed -e :a -e 's/\([?&]\)pool_[a-z_]*=[^&]*&\{0,1\}/\1/' -e ta -e 's/[?&]$//') ;;
*) url=$(printf ' %s\n' "$DATABASE_URL" | sed -e :a -e 's/ pool_[a-z_]*=[^ ]*//' -e ta) ;;
esac
if [ "$(psql --no-psqlrc --tuples-only --no-align --command="select count(*) from pg_tables where schemaname = 'public'" "$url")" != 0 ]; then
	echo "the database is not empty; make another: createdb" >&2
	exit 1
fi
pg_restore --single-transaction --exit-on-error --no-owner --no-privileges --dbname="$url" "$1"
echo "restored: $1"
