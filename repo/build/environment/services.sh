# Starts services, runs a command, and stops the services. It runs in the sandbox of the command.
#
#   sh -c "$(cat services.sh)" services look         prints each installed service: its kind and version
#   sh -c "$(cat services.sh)" services prepare DIR  writes empty data folders into DIR (absolute)
#   sh -c "$(cat services.sh)" services run COMMAND ARGUMENT...
#
# Its settings are these variables, which the command does not get. The program has checked their values:
#   BOBBIN_SERVICES       what is wanted, such as: postgres:16:5432 redis::6379 (kind, version, port)
#   BOBBIN_ROLES          names of users of Postgres, which may do everything
#   BOBBIN_DATABASES      databases, such as: postgres/shop mysql/shop
#   BOBBIN_MYSQL_USERS    users of MySQL with their passwords, such as: shop:secret root:
#   BOBBIN_PREPARED       folder of the data folders that "prepare" wrote; may be missing
#   BOBBIN_SERVICE_MARK   first line of the report, which is printed behind the command's output: notes, the logs
#                         of services, and when each was ready that took longer than BOBBIN_SERVICE_SLOW
#   BOBBIN_SERVICE_SLOW   hundredths of a second, see above
#   BOBBIN_SERVICE_WAIT   seconds until a service counts as one that does not get ready

# find_postgres sets bin to the folder of the wanted major version, or else of the last one that is installed.
find_postgres() {
	bin=
	for folder in /usr/bin /usr/local/bin /usr/lib/postgresql/bin /usr/pgsql-*/bin /usr/lib/postgresql/*/bin \
		"/usr/lib/postgresql/${1%%.*}/bin"; do
		if [ -x "$folder/initdb" ] && [ -x "$folder/postgres" ]; then bin=$folder; fi
	done
	[ -n "$bin" ]
}

find_redis() { bin=$(command -v redis-server || command -v valkey-server); }

find_mysql() { bin=$(command -v mariadbd || command -v mysqld); }

version_postgres() { "$bin/postgres" --version | sed 's/[^0-9]*\([0-9][0-9.]*\).*/\1/'; }

version_redis() { "$bin" --version | sed 's/.*v=\([0-9][0-9.]*\).*/\1/'; }

version_mysql() { "$bin" --no-defaults --version | sed 's/.*Ver \([0-9][0-9.]*\(-MariaDB\)\{0,1\}\).*/\1/'; }

# make_postgres and make_mysql write an empty data folder. Nothing outside the sandbox reaches the server, and
# nothing of it is kept, so each user comes in without a password, and nothing is forced to the disk.
make_postgres() {
	"$bin/initdb" --no-sync --auth=trust --username=postgres --encoding=UTF8 --locale=C.UTF-8 --wal-segsize=1 \
		-D "$1" || "$bin/initdb" --no-sync --auth=trust --username=postgres --encoding=UTF8 --no-locale -D "$1"
}

make_mysql() {
	if command -v mariadb-install-db; then
		mariadb-install-db --no-defaults --datadir="$1" --auth-root-authentication-method=normal --skip-test-db \
			--innodb-log-file-size=8M
	else
		"$bin" --no-defaults --initialize-insecure --datadir="$1"
	fi
}

# data prints the path of a new data folder of a service: a copy of the prepared one, or one that is made.
data() {
	if [ ! -d "$BOBBIN_PREPARED/$1" ] || ! cp -a "$BOBBIN_PREPARED/$1" "$dir/$1"; then
		rm -rf "${dir:?}/$1"
		"make_$1" "$dir/$1" || return 1
	fi
}

# serve_… starts a service that listens on the port, and returns when it has ended.
serve_postgres() {
	data postgres || return 1
	hold postgres "$bin/postgres" -D "$dir/postgres" -c listen_addresses=localhost -c port="$1" \
		-c unix_socket_directories="$dir" -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
		-c shared_buffers=32MB -c max_wal_size=64MB -c min_wal_size=32MB -c autovacuum=off -c jit=off \
		-c log_destination=stderr -c logging_collector=off
}

serve_redis() {
	mkdir "$dir/redis"
	hold redis "$bin" --bind 127.0.0.1 -::1 --port "$1" --dir "$dir/redis" --unixsocket "$dir/redis.socket" \
		--save '' --appendonly no --loglevel warning
}

serve_mysql() {
	data mysql || return 1
	hold mysql "$bin" --no-defaults --datadir="$dir/mysql" --bind-address=127.0.0.1 --port="$1" \
		--socket="$dir/mysql.socket" --pid-file="$dir/mysql.pidfile" --tmpdir="$dir" \
		--innodb-flush-log-at-trx-commit=0 --innodb-flush-method=nosync --innodb-buffer-pool-size=64M \
		--innodb-log-file-size=8M --skip-log-bin
}

# hold runs a service until it ends, and notes its process id meanwhile.
hold() {
	name=$1
	shift
	"$@" &
	echo $! >"$dir/$name.pid"
	wait $!
}

# ready_… reports whether a service answers. It asks through the service's own socket: at the port another
# server might answer.
ready_postgres() { psql_own -c 'select 1'; }

ready_redis() {
	client=$(command -v redis-cli || command -v valkey-cli) || return 1
	[ "$("$client" -s "$dir/redis.socket" ping)" = PONG ]
}

ready_mysql() { printf 'select 1;' | mysql_own; }

# fill_… makes the users and the databases that are wanted.
fill_postgres() {
	for name in $BOBBIN_ROLES; do
		if [ "$name" != postgres ]; then psql_own -c "create role \"$name\" superuser login"; fi
	done
	for name in $BOBBIN_DATABASES; do
		case $name in
		postgres/postgres) ;;
		postgres/*) psql_own -c "create database \"${name#*/}\"" ;;
		esac
	done
}

fill_redis() { :; }

fill_mysql() {
	for name in $BOBBIN_DATABASES; do
		case $name in mysql/*) printf 'create database if not exists `%s`;\n' "${name#*/}" | mysql_own ;; esac
	done
	for name in $BOBBIN_MYSQL_USERS; do
		user=${name%%:*}
		if [ "$user" = root ]; then continue; fi
		for host in % localhost; do
			printf "create user if not exists '%s'@'%s' identified by '%s'; grant all on *.* to '%s'@'%s';\n" \
				"$user" "$host" "${name#*:}" "$user" "$host"
		done | mysql_own
	done
	case " $BOBBIN_MYSQL_USERS " in
	*" root: "*) ;;
	*" root:"*)
		password=${BOBBIN_MYSQL_USERS##*root:}
		printf "alter user root@localhost identified by '%s';\n" "${password%% *}" | mysql_own
		;;
	esac
}

psql_own() {
	client=$bin/psql
	if [ ! -x "$client" ]; then client=psql; fi
	"$client" -X -q -A -t -h "$dir" -p "$port" -U postgres -d postgres "$@" >/dev/null 2>>"$dir/client.log"
}

mysql_own() {
	client=$(command -v mariadb || command -v mysql) || return 1
	"$client" --no-defaults -u root --socket="$dir/mysql.socket" >/dev/null 2>>"$dir/client.log"
}

# now prints a time in hundredths of a second.
now() {
	read -r up _ </proc/uptime
	part=${up#*.}
	echo $((${up%.*} * 100 + 1$part - 100))
}

say() { echo "$*" >>"$dir/report"; }

# each calls a function with the kind, the version and the port of each wanted service, and with bin set to
# its programs. Services that are not installed are left out; what the caller wants to know of them is said
# by "look".
each() {
	for wanted in $BOBBIN_SERVICES; do
		kind=${wanted%%:*}
		rest=${wanted#*:}
		version=${rest%%:*}
		port=${rest#*:}
		if "find_$kind" "$version" 2>/dev/null; then "$@"; fi
	done
}

look_one() { echo "$kind $("version_$kind" 2>/dev/null)"; }

prepare_one() {
	if [ "$kind" != redis ] && ! "make_$kind" "$target/$kind"; then rm -rf "${target:?}/$kind"; fi
}

start_one() {
	{
		"serve_$kind" "$port"
		: >"$dir/$kind.ended"
	} >"$dir/$kind.log" 2>&1 </dev/null &
}

# await_one waits until a service is ready, has ended, or the time is over.
await_one() {
	until "ready_$kind" 2>/dev/null; do
		took=$(($(now) - began))
		if [ -e "$dir/$kind.ended" ]; then
			say "note: $kind did not start: $(tail -n 3 "$dir/$kind.log" | tr '\n' ' ' | cut -c 1-400)"
			failed="$failed $kind"
			return
		fi
		if [ $took -gt $((BOBBIN_SERVICE_WAIT * 100)) ]; then
			say "note: $kind did not get ready within $BOBBIN_SERVICE_WAIT seconds: $(tail -n 3 "$dir/$kind.log" |
				tr '\n' ' ' | cut -c 1-400)"
			failed="$failed $kind"
			return
		fi
		sleep 0.05
	done
	: >"$dir/client.log"
	"fill_$kind"
	if [ -s "$dir/client.log" ]; then
		say "note: $kind has not all users and databases: $(head -n 3 "$dir/client.log" | tr '\n' ' ' | cut -c 1-400)"
	fi
	took=$(($(now) - began))
	if [ $took -gt "$BOBBIN_SERVICE_SLOW" ]; then say "ready: $kind $((took * 10)) ms"; fi
	wc -l <"$dir/$kind.log" >"$dir/$kind.begin" # what is logged from now on is of the command
}

# stop_one ends a service at once: its data is thrown away.
stop_one() {
	if [ -e "$dir/$kind.pid" ]; then kill -QUIT "$(cat "$dir/$kind.pid")" 2>/dev/null; fi
	if [ "$kind" != postgres ] && [ -e "$dir/$kind.pid" ]; then kill -KILL "$(cat "$dir/$kind.pid")" 2>/dev/null; fi
}

# stop ends all services and removes their data; a server that ends may write a last file meanwhile.
stop() {
	each stop_one
	rm -rf "$dir" 2>/dev/null || { sleep 0.2 && rm -rf "$dir" 2>/dev/null; }
}

# log_one adds the end of a service's log to the report: what it logged while the command ran, or all of one
# that did not start.
log_one() {
	begin=$(cat "$dir/$kind.begin" 2>/dev/null || echo 0)
	lines=$(tail -n "+$((begin + 1))" "$dir/$kind.log" | tail -n 40 | cut -c 1-500)
	if [ -n "$lines" ]; then say "log of $kind:" && say "$lines"; fi
}

run() {
	dir=$(mktemp -d "${TMPDIR:-/tmp}/services.XXXXXX") || exit 125
	trap stop EXIT
	: >"$dir/report"
	failed=
	began=$(now)
	each start_one
	each await_one
	(
		MYSQL_UNIX_PORT=$dir/mysql.socket
		case $BOBBIN_SERVICES in *mysql:*) export MYSQL_UNIX_PORT ;; esac
		unset BOBBIN_SERVICES BOBBIN_ROLES BOBBIN_DATABASES BOBBIN_MYSQL_USERS BOBBIN_PREPARED \
			BOBBIN_SERVICE_MARK BOBBIN_SERVICE_WAIT BOBBIN_SERVICE_SLOW
		exec "$@"
	)
	code=$?
	if [ $code -ne 0 ] || [ -n "$failed" ]; then each log_one; fi
	if grep -q -e '^note: ' -e '^log of ' -e '^ready: ' "$dir/report"; then
		printf '\n%s\n' "$BOBBIN_SERVICE_MARK"
		head -c 16000 "$dir/report"
	fi
	exit $code
}

task=$1
shift
case $task in
look) each look_one ;;
prepare)
	target=$1
	each prepare_one
	;;
run) run "$@" ;;
esac
